import { readOperation, type Application, type Operation } from '../../model/index.js';
import {
  AUTO_SYNC_SETTINGS,
  decideAutoSync,
  dependencyVerdict,
  windowsVerdict,
  type Contest,
} from '../../plan/index.js';
import { isCauseChanged } from './cause.js';
import type { Condition } from './condition.js';
import type { Desk } from './desk.js';
import type { Observation } from './observe.js';
import type { Pass } from './pass.js';
import type { Made } from './record.js';
import { asFarAsReadable, statusOf } from './tell.js';

/** What the application does by itself now, and what there is to say about it. */
export interface Decision {
  readonly operation?: Operation;
  readonly conditions: readonly Condition[];
  readonly askAgainAt?: Date;
}

/** Whether the application syncs by itself now. */
export function decide(pass: Pass, { made }: Made, seen: Observation): Decision {
  const { application, project, desk } = pass;
  const { settings } = desk.home;
  const { nextChange, isAllowed, problem } = windowsVerdict(project.syncWindows, application, {
    now: desk.clock.now(),
    isManual: false,
  });
  const verdict = decideAutoSync({
    application,
    syncStatus: statusOf(seen, application),
    revisions: made.sources.map(({ revision }) => revision),
    mayHaveChanges: true,
    resources: seen.resources.map(({ key, status, requiresPruning }) => ({
      ...key,
      requiresPruning,
      ...(status === '' ? {} : { status }),
    })),
    isWindowOpen: isAllowed,
    ...(nextChange === undefined ? {} : { windowChange: nextChange }),
    contests: contestsOf(seen),
    isCauseChanged: settings.improvements.retryFailedRevision && isCauseChanged(pass),
    settings: {
      failedBackoff: AUTO_SYNC_SETTINGS.failedBackoff,
      changedBackoff: AUTO_SYNC_SETTINGS.changedBackoff,
      selfHealTimeout: settings.selfHeal.timeout,
      ...(settings.selfHeal.backoff === undefined ? {} : { selfHealBackoff: settings.selfHeal.backoff }),
    },
    improvements: settings.improvements,
    now: desk.clock.now(),
  });
  const conditions: Condition[] = [
    ...(problem === undefined ? [] : [{ type: 'SyncError' as const, message: problem }]),
    ...(verdict.condition === undefined ? [] : [verdict.condition]),
  ];
  if (verdict.kind === 'none')
    return { conditions, ...(verdict.askAgainAt === undefined ? {} : { askAgainAt: verdict.askAgainAt }) };
  const dependencies = dependencyVerdict(application, ({ namespace, name }) => findApplication(desk, namespace, name));
  if (dependencies.kind === 'broken') return { conditions: [...conditions, dependencies.condition] };
  if (dependencies.kind === 'waits')
    return { conditions: [...conditions, { type: 'DependencyWarning', message: dependencies.message }] };
  return { operation: readOperation(verdict.operation, 'operation'), conditions };
}

function findApplication({ home }: Desk, namespace: string, name: string): Application | undefined {
  const object = home.application(namespace, name);
  return object === undefined ? undefined : asFarAsReadable(object);
}

/** Fields that somebody else changed, by whoever owns them now. */
function contestsOf({ resources }: Observation): Contest[] {
  return resources.flatMap(({ key, differences }) =>
    differences
      .filter(({ owner }) => owner !== '' && owner !== 'argosy')
      .map(({ pointer, owner }) => ({ key, pointer, manager: owner })),
  );
}
