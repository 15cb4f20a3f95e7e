import { Fault } from '../../model/faults/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { follow } from '../../cluster/index.js';
import { prettyJson } from '../output/index.js';
import {
  type AppFlags,
  type AppSession,
  chooseApplications,
  findApplication,
  requestRefresh,
} from '../session/index.js';
import { type ApplicationId, idOf, qualifiedName } from '../../model/argo/index.js';
import { objectAt, textAt } from '../../model/json/index.js';
import { formatResources, urlOf } from './get.js';
import {
  readHealths,
  formatOperation,
  formatSummary,
  parseChoices,
  type Choice,
  resourceStates,
  StateStream,
  readWindows,
} from '../application/index.js';
import { isReached, operationProgress, type Goal } from './wait-conditions.js';
import { APPLICATIONS } from '../../model/resources/index.js';

const OPERATION_START_GRACE = 10_000;
const POLL_INTERVAL = 1000;

export interface WaitFlags extends AppFlags {
  readonly sync?: boolean;
  readonly health?: boolean;
  readonly operation?: boolean;
  readonly suspended?: boolean;
  readonly degraded?: boolean;
  readonly delete?: boolean;
  readonly hydrated?: boolean;
  readonly revision?: string;
  readonly resource?: readonly string[];
  readonly selector?: string;
  readonly timeout: number;
  readonly output: string;
}

/** `app wait`. */
export async function wait(session: AppSession, names: readonly string[], flags: WaitFlags): Promise<void> {
  const choices = parseChoices(flags.resource ?? []);
  for (const id of await chooseApplications(session, names, flags)) {
    await waitFor(session, await findApplication(session, id), {
      goal: goalOf(flags),
      choices,
      timeout: flags.timeout,
      output: flags.output,
    });
  }
}

/** Sync, health and operation where nothing is named. */
function goalOf(flags: WaitFlags): Goal {
  const given = {
    sync: flags.sync === true,
    health: flags.health === true,
    operation: flags.operation === true,
    suspended: flags.suspended === true,
    degraded: flags.degraded === true,
    delete: flags.delete === true,
    hydrated: flags.hydrated === true,
  };
  const named = Object.values(given).some(Boolean) ? given : { ...given, sync: true, health: true, operation: true };
  return { ...named, revision: flags.revision ?? '' };
}

export interface WaitOptions {
  readonly goal: Goal;
  readonly choices: readonly Choice[];
  /** Seconds; 0 for as long as it takes. */
  readonly timeout: number;
  readonly output: string;
  /** Whether to ask for a comparison once the operation has ended. */
  readonly mayRefresh?: boolean;
}

type WaitOutcome =
  | { readonly kind: 'reached'; readonly application: KubeObject }
  | { readonly kind: 'gone' }
  | { readonly kind: 'worse'; readonly application: KubeObject; readonly from: string };

/**
 * Prints rows while the application changes, then how it is in the end. Gives it; undefined where its end was waited
 * for.
 */
export async function waitFor(
  session: AppSession,
  start: KubeObject,
  waiting: WaitOptions,
): Promise<KubeObject | undefined> {
  const id = idOf(start);
  const isForPeople = waiting.output !== 'json' && waiting.output !== 'yaml';
  const answer = await watchFor(session, start, waiting, isForPeople);
  if (answer !== 'timeout' && answer.kind === 'gone') {
    if (!waiting.goal.delete)
      throw new Fault('APPLICATION_UNKNOWN', `the application ${qualifiedName(id)} was deleted meanwhile`);
    session.host.stdout.write(`Application '${qualifiedName(id)}' deleted\n`);
    return undefined;
  }
  if (answer === 'timeout' && isForPeople)
    session.host.stdout.write('\nThis is the state of the app after wait timed out:\n');
  const last = answer === 'timeout' ? await findApplication(session, id) : answer.application;
  await printEnd(session, last, waiting, isForPeople);
  if (answer === 'timeout') throw timedOut(id, waiting.timeout);
  if (answer.kind === 'worse')
    throw new Fault(
      'OPERATION_FAILED',
      `application '${qualifiedName(id)}' health state has transitioned from ${answer.from} to Degraded`,
    );
  return last;
}

