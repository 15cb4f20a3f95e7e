import { parseApplication, parseAppProject, type KubeObject } from '../../model/index.js';
import { windowsVerdict } from '../../plan/index.js';
import { projectOf } from './application-object.js';
import { readable } from './live-objects.js';
import { NO_WINDOWS, type WindowSummary } from './print-application.js';
import type { AppSession } from './session.js';

const PROJECTS = { group: 'argoproj.io', version: 'v1alpha1', kind: 'AppProject', plural: 'appprojects', namespaced: true };

/** What the sync windows of its project say about the application now. */
export async function readWindows({ cluster, controlNamespace, world }: AppSession, application: KubeObject): Promise<WindowSummary> {
  const project = await readable(() => cluster.get(PROJECTS, { namespace: controlNamespace, name: projectOf(application) }));
  const windows = project === undefined ? [] : parseAppProject(project).syncWindows;
  if (windows.length === 0) return NO_WINDOWS;
  const parsed = parseApplication(application);
  const now = new Date(world.now());
  const { isAllowed, matching } = windowsVerdict(windows, parsed, { now, isManual: false });
  const assigned = matching.map(({ kind, schedule, duration }) => `${kind}:${schedule}:${duration}`);
  if (isAllowed) return { status: 'Sync Allowed', assigned };
  return { status: windowsVerdict(windows, parsed, { now, isManual: true }).isAllowed ? 'Manual Allowed' : 'Sync Denied', assigned };
}
