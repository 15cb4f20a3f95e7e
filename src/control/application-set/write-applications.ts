import { ClusterError, type Cluster } from '../../cluster/index.js';
import { isObject, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { EventRecorder } from '../telemetry/index.js';
import { OutdatedError } from '../operation/index.js';
import type { ControlServices } from '../services/index.js';
import { RESOURCES_FINALIZER } from '../generators/index.js';
import { withoutCascade, type SetPlan } from './plan-applications.js';
import { policyOf } from './policy.js';
import { APPLICATIONS, APPLICATION_SETS } from '../../model/resources/index.js';

export interface WriteContext {
  readonly cluster: Cluster;
  readonly services: ControlServices;
  readonly events: EventRecorder;
  /** Whether this process leads and delivers: nothing is written by another. */
  readonly mayWrite: () => boolean;
}

/** Why a plan could not be carried out; `reason` is that of Argo CD's condition. */
export interface WriteFailure {
  readonly reason: string;
  readonly message: string;
}

/** Writes what a plan says, and stops where the server refuses something: nothing is deleted then. */
export async function applyPlan(
  set: KubeObject,
  plan: SetPlan,
  context: WriteContext & { readonly isCurrent: () => boolean },
): Promise<WriteFailure | undefined> {
  for (const { reason, application, act } of writesOf(set, plan, context)) {
    if (!context.mayWrite()) throw new OutdatedError('this process is no longer the leader');
    // Whoever changes a set may do it to keep what the plan would delete.
    if (!context.isCurrent()) throw new OutdatedError('the ApplicationSet changed in the meantime');
    try {
      await act();
    } catch (error) {
      if (
        !(error instanceof ClusterError) ||
        error.retry ||
        (isConflictError(error) && !(error.isNotFound && reason === 'CreateApplicationError'))
      )
        throw error;
      return { reason, message: `Application ${application.metadata.name ?? ''}: ${error.message}` };
    }
  }
  return undefined;
}

interface PlannedWrite {
  readonly reason: string;
  readonly application: KubeObject;
  act(): Promise<void>;
}

function writesOf(
  set: KubeObject,
  { create, update, remove }: SetPlan,
  { cluster, services, events }: WriteContext,
): PlannedWrite[] {
  const record = (act: 'created' | 'updated', application: KubeObject): void => {
    services.applications.recordWrite(application);
    events.record(set, act, `${act} Application "${application.metadata.name ?? ''}"`);
  };
  return [
    ...create.map(
      (application): PlannedWrite => ({
        reason: 'CreateApplicationError',
        application,
        act: async () => {
          record('created', await cluster.create(APPLICATIONS, application));
        },
      }),
    ),
    ...update.map(
      ({ live, patch }): PlannedWrite => ({
        reason: 'UpdateApplicationError',
        application: live,
        act: async () => {
          const written = await patchApplication(live, patch, cluster);
          // A server that does not know a field keeps nothing of it: nothing happened then.
          if (written.metadata.resourceVersion !== live.metadata.resourceVersion) record('updated', written);
        },
      }),
    ),
    ...remove.map(
      ({ live, keepsObjects }): PlannedWrite => ({
        reason: 'DeleteApplicationError',
        application: live,
        act: async () => {
          const finalizers = keepsObjects ? withoutCascade(live) : undefined;
          const {
            metadata: { namespace = '', name = '', uid = '', resourceVersion = '' },
          } = finalizers === undefined ? live : await patchApplication(live, { metadata: { finalizers } }, cluster);
          await cluster.remove(APPLICATIONS, { namespace, name }, { uid, resourceVersion, propagation: 'Background' });
          events.record(set, 'Deleted', `Deleted Application "${name}"`);
        },
      }),
    ),
  ];
}

/** It holds for the version that was looked at. */
function patchApplication(live: KubeObject, patch: JsonObject, cluster: Cluster): Promise<KubeObject> {
  const { namespace = '', name = '', resourceVersion = '', uid = '' } = live.metadata;
  return cluster.patch(
    APPLICATIONS,
    { namespace, name },
    {
      type: 'merge',
      body: { ...patch, metadata: { ...(isObject(patch.metadata) ? patch.metadata : {}), resourceVersion, uid } },
    },
  );
}

/**
 * A set that is deleted and waits for us: Applications that shall stay lose their owner, and what they delivered stays
 * where the set says so.
 */
export async function releaseApplications(
  set: KubeObject,
  owned: readonly KubeObject[],
  { cluster, services }: WriteContext,
): Promise<void> {
  const { finalizers = [], resourceVersion = '', name = '', namespace = '' } = set.metadata;
  if (!finalizers.includes(RESOURCES_FINALIZER)) return;
  const { mayDelete, preservesResources } = policyOf(set, services.settings.current.applicationSets);
  for (const live of owned) {
    const left = preservesResources ? withoutCascade(live) : undefined;
    const owners = mayDelete
      ? undefined
      : (live.metadata.ownerReferences ?? [])
          .filter(({ uid }) => uid !== set.metadata.uid)
          .map((owner) => ({ ...owner }));
    if (left !== undefined || owners !== undefined)
      services.applications.recordWrite(
        await patchApplication(
          live,
          {
            metadata: {
              ...(left === undefined ? {} : { finalizers: left }),
              ...(owners === undefined ? {} : { ownerReferences: owners }),
            },
          },
          cluster,
        ),
      );
  }
  await cluster.patch(
    APPLICATION_SETS,
    { namespace, name },
    {
      type: 'merge',
      body: { metadata: { resourceVersion, finalizers: finalizers.filter((each) => each !== RESOURCES_FINALIZER) } },
    },
  );
}

/** Somebody else wrote it, made it or deleted it meanwhile. */
export function isConflictError(error: unknown): boolean {
  return (
    error instanceof OutdatedError ||
    (error instanceof ClusterError && (error.isConflict || error.isAlreadyExists || error.isNotFound))
  );
}
