import { equal, isObject, type JsonObject } from '../../model/json/index.js';
import type { Application } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ClusterError } from '../../cluster/index.js';
import type { ReconcileContext } from './reconcile-context.js';
import { OutdatedError } from '../operation/index.js';
import { APPLICATIONS } from '../../model/resources/index.js';

/** What changes in an Application by one write. */
export interface ApplicationChange {
  /** A merge patch of the status. */
  readonly status?: JsonObject;
  /** Null takes the request away. */
  readonly operation?: JsonObject | null;
  /**
   * Annotations that have done their work; where one of them says something else by now, all stay for the next pass.
   */
  readonly annotations?: Readonly<Record<string, null>>;
  readonly finalizers?: readonly string[];
}

const MAX_ATTEMPTS = 4;

/**
 * The one way to write an Application. A write holds for the version that was read; where somebody wrote meanwhile it
 * is made again, as long as nobody else touched the operation, and else the pass has to start over.
 */
export async function writeApplication(
  application: Pick<Application, 'object' | 'namespace' | 'name' | 'uid'>,
  change: ApplicationChange,
  { cluster, controlPlane, isReadOnly }: Pick<ReconcileContext, 'cluster' | 'controlPlane' | 'isReadOnly'>,
): Promise<KubeObject> {
  const { namespace, name, uid } = application;
  let current = controlPlane.application(namespace, name) ?? application.object;
  for (let attempt = 0; ; attempt++) {
    if (isReadOnly()) throw new OutdatedError('this process does not lead any more');
    if (current.metadata.uid !== uid || !isSameOperation(current, application.object))
      throw new OutdatedError(`${namespace}/${name} was changed by somebody else`);
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
      if (error.isNotFound) throw new OutdatedError(`${namespace}/${name} is gone`, { cause: error });
      if (!error.isConflict || attempt + 1 >= MAX_ATTEMPTS) throw error;
      const read = await cluster.get(APPLICATIONS, { namespace, name });
      if (read === undefined) throw new OutdatedError(`${namespace}/${name} is gone`, { cause: error });
      controlPlane.recordWrite(read);
      current = read;
    }
  }
}

/** The change as a patch of the newest version; `seen` is the one that it was decided on. */
export function applicationPatch(
  { status, operation, annotations, finalizers }: ApplicationChange,
  current: KubeObject,
  seen: KubeObject,
): JsonObject {
  const isAnswered =
    annotations !== undefined &&
    Object.keys(annotations).every(
      (name) => current.metadata.annotations?.[name] === seen.metadata.annotations?.[name],
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

/** Whoever else writes an operation has taken it over, or asked for its end. */
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
