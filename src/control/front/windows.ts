import { parseApplication, type AppProject, type KubeObject, type SyncWindow } from '../../model/index.js';
import { windowsVerdict } from '../../plan/index.js';

export interface WindowsNow {
  readonly canSync: boolean;
  readonly active: readonly SyncWindow[];
  readonly assigned: readonly SyncWindow[];
}

/** What the sync windows of its project say about an application at this time. */
export function windowsNow(
  { syncWindows }: AppProject,
  application: KubeObject,
  now: number,
  isManual: boolean,
): WindowsNow {
  if (syncWindows.length === 0) return { canSync: true, active: [], assigned: [] };
  const { isAllowed, matching, active } = windowsVerdict(syncWindows, parseApplication(application), {
    now: new Date(now),
    isManual,
  });
  return { canSync: isAllowed, active, assigned: matching };
}
