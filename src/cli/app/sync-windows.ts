import { PROJECTS, windowsNow } from '../../control/index.js';
import { parseAppProject, type KubeObject } from '../../model/index.js';
import { projectOf } from './application-object.js';
import { readable } from './live-objects.js';
import { NO_WINDOWS, type WindowSummary } from './print-application.js';
import type { AppSession } from './session.js';

/** What the sync windows of its project say about the application now. */
export async function readWindows(
  { cluster, controlNamespace, world }: AppSession,
  application: KubeObject,
): Promise<WindowSummary> {
  const found = await readable(() =>
    cluster.get(PROJECTS, { namespace: controlNamespace, name: projectOf(application) }),
  );
  if (found === undefined) return NO_WINDOWS;
  const project = parseAppProject(found);
  const { canSync, assigned } = windowsNow(project, application, world.now(), false);
  const mayByHand = canSync || windowsNow(project, application, world.now(), true).canSync;
  return {
    status: canSync ? 'Sync Allowed' : mayByHand ? 'Manual Allowed' : 'Sync Denied',
    assigned: assigned.map(({ kind, schedule, duration }) => `${kind}:${schedule}:${duration}`),
  };
}
