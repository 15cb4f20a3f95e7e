import { syncWindowState } from '../../control/index.js';
import { parseAppProject, projectOf } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AppSession } from '../session/index.js';
import { readIfPermitted } from './live-objects.js';
import { NO_WINDOWS, type WindowSummary } from './print-application.js';
import { APP_PROJECTS } from '../../model/resources/index.js';

/** What the sync windows of its project say about the application now. */
export async function readWindows(
  { cluster, controlNamespace, host }: AppSession,
  application: KubeObject,
): Promise<WindowSummary> {
  const found = await readIfPermitted(() =>
    cluster.get(APP_PROJECTS, { namespace: controlNamespace, name: projectOf(application) }),
  );
  if (found === undefined) return NO_WINDOWS;
  const project = parseAppProject(found);
  const { canSync, assigned } = syncWindowState(project, application, host.now(), false);
  const canSyncManually = (): boolean => syncWindowState(project, application, host.now(), true).canSync;
  const blocked = (): string => (canSyncManually() ? 'Manual Allowed' : 'Sync Denied');
  return {
    status: canSync ? 'Sync Allowed' : blocked(),
    assigned: assigned.map(({ kind, schedule, duration }) => `${kind}:${schedule}:${duration}`),
  };
}
