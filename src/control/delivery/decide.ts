import { readOperation, type Application } from '../../model/argo/index.js';
import {
  AUTO_SYNC_SETTINGS,
  checkDependencies,
  decideAutoSync,
  evaluateSyncWindows,
  type FieldConflict,
} from '../../plan/index.js';
import type { ComparedState, Condition } from '../comparison/index.js';
import { compareFailureCause } from './failure-cause.js';
import { parseReadableParts } from './readable-application.js';
import type { ReconcileContext } from './reconcile-context.js';
import { revisionsOf } from './render-targets.js';
import type { ComparedApplication, DecidedApplication, Decision, SubResult } from './sub-reconciler.js';
import { syncStatusOf } from './sync-status.js';

/** Whether an operation is started, continued or left alone. */
export function decide(compared: ComparedApplication): SubResult<DecidedApplication> {
  const { operationRequest: request } = compared;
  switch (request.kind) {
    case 'read-only':
      return { kind: 'next', values: { ...compared, decision: { kind: 'nothing', conditions: [] } } };
    case 'resume':
      return { kind: 'next', values: { ...compared, decision: { kind: 'resume', next: request.next } } };
    case 'start': {
      const { operation, sources } = request;
      return {
        kind: 'next',
        values: { ...compared, decision: { kind: 'start', operation, sources, conditions: [] } },
      };
    }
    case 'none': {
      const failure = compared.context.controlPlane.settings.improvements.retryFailedRevision
        ? compareFailureCause(compared, compared.cache.values.failureCause)
        : undefined;
      return {
        kind: 'next',
        values: { ...compared, decision: autoSync(compared, failure?.isChanged === true) },
        ...(failure === undefined ? {} : { cache: { failureCause: failure.known } }),
      };
    }
    default:
      return request satisfies never;
  }
}

/** Whether the application syncs by itself now. */
function autoSync(compared: ComparedApplication, isCauseChanged: boolean): Decision {
  const { application, project, context, head, headState } = compared;
  const { settings } = context.controlPlane;
  const now = context.clock.now();
  const { nextChange, isAllowed, problem } = evaluateSyncWindows(project.syncWindows, application, {
    now,
    isManual: false,
  });
  const decision = decideAutoSync({
    application,
    syncStatus: syncStatusOf(headState, application),
    revisions: revisionsOf(head),
    mayHaveChanges: true,
    resources: headState.resources.map(({ key, status, requiresPruning }) => ({
      ...key,
      requiresPruning,
      ...(status === '' ? {} : { status }),
    })),
    isWindowOpen: isAllowed,
    ...(nextChange === undefined ? {} : { windowChange: nextChange }),
    contests: contestsOf(headState),
    isCauseChanged,
    settings: {
      failedBackoff: AUTO_SYNC_SETTINGS.failedBackoff,
      changedBackoff: AUTO_SYNC_SETTINGS.changedBackoff,
      selfHealTimeout: settings.selfHeal.timeout,
      ...(settings.selfHeal.backoff === undefined ? {} : { selfHealBackoff: settings.selfHeal.backoff }),
    },
    improvements: settings.improvements,
    now,
  });
  const conditions: Condition[] = [
    ...(problem === undefined ? [] : [{ type: 'SyncError' as const, message: problem }]),
    ...(decision.condition === undefined ? [] : [decision.condition]),
  ];
  if (
    !isAllowed &&
    syncStatusOf(headState, application) === 'OutOfSync' &&
    application.syncPolicy.automated !== undefined
  )
    context.audit.refused(application.object, 'sync', 'automated sync prevented by sync window', {
      automated: true,
      revision: revisionsOf(head).join(','),
    });
  if (decision.kind === 'none')
    return {
      kind: 'nothing',
      conditions,
      ...(decision.askAgainAt === undefined ? {} : { requeueAt: decision.askAgainAt }),
    };
  const missing = dependencyCondition(application, context);
  if (missing !== undefined) return { kind: 'nothing', conditions: [...conditions, missing] };
  const operation = readOperation(decision.operation, 'operation');
  return { kind: 'start', operation, sources: application.sources, conditions };
}

function dependencyCondition(application: Application, { controlPlane }: ReconcileContext): Condition | undefined {
  const dependencies = checkDependencies(application, ({ namespace, name }) => {
    const object = controlPlane.application(namespace, name);
    return object === undefined ? undefined : parseReadableParts(object);
  });
  if (dependencies.kind === 'broken') return dependencies.condition;
  return dependencies.kind === 'waits' ? { type: 'DependencyWarning', message: dependencies.message } : undefined;
}

/** Fields that another manager changed. */
function contestsOf({ resources }: ComparedState): FieldConflict[] {
  return resources.flatMap(({ key, differences }) =>
    differences
      .filter(({ owner }) => owner !== '' && owner !== 'argosy')
      .map(({ pointer, owner }) => ({ key, pointer, manager: owner })),
  );
}
