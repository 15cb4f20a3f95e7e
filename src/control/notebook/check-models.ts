import type { KubeObject } from '../../model/index.js';
import { checkModels, modelKind, modelNames, statusOf, type NotebookJob } from '../../notebook/index.js';
import type { JobDesk } from './job-desk.js';
import { storeStatus } from './store-status.js';

const AGAIN = 5000;

/** Looks at the models that a job names, once its run and its triggers are over. Gives the time of the next look, or `again` where the job has just been stored. */
export async function lookAtModels(job: NotebookJob, desk: JobDesk): Promise<number | 'again' | undefined> {
  const status = statusOf(job.object);
  if (job.model === undefined || status.phase !== 'Succeeded' || status.modelValidationResult !== undefined || status.runId === undefined) return undefined;
  const { options: { cluster, world: { clock } }, kinds } = desk.parts;
  const { group, version, kind } = modelKind(job);
  const started = clock.steady();
  const served = await kinds.find(group, version, kind);
  const detected = (clock.steady() - started) / 1000;
  const models = new Map<string, KubeObject | undefined>();
  if (served !== undefined) for (const name of modelNames(job)) models.set(name, await cluster.get(served, { namespace: job.namespace, name }));
  const now = clock.now().getTime();
  const result = checkModels(job, status, served !== undefined, models, now);
  if (result === undefined) return now + AGAIN;
  desk.metrics.modelsChecked(job.namespace, result, detected, (clock.steady() - started) / 1000);
  await storeStatus(job, { ...status, modelValidationResult: result }, desk);
  return 'again';
}
