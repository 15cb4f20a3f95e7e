import { createHash } from 'node:crypto';
import type { NotebookJob } from './job.js';

/** Changing its value requests another run of the same generation. */
export const RERUN = 'mlops.dev/rerun';
/** `false`: a change of a finished job does not run it again. */
export const RERUN_ON_CHANGE = 'mlops.dev/rerun-on-change';
/** `commit`: each commit of the notebook's ref that is found runs the job again. */
const RERUN_ON = 'mlops.dev/rerun-on';
/** A new value lets the commit be looked for at once; webhooks write it. */
export const REFRESH = 'mlops.dev/refresh';
/** On our own pods, ConfigMaps and builds. */
export const RUN = 'mlops.dev/run';
export const ATTEMPT = 'mlops.dev/attempt';

const MAX_NAME_LENGTH = 63;

export function digest(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** A run is one generation of one job, one more wish of the same, or another commit. */
export function runIdOf(job: NotebookJob, commit: string | undefined): string {
  return digest(job.uid, job.generation, rerunOf(job), ...(commit === undefined ? [] : [commit])).slice(0, 10);
}

export function rerunsOnCommit(job: NotebookJob): boolean {
  return job.annotations[RERUN_ON] === 'commit';
}

export function rerunOf(job: NotebookJob): string {
  return job.annotations[RERUN] ?? '';
}

/**
 * Each attempt has a pod with a deterministic name: a notebook runs once per attempt, even if a controller crashes at
 * any moment.
 */
export function podName(job: NotebookJob, runId: string, attempt: number): string {
  return withSuffix(job.name, `-validation-${digest(runId, attempt).slice(0, 6)}`);
}

export function runnerName(job: NotebookJob, version: string): string {
  return withSuffix(job.name, `-runner-${version.slice(0, 8)}`);
}

export function buildName(job: NotebookJob, runId: string): string {
  return withSuffix(job.name, `-build-${runId.slice(0, 6)}`, MAX_NAME_LENGTH - '-1-build'.length);
}

export function streamName(job: NotebookJob): string {
  return withSuffix(job.name, '-build');
}

/** A label holds 63 characters, the name of a job up to 253. */
export function labelValue(name: string): string {
  return withSuffix(name, '');
}

function withSuffix(name: string, suffix: string, longest = MAX_NAME_LENGTH): string {
  if (name.length + suffix.length <= longest) return `${name}${suffix}`;
  const hash = `-${digest(name).slice(0, 8)}`;
  let end = longest - suffix.length - hash.length;
  while (end > 0 && '-.'.includes(name[end - 1] ?? '')) end--;
  return `${name.slice(0, end)}${hash}${suffix}`;
}
