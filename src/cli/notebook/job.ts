import { ClusterError } from '../../cluster/index.js';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, objectsAt, textAt, valueAt, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AppSession } from '../session/index.js';
import { NOTEBOOK_VALIDATION_JOBS } from '../../model/resources/index.js';

export interface NotebookFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly output: string;
}

/** The jobs of one namespace, or of all. */
export async function listJobs(
  { cluster }: AppSession,
  namespace: string | undefined,
  more: { readonly labelSelector?: string; readonly fieldSelector?: string } = {},
): Promise<KubeObject[]> {
  try {
    const { items } = await cluster.list(NOTEBOOK_VALIDATION_JOBS, {
      ...more,
      ...(namespace === undefined ? {} : { namespace }),
    });
    return items.sort((a, b) => compareText(jobName(a), jobName(b)));
  } catch (error) {
    // A bare 404 for the whole collection: the kind is not served there.
    if (error instanceof ClusterError && error.isNotFound)
      throw new Fault('KIND_UNKNOWN', 'this cluster has no NotebookValidationJobs', {
        where: cluster.server,
        cause: error,
      });
    throw error;
  }
}

/** `NAME` where there is only one of the name, else `NAMESPACE/NAME` or with `--namespace`. */
export async function findJob(session: AppSession, text: string, namespace: string | undefined): Promise<KubeObject> {
  const parts = text.split('/');
  const [first = '', second] = parts;
  if (parts.length > 2 || parts.includes(''))
    throw new Fault('USAGE', `"${text}" is not a notebook name: use NAME or NAMESPACE/NAME`);
  const [where, name] = second === undefined ? [namespace, first] : [first, second];
  const found = await listJobs(session, where, { fieldSelector: `metadata.name=${name}` });
  const [job] = found;
  if (job === undefined)
    throw new Fault(
      'NOTEBOOK_UNKNOWN',
      `notebook "${name}" not found${where === undefined ? '' : ` in namespace ${where}`}`,
      { where: session.cluster.server },
    );
  if (found.length > 1)
    throw new Fault(
      'USAGE',
      `there are ${found.length} notebooks "${name}": ${found.map(jobName).join(', ')}; name one of them`,
    );
  return job;
}

export function jobName({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

export function statusOf({ status }: KubeObject): JsonObject {
  return isObject(status) ? status : {};
}

/** A field as a cell of a table; numbers count as text. */
export function fieldText(value: Json | undefined, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? String(found) : textAt(found);
}

/** The phase as far as it is about the job as it is now. */
export function phaseOf(job: KubeObject): string {
  const status = statusOf(job);
  const { observedGeneration: seen } = status;
  const isOld = typeof seen === 'number' && seen < (job.metadata.generation ?? 0);
  return isOld ? 'Pending' : textAt(status, 'phase') || 'Pending';
}

/** Whether its pod was only simulated, so that there is no verdict to wait for. */
export function isHeld(job: KubeObject): boolean {
  return objectsAt(statusOf(job), 'conditions').some(
    (each) => textAt(each, 'type') === 'ValidationComplete' && textAt(each, 'reason') === 'Simulated',
  );
}

/** Cells that are done and did not fail, of all that are to be: `3/5`. */
export function progressOf(job: KubeObject): string {
  const status = statusOf(job);
  const total = isObject(status.statistics ?? null) ? (status.statistics as JsonObject).totalCells : undefined;
  // Cells that a failure kept from running are listed, and were not run.
  const done = objectsAt(status, 'results').filter(
    (cell) =>
      textAt(cell, 'status') === 'Success' ||
      (textAt(cell, 'status') === 'Skipped' && ['markdown', 'raw'].includes(textAt(cell, 'cellType'))),
  ).length;
  return done === 0 && total === undefined ? '' : `${done}/${typeof total === 'number' ? total : '?'}`;
}

/** Milliseconds that the run took, or takes so far; undefined before it began. */
export function runTime(job: KubeObject, now: number): number | undefined {
  const status = statusOf(job);
  const [start, end] = [Date.parse(textAt(status, 'startTime')), Date.parse(textAt(status, 'completionTime'))];
  return Number.isNaN(start) ? undefined : (Number.isNaN(end) ? now : end) - start;
}
