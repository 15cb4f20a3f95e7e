import { Fault } from '../../model/faults/index.js';
import { type JsonObject, objectsAt, writeJson } from '../../model/json/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { follow } from '../../cluster/index.js';
import type { AppSession } from '../session/index.js';
import { prettyJson } from '../output/index.js';
import { type NotebookFlags, fieldText, findJob, isHeld, jobName, phaseOf, statusOf } from './job.js';
import { errorOf, formatJob, formatSummary } from './print-job.js';
import { NOTEBOOK_VALIDATION_JOBS } from '../../model/resources/index.js';

export interface GetFlags extends NotebookFlags {
  readonly watch?: boolean;
  readonly timeout: number;
}

/**
 * `notebook get`. With `--watch` it tells of each cell as it ends, and its exit code is how the notebook ended; one
 * that is not executed at all did not end well.
 */
export async function get(
  session: AppSession,
  name: string,
  flags: GetFlags,
  exit: (code: number) => void,
): Promise<string> {
  const job = await findJob(session, name, flags.namespace);
  if (flags.watch === true) return watch(session, job, flags, exit);
  if (flags.output === 'json') return prettyJson(job);
  if (flags.output === 'yaml') return writeYaml(job);
  return formatJob(job, session.host.now());
}

const FAILED = 1;

async function watch(
  session: AppSession,
  start: KubeObject,
  flags: GetFlags,
  exit: (code: number) => void,
): Promise<string> {
  const { stdout } = session.host;
  const reporter =
    flags.output === 'json' || flags.output === 'yaml'
      ? new DocumentReporter(flags.output)
      : new LineReporter(session.host.now());
  const end = await follow(
    session,
    start,
    (job): 'Succeeded' | 'Failed' | 'not executed' | 'gone' | undefined => {
      if (job === undefined || job.metadata.uid !== start.metadata.uid) return 'gone';
      stdout.write(reporter.report(job));
      const phase = phaseOf(job);
      if (phase === 'Pending' && isHeld(job)) return 'not executed';
      return phase === 'Succeeded' || phase === 'Failed' ? phase : undefined;
    },
    flags.timeout,
    NOTEBOOK_VALIDATION_JOBS,
  );
  if (end === 'timeout')
    throw new Fault('WAIT_TIMED_OUT', `the notebook ${jobName(start)} is not over after ${flags.timeout} s`, {
      where: session.cluster.server,
    });
  if (end === 'gone')
    throw new Fault('NOTEBOOK_UNKNOWN', `the notebook ${jobName(start)} was deleted`, {
      where: session.cluster.server,
    });
  if (end === 'Failed' || end === 'not executed') exit(FAILED);
  return '';
}

/** The whole job whenever it changed, one line or one document each. */
class DocumentReporter {
  constructor(private readonly format: 'json' | 'yaml') {}

  report(job: KubeObject): string {
    return this.format === 'json' ? `${writeJson(job)}\n` : `---\n${writeYaml(job)}`;
  }
}

/** What is new since the last look, a line each. */
class LineReporter {
  readonly #cells = new Map<string, string>();
  #phase = '';
  #run = '';
  #isFirst = true;

  constructor(private readonly now: number) {}

  report(job: KubeObject): string {
    const lines = this.#isFirst ? [`${formatSummary(job, this.now)}\n`] : [];
    this.#isFirst = false;
    return [
      ...lines,
      ...this.#attempt(job),
      ...this.#newCells(objectsAt(statusOf(job), 'results')),
      ...this.#newPhase(job),
    ].join('');
  }

  /** Another attempt begins with the first cell again. */
  #attempt(job: KubeObject): string[] {
    const status = statusOf(job);
    const run = `${fieldText(status, 'runId')} ${fieldText(status, 'retryCount')}`;
    const isNew = this.#run !== '' && run !== this.#run;
    this.#run = run;
    if (!isNew) return [];
    this.#cells.clear();
    return [`attempt ${Number(fieldText(status, 'retryCount') || '0') + 1}\n`];
  }

  #newCells(cells: readonly JsonObject[]): string[] {
    return cells.flatMap((cell) => {
      const index = fieldText(cell, 'cellIndex');
      const line = (
        `cell ${index.padEnd(4)} ${fieldText(cell, 'cellType').padEnd(8)} ${fieldText(cell, 'status').padEnd(7)} ` +
        `${fieldText(cell, 'executionTime').padStart(8)}  ${errorOf(cell)}`
      ).trimEnd();
      if (this.#cells.get(index) === line) return [];
      this.#cells.set(index, line);
      return [`${line}\n`];
    });
  }

  #newPhase(job: KubeObject): string[] {
    const message = fieldText(statusOf(job), 'message');
    const line = `${phaseOf(job)}${message === '' ? '' : `: ${message}`}\n`;
    if (line === this.#phase) return [];
    this.#phase = line;
    return [line];
  }
}