async function watchFor(
  session: AppSession,
  start: KubeObject,
  waiting: WaitOptions,
  isForPeople: boolean,
): Promise<WaitOutcome | 'timeout'> {
  const { goal, choices } = waiting;
  const stream = new StateStream(
    (text) => {
      if (isForPeople) session.host.stdout.write(text);
    },
    session.host.now,
    session.host.stdout.isTTY === true ? session.host.stdout.columns : undefined,
  );
  const watchdog = new Watchdog(session);
  const decide = (
    application: KubeObject | undefined,
    healths?: ReadonlyMap<string, string>,
  ): WaitOutcome | undefined => {
    if (application === undefined) return { kind: 'gone' };
    watchdog.observe(application);
    if (isReached(application, goal, choices, healths)) return { kind: 'reached', application };
    const [worse] = stream.show(resourceStates(application, choices, healths));
    if (textAt(application, 'status', 'operationState', 'phase') === 'Running')
      stream.showMessage(textAt(application, 'status', 'operationState', 'message'));
    if (goal.health && worse !== undefined) return { kind: 'worse', application, from: worse.before };
    if (waiting.mayRefresh === true) watchdog.refreshIfNeeded(application);
    return undefined;
  };
  try {
    const isKeptElsewhere =
      choices.length > 0 &&
      (goal.health || goal.suspended || goal.degraded) &&
      textAt(start, 'status', 'resourceHealthSource') === 'appTree';
    return isKeptElsewhere
      ? await pollHealths(session, start, decide, waiting.timeout)
      : await follow(session, start, decide, waiting.timeout);
  } finally {
    await watchdog.stop();
  }
}

/** Where the status does not tell the health of single resources, they are looked at one by one. */
async function pollHealths(
  session: AppSession,
  start: KubeObject,
  decide: (application: KubeObject | undefined, healths: ReadonlyMap<string, string>) => WaitOutcome | undefined,
  timeout: number,
): Promise<WaitOutcome | 'timeout'> {
  const late = new AbortController();
  const cancel =
    timeout > 0
      ? session.after(timeout * 1000, () => {
          late.abort();
        })
      : (): void => undefined;
  try {
    for (
      let application: KubeObject | undefined = start;
      ;
      application = await session.cluster.get(APPLICATIONS, idOf(start))
    ) {
      const answer = decide(
        application,
        application === undefined ? new Map() : await readHealths(session, application),
      );
      if (answer !== undefined) return answer;
      await new Promise<void>((resolve) => {
        session.after(POLL_INTERVAL, resolve);
      });
      if (late.signal.aborted) return 'timeout';
    }
  } finally {
    cancel();
  }
}

/** Says when nobody takes an operation, and asks for a comparison after it. */
class Watchdog {
  #cancel: (() => void) | undefined;
  #asked: Promise<unknown> | undefined;

  constructor(readonly session: AppSession) {}

  observe(application: KubeObject): void {
    const isUntouched =
      objectAt(application, 'operation') !== undefined &&
      objectAt(application, 'status', 'operationState') === undefined;
    if (!isUntouched) this.#cancel?.();
    else
      this.#cancel ??= this.session.after(OPERATION_START_GRACE, () => {
        this.session.host.stderr.write(
          `no controller has started the operation of ${qualifiedName(idOf(application))} yet: is argosy up, ` +
            'argosy controller or Argo CD running?\n',
        );
      });
  }

  refreshIfNeeded(application: KubeObject): void {
    if (operationProgress(application) === 'settling')
      this.#asked ??= requestRefresh(this.session, application, 'normal').catch((error: unknown) => {
        this.session.host.stderr.write(
          `the application could not be refreshed: ${error instanceof Error ? error.message : String(error)}\n`,
        );
      });
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#asked;
  }
}

async function printEnd(
  session: AppSession,
  application: KubeObject,
  { goal, output }: WaitOptions,
  isForPeople: boolean,
): Promise<void> {
  const { stdout, now } = session.host;
  if (!isForPeople) {
    stdout.write(output === 'json' ? prettyJson(application) : writeYaml(application));
    return;
  }
  const summary = formatSummary(
    application,
    await urlOf(session, application),
    await readWindows(session, application),
  );
  const operation = goal.operation ? formatOperation(application, now()) : '';
  stdout.write(`\n${summary}\n${operation}${await formatResources(session, application, output)}`);
}

function timedOut(id: ApplicationId, seconds: number): Fault {
  return new Fault(
    'WAIT_TIMED_OUT',
    `timed out (${seconds}s) waiting for app "${qualifiedName(id)}" match desired state`,
  );
}
