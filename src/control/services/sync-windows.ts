import { parseApplication, type AppProject, type SyncWindow } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { evaluateSyncWindows } from '../../plan/index.js';

export interface SyncWindowState {
  readonly canSync: boolean;
  readonly active: readonly SyncWindow[];
  readonly assigned: readonly SyncWindow[];
}

/** What the sync windows of its project say about an application at this time. */
export function syncWindowState(
  { syncWindows }: AppProject,
  application: KubeObject,
  now: number,
  isManual: boolean,
): SyncWindowState {
  if (syncWindows.length === 0) return { canSync: true, active: [], assigned: [] };
  const { isAllowed, matching, active } = evaluateSyncWindows(syncWindows, parseApplication(application), {
    now: new Date(now),
    isManual,
  });
  return { canSync: isAllowed, active, assigned: matching };
}
