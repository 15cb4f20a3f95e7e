import type { KubeObject } from '../../model/kubernetes/index.js';
import { ClusterError } from '../../cluster/index.js';
import { ownedBy, runnerName, type JobAction, type NotebookJob } from '../../notebook/index.js';
import type { JobContext } from './job-context.js';
import {
  BUILDS,
  BUILD_CONFIGS,
  CONFIG_MAPS,
  IMAGE_STREAMS,
  PODS,
  type ResourceRef,
} from '../../model/resources/index.js';

/** Performs a step; returns whether the next one can be planned at once. */
export async function runActions(
  key: string,
  job: NotebookJob,
  actions: readonly JobAction[],
  context: JobContext,
): Promise<boolean> {
  const { cluster } = context.dependencies.options;
  let hasChanged = false;
  for (const action of actions) {
    switch (action.kind) {
      case 'create-pod':
        hasChanged = (await createPod(job, action.pod, context)) || hasChanged;
        context.releaseSlot(key);
        break;
      case 'delete-pod':
        context.stopReading([action.pod]);
        await cluster.remove(
          PODS,
          { namespace: job.namespace, name: action.pod.metadata.name ?? '' },
          { uid: action.pod.metadata.uid ?? '' },
        );
        break;
      case 'create-build':
        for (const object of action.objects)
          await createOnce(object.kind === 'BuildConfig' ? BUILD_CONFIGS : IMAGE_STREAMS, object, context);
        break;
      case 'cancel-build':
        await cancelBuild(action.build, context);
        break;
      default:
        return action satisfies never;
    }
  }
  return hasChanged;
}

/** A pod of that name is ours, even if another process created it: the name identifies the attempt. */
async function createPod(job: NotebookJob, pod: KubeObject, context: JobContext): Promise<boolean> {
  const { pods } = context.dependencies;
  try {
    await ensureRunner(job, context);
    pods.recordWrite(await createOnce(PODS, pod, context));
    const had = context.podRejection(job.uid) !== undefined;
    context.setPodRejection(job.uid, undefined);
    context.metrics.podCreated(job.namespace, true);
    return had || pods.get(job.namespace, pod.metadata.name ?? '') !== undefined;
  } catch (error) {
    if (!(error instanceof ClusterError) || error.retry) throw error;
    context.metrics.podCreated(job.namespace, false);
    const before = context.podRejection(job.uid);
    context.setPodRejection(job.uid, { message: error.message, isFinal: error.status === 422 || error.status === 400 });
    return before?.message !== error.message;
  }
}

async function createOnce(kind: ResourceRef, object: KubeObject, context: JobContext): Promise<KubeObject> {
  const { cluster } = context.dependencies.options;
  try {
    return await cluster.create(kind, object);
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.isAlreadyExists) throw error;
    const { namespace, name = '' } = object.metadata;
    const found = await cluster.get(kind, { namespace, name });
    const owner = object.metadata.ownerReferences?.[0]?.uid;
    if (found === undefined || found.metadata.ownerReferences?.some(({ uid }) => uid === owner) === true)
      return found ?? object;
    throw new ClusterError(
      {
        status: 422,
        reason: 'Invalid',
        message: `${kind.kind} ${namespace ?? ''}/${name} already exists and belongs to another owner`,
        causes: [],
        retryAfterSeconds: undefined,
      },
      'create',
    );
  }
}

/** The runner's ConfigMap is created and deleted with the job; its name has the version. */
async function ensureRunner(job: NotebookJob, context: JobContext): Promise<void> {
  if (context.hasRunner(job)) return;
  const name = runnerName(job, context.runnerVersion);
  await createOnce(
    CONFIG_MAPS,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: job.namespace, name, ownerReferences: ownedBy(job) },
      immutable: true,
      data: Object.fromEntries(context.dependencies.options.runner),
    },
    context,
  );
  context.recordRunner(job);
}

async function cancelBuild({ metadata: { namespace, name = '' } }: KubeObject, context: JobContext): Promise<void> {
  const { cluster } = context.dependencies.options;
  const body = { status: { cancelled: true } };
  try {
    await cluster.patch(BUILDS, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.isNotFound) throw error;
    // OpenShift's own Build has its status with the object.
    if ((await cluster.get(BUILDS, { namespace, name })) !== undefined)
      await cluster.patch(BUILDS, { namespace, name }, { type: 'merge', body });
  }
}
