import { humanDuration } from '../../model/formats/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AppSession } from '../session/index.js';
import { prettyJson, formatTable } from '../output/index.js';
import { type NotebookFlags, fieldText, jobName, listJobs, phaseOf, progressOf, runTime, statusOf } from './job.js';

export interface ListFlags extends NotebookFlags {
  readonly selector?: string;
}

/** `notebook list`. */
export async function list(session: AppSession, flags: ListFlags): Promise<string> {
  const found = await listJobs(
    session,
    flags.namespace,
    flags.selector === undefined ? {} : { labelSelector: flags.selector },
  );
  if (flags.output === 'json') return prettyJson(found);
  if (flags.output === 'yaml') return writeYaml(found);
  if (flags.output === 'name') return found.map((job) => `${jobName(job)}\n`).join('');
  const isWide = flags.output === 'wide';
  const now = session.host.now();
  return formatTable(
    ['NAMESPACE', 'NAME', 'PHASE', 'CELLS', 'DURATION', 'AGE', 'NOTEBOOK', ...(isWide ? ['MESSAGE'] : [])],
    found.map((job) => row(job, now, isWide)),
  );
}

function row(job: KubeObject, now: number, isWide: boolean): string[] {
  const { namespace = '', name = '', creationTimestamp } = job.metadata;
  const time = runTime(job, now);
  return [
    namespace,
    name,
    phaseOf(job),
    progressOf(job),
    time === undefined ? '' : humanDuration(time),
    humanDuration(now - Date.parse(creationTimestamp ?? '')),
    fieldText(job.spec, 'notebook', 'path'),
    ...(isWide ? [fieldText(statusOf(job), 'message')] : []),
  ];
}
