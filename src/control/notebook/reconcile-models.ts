import type { KubeObject } from '../../model/kubernetes/index.js';
import {
  checkModels,
  modelKind,
  modelNames,
  modelsSince,
  modelsToQuery,
  modelsUntil,
  requestTo,
  statusOf,
  type ModelFacts,
  type NotebookJob,
} from '../../notebook/index.js';
import type { JobContext } from './job-context.js';
import { storeStatus } from './store-status.js';

const REQUEUE_DELAY = 5000;

/**
 * Checks and queries the models of a job once its run and triggers are over. Returns the time of the next check, or
 * `again` if the job was just stored.
 */
export async function reconcileModels(
  key: string,
  job: NotebookJob,
  context: JobContext,
): Promise<number | 'again' | undefined> {
  const status = statusOf(job.object);
  const { runId } = status;
  if (
    job.model === undefined ||
    status.phase !== 'Succeeded' ||
    status.modelValidationResult !== undefined ||
    runId === undefined
  )
    return undefined;
  const {
    options: {
      world: { clock },
    },
    models: asker,
    requeue,
  } = context.dependencies;
  const { detected, ...observed } = await findModels(job, context);
  const now = clock.now().getTime();
  const until = modelsUntil(job, status);
  const names = modelsToQuery(job, observed);
  const answers = asker.answers(job.uid, runId);
  const result = checkModels(job, status, { ...observed, responses: answers }, now);
  if (result !== undefined) {
    asker.forget(job.uid);
    context.metrics.modelsChecked(job.namespace, result, detected, (now - (modelsSince(status) ?? now)) / 1000);
    await storeStatus(job, { ...status, modelValidationResult: result }, context);
    return 'again';
  }
  if (names.length > 0) {
    const requests = new Map(
      names.map((name) => [name, requestTo(job, name, observed.models.get(name) ?? job.object)] as const),
    );
    asker.query(job.uid, runId, { namespace: job.namespace, requests, until }, () => {
      requeue(key, 0);
    });
  }
  return Math.min(until, now + REQUEUE_DELAY);
}

async function findModels(
  job: NotebookJob,
  {
    dependencies: {
      options: {
        cluster,
        world: { clock },
      },
      kinds,
    },
  }: JobContext,
): Promise<Omit<ModelFacts, 'responses'> & { readonly detected: number }> {
  const { group, version, kind } = modelKind(job);
  const started = clock.steady();
  const served = await kinds.find(group, version, kind);
  const detected = (clock.steady() - started) / 1000;
  const models = new Map<string, KubeObject | undefined>();
  if (served !== undefined)
    for (const name of modelNames(job)) models.set(name, await cluster.get(served, { namespace: job.namespace, name }));
  return { isServed: served !== undefined, models, detected };
}
