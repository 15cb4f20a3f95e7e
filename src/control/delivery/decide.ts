import { readOperation, type Application, type Operation } from '../../model/argo/index.js';
import {
  AUTO_SYNC_SETTINGS,
  decideAutoSync,
  checkDependencies,
  evaluateSyncWindows,
  type FieldConflict,
} from '../../plan/index.js';
import { isCauseChanged } from './failure-cause.js';
import type { Condition, ComparedState } from '../comparison/index.js';
import type { ReconcileContext } from './reconcile-context.js';
import type { Reconciliation } from './reconciliation.js';
import type { RenderedTargets } from './reconcile-state.js';
import { parseReadableParts, syncStatusOf } from './write-status.js';

/** What the application does by itself now, and what there is to say about it. */
export interface Decision {
  readonly operation?: Operation;
  readonly conditions: readonly Condition[];
  readonly requeueAt?: Date;
}

/** Whether the application syncs by itself now. */
export function decide(pass: Reconciliation, { rendered }: RenderedTargets, seen: ComparedState): Decision {
  const { application, project, context } = pass;
  const { settings } = context.controlPlane;
  const { nextChange, isAllowed, problem } = evaluateSyncWindows(project.syncWindows, application, {
    now: context.clock.now(),
    isManual: false,
  });
  const verdict = decideAutoSync({
    application,
    syncStatus: syncStatusOf(seen, application),
    revisions: rendered.sources.map(({ revision }) => revision),
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
    now: context.clock.now(),
  });
  const conditions: Condition[] = [
    ...(problem === undefined ? [] : [{ type: 'SyncError' as const, message: problem }]),
    ...(verdict.condition === undefined ? [] : [verdict.condition]),
  ];
  if (verdict.kind === 'none')
    return { conditions, ...(verdict.askAgainAt === undefined ? {} : { requeueAt: verdict.askAgainAt }) };
  const dependencies = checkDependencies(application, ({ namespace, name }) =>
    findApplication(context, namespace, name),
  );
  if (dependencies.kind === 'broken') return { conditions: [...conditions, dependencies.condition] };
  if (dependencies.kind === 'waits')
    return { conditions: [...conditions, { type: 'DependencyWarning', message: dependencies.message }] };
  return { operation: readOperation(verdict.operation, 'operation'), conditions };
}

function findApplication({ controlPlane }: ReconcileContext, namespace: string, name: string): Application | undefined {
  const object = controlPlane.application(namespace, name);
  return object === undefined ? undefined : parseReadableParts(object);
}

/** Fields that somebody else changed, by whoever owns them now. */
function contestsOf({ resources }: ComparedState): FieldConflict[] {
  return resources.flatMap(({ key, differences }) =>
    differences
      .filter(({ owner }) => owner !== '' && owner !== 'argosy')
      .map(({ pointer, owner }) => ({ key, pointer, manager: owner })),
  );
}
