import { equal, isObject, type JsonObject } from '../../model/json/index.js';
import type { Application } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ClusterError } from '../../cluster/index.js';
import type { ReconcileContext } from './reconcile-context.js';
import { OutdatedError } from '../operation/index.js';
import { APPLICATIONS } from '../../model/resources/index.js';

/** One write to an Application. */
export interface ApplicationChange {
  /** A merge patch of the status. */
  readonly status?: JsonObject;
  /** Null removes the request. */
  readonly operation?: JsonObject | null;
  /** Annotations to remove; if one of them has changed meanwhile, all stay for the next reconcile. */
  readonly annotations?: Readonly<Record<string, null>>;
  readonly finalizers?: readonly string[];
}

const MAX_ATTEMPTS = 4;

/**
 * The only way to write an Application. Writes are conditional on the resourceVersion. After a conflict a write is
 * retried, unless someone else has changed the operation: that is an OutdatedError, and the reconcile starts over.
 */
export async function writeApplication(
  application: Pick<Application, 'object' | 'namespace' | 'name' | 'uid'>,
  change: ApplicationChange,
  { cluster, controlPlane, isReadOnly }: Pick<ReconcileContext, 'cluster' | 'controlPlane' | 'isReadOnly'>,
): Promise<KubeObject> {
  const { namespace, name, uid } = application;
  let current = controlPlane.application(namespace, name) ?? application.object;
  for (let attempt = 0; ; attempt++) {
    if (isReadOnly()) throw new OutdatedError('this process is no longer the leader');
    if (current.metadata.uid !== uid || !isSameOperation(current, application.object))
      throw new OutdatedError(`${namespace}/${name} was changed by another client`);
    try {
      const written = await cluster.patch(
        APPLICATIONS,
        { namespace, name },
        { type: 'merge', body: applicationPatch(change, current, application.object) },
      );
      controlPlane.recordWrite(written);
      return written;
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (error.isNotFound) throw new OutdatedError(`${namespace}/${name} no longer exists`, { cause: error });
      if (!error.isConflict || attempt + 1 >= MAX_ATTEMPTS) throw error;
      const read = await cluster.get(APPLICATIONS, { namespace, name });
      if (read === undefined) throw new OutdatedError(`${namespace}/${name} no longer exists`, { cause: error });
      controlPlane.recordWrite(read);
      current = read;
    }
  }
}

/** The change as a patch of the current version; `read` is the one that it was decided on. */
export function applicationPatch(
  { status, operation, annotations, finalizers }: ApplicationChange,
  current: KubeObject,
  read: KubeObject,
): JsonObject {
  const isAnswered =
    annotations !== undefined &&
    Object.keys(annotations).every(
      (name) => current.metadata.annotations?.[name] === read.metadata.annotations?.[name],
    );
  return {
    metadata: {
      resourceVersion: current.metadata.resourceVersion ?? '',
      ...(isAnswered ? { annotations: { ...annotations } } : {}),
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
    },
    ...(operation === undefined ? {} : { operation }),
    ...(status === undefined ? {} : { status }),
  };
}

/** Another writer of the operation has taken it over, or requested its end. */
function isSameOperation(a: KubeObject, b: KubeObject): boolean {
  const stateOf = ({ status }: KubeObject): JsonObject =>
    isObject(status) && isObject(status.operationState) ? status.operationState : {};
  const [x, y] = [stateOf(a), stateOf(b)];
  return (
    x.phase === y.phase &&
    x.startedAt === y.startedAt &&
    x.retryCount === y.retryCount &&
    equal(a.operation ?? null, b.operation ?? null)
  );
}
