import { changeApplication as change, withTermination, withOperation } from '../../control/index.js';
import { Fault } from '../../model/faults/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AppSession } from '../session/index.js';
import { type ApplicationId, qualifiedName } from '../../model/argo/index.js';

/**
 * Reads, changes and writes an Application; somebody else's write in between starts it again from what they wrote. A
 * refusal names the application.
 */
export async function changeApplication(
  { cluster }: AppSession,
  id: ApplicationId,
  act: (application: KubeObject) => KubeObject | Promise<KubeObject>,
): Promise<KubeObject> {
  try {
    return await change(cluster, id, act);
  } catch (error) {
    if (!(error instanceof Fault) || error.where !== '') throw error;
    throw new Fault(error.code, error.message, {
      hint: error.hint,
      where: error.code === 'APPLICATION_UNKNOWN' ? cluster.server : qualifiedName(id),
      cause: error,
    });
  }
}

/** Asks the controller for an operation. The rules of who may are Argo CD's, and so are the words. */
export function startOperation(
  session: AppSession,
  id: ApplicationId,
  build: (application: KubeObject) => JsonObject | Promise<JsonObject>,
): Promise<KubeObject> {
  return changeApplication(session, id, async (application) => withOperation(application, await build(application)));
}

/** Who asks, as the operation tells it later. */
export function userOf({ host }: AppSession): string {
  return host.environment['USER'] ?? '';
}

/** `app terminate-op`. */
export async function terminate(session: AppSession, id: ApplicationId): Promise<string> {
  await changeApplication(session, id, withTermination);
  return `Application '${id.name}' operation terminating\n`;
}
