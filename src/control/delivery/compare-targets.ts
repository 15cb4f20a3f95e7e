import type { DiffRules } from '../../diff/index.js';
import { keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import type { FillRule } from '../../model/settings/index.js';
import { findAnnotationErrors, findApplicationAnnotationErrors } from '../../plan/index.js';
import {
  compareResources,
  dependencyCycleConditions,
  trackingOf,
  type ComparedState,
  type Condition,
  type Targets,
} from '../comparison/index.js';
import { fillProblem } from '../credentials/index.js';
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
      ...annotationConditions(targets, context.controlPlane.settings.fillRules),
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

/** What annotations of targets ask for in vain. */
function annotationConditions({ targets }: Targets, fillRules: readonly FillRule[]): Condition[] {
  return targets.flatMap(({ object, key, origin }) =>
    [...findAnnotationErrors(object), ...fillProblems(object, key, fillRules)].map((problem) => ({
      type: 'AnnotationWarning' as const,
      message: origin === '' ? problem : `${problem} (${origin})`,
    })),
  );
}

/** The operator that fills Secrets reads none that no rule is about, so nobody else says that one stays empty. */
function fillProblems(object: KubeObject, { group, kind, namespace }: Key, rules: readonly FillRule[]): string[] {
  if (group !== '' || kind !== 'Secret') return [];
  const problem = fillProblem({ ...object, metadata: { ...object.metadata, namespace } }, rules);
  return problem === undefined ? [] : [`Secret ${object.metadata.name ?? ''} is not filled: ${problem}`];
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
