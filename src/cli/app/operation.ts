import { ClusterError } from '../../cluster/index.js';
import { Fault, type JsonObject, type KubeObject } from '../../model/index.js';
import { APPLICATIONS, findApplication, isAutomated, objectAt, qualifiedName, textAt, type ApplicationId } from './application-object.js';
import type { AppSession } from './session.js';

const MOST_CONFLICTS = 20;

/** Reads, changes and writes an Application; somebody else's write in between starts it again from what they wrote. */
export async function changeApplication(session: AppSession, id: ApplicationId, change: (application: KubeObject) => KubeObject | Promise<KubeObject>): Promise<KubeObject> {
  for (let attempt = 1; ; attempt++) {
    const changed = await change(await findApplication(session, id));
    try {
      return await session.cluster.update(APPLICATIONS, changed);
    } catch (error) {
      if (!(error instanceof ClusterError) || !error.isConflict || attempt === MOST_CONFLICTS) throw error;
    }
  }
}

/** Asks the controller for an operation. The rules of who may are Argo CD's, and so are the words. */
export function startOperation(session: AppSession, id: ApplicationId, build: (application: KubeObject) => JsonObject | Promise<JsonObject>): Promise<KubeObject> {
  return changeApplication(session, id, async (application) => {
    if (application.metadata.deletionTimestamp !== undefined) throw refused('application is deleting', id);
    const operation = await build(application);
    if (objectAt(application, 'operation') !== undefined) throw refused('another operation is already in progress', id);
    const { operationState: _, ...status } = objectAt(application, 'status') ?? {};
    return { ...application, operation, ...(Object.keys(status).length === 0 ? {} : { status }) };
  });
}

export function refused(message: string, id: ApplicationId): Fault {
  return new Fault('OPERATION_REFUSED', message, { where: qualifiedName(id) });
}

/** Another revision than the one that syncs by itself would not stay. */
export function refuseOtherRevision(application: KubeObject, id: ApplicationId, asked: { readonly revision: string; readonly source: JsonObject; readonly isOneOfMany: boolean }): void {
  const target = textAt(asked.source, 'targetRevision');
  if (asked.revision === '' || asked.revision === (target || 'HEAD') || !isAutomated(application)) return;
  const which = asked.isOneOfMany ? `source ${textAt(asked.source, 'repoURL')} ` : '';
  throw refused(`Cannot sync ${which}to ${asked.revision}: auto-sync currently set to ${target}`, id);
}

/** Who asks, as the operation tells it later. */
export function initiator({ world }: AppSession): JsonObject {
  const user = world.environment['USER'] ?? '';
  return user === '' ? {} : { initiatedBy: { username: user } };
}

/** `app terminate-op`. */
export async function terminate(session: AppSession, id: ApplicationId): Promise<string> {
  await changeApplication(session, id, (application) => {
    const state = objectAt(application, 'status', 'operationState');
    if (state === undefined || objectAt(application, 'operation') === undefined) throw refused('Unable to terminate operation. No operation is in progress', id);
    return { ...application, status: { ...objectAt(application, 'status'), operationState: { ...state, phase: 'Terminating' } } };
  });
  return `Application '${id.name}' operation terminating\n`;
}
