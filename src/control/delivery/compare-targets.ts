import type { DiffRules } from '../../diff/index.js';
import { keyText } from '../../model/kubernetes/index.js';
import { findAnnotationErrors, findApplicationAnnotationErrors } from '../../plan/index.js';
import {
  compareResources,
  dependencyCycleConditions,
  trackingOf,
  type ComparedState,
  type Condition,
  type Targets,
} from '../comparison/index.js';
import { hookPermissionConditions, permissionTopics } from './hook-permissions.js';
import { orphanConditions } from './orphans.js';
import type { ReconcileContext } from './reconcile-context.js';
import type { CachedValues } from './reconcile-memory.js';
import type { Reconciliation } from './reconciliation.js';
import type { RenderedTargets } from './render-targets.js';

/**
 * Compares targets with the live objects, with every condition that a comparison gives. Pairs that are the same as
 * `before` are not compared again.
 */
export async function compareTargets(
  reconciliation: Reconciliation,
  { targets }: RenderedTargets,
  before: ComparedState | undefined,
): Promise<ComparedState> {
  const { application, instance, clusterCache, rights, rules, assess, findViolation, context } = reconciliation;
  const compared = await compareResources(
    targets.targets,
    {
      application,
      instance,
      clusterCache,
      tracking: trackingOf(context.controlPlane.settings),
      rules,
      comparer: context.comparer,
      ...(rights.kind === 'granted' ? { dryRunAs: rights } : {}),
      assess,
      findViolation,
    },
    before,
  );
  return {
    ...compared,
    conditions: [
      ...targets.conditions,
      ...compared.conditions,
      ...orphanConditions(reconciliation),
      ...ruleConditions(rules),
      ...annotationConditions(targets),
      ...findApplicationAnnotationErrors(application.object).map((message) => ({
        type: 'AnnotationWarning' as const,
        message,
      })),
      ...dependencyCycleConditions(application.object, context.controlPlane, context.controlNamespace),
      ...settingConditions(context),
      ...hookPermissionConditions(reconciliation, targets),
    ],
  };
}

/** What the next reconcile needs of a comparison with the head. */
export function cachedComparison(
  comparedState: ComparedState,
): Pick<CachedValues, 'comparedState' | 'resourceTopics' | 'permissionTopics'> {
  return {
    comparedState,
    resourceTopics: new Set(comparedState.resources.map(({ key }) => keyText(key))),
    permissionTopics: permissionTopics(comparedState.conditions),
  };
}

function annotationConditions({ targets }: Targets): Condition[] {
  return targets.flatMap(({ object, origin }) =>
    findAnnotationErrors(object).map((problem) => ({
      type: 'AnnotationWarning' as const,
      message: origin === '' ? problem : `${problem} (${origin})`,
    })),
  );
}

/** An invalid setting affects every application, so each of them reports it. */
function settingConditions({ controlPlane }: ReconcileContext): Condition[] {
  return controlPlane.problems.map((problem) => ({
    type: 'SettingsWarning',
    message: `invalid setting ignored: ${problem}`,
  }));
}

/** Invalid rules are ignored, and reported. */
function ruleConditions({ problems }: DiffRules): Condition[] {
  return problems.map(({ where, expression, message }) => ({
    type: 'IgnoreDifferencesWarning',
    message: `${where} is ignored: ${expression}: ${message}`,
  }));
}
