import { confirm, maskSecrets } from '../../diff/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject } from '../../model/json/index.js';
import { keyOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import {
  admitApplication,
  type ReconcileContext,
  renderHead,
  requireRights,
  openReconciliation,
  type Reconciliation,
} from '../delivery/index.js';
import { ownedObjects, ownerOf, prepareTargets, trackingOf, type Target } from '../comparison/index.js';

/** What the server would make of one object, beside what it has; Secrets are masked. */
export interface PredictedDiff {
  readonly key: Key;
  /** Undefined where the application has no such object yet. */
  readonly live: KubeObject | undefined;
  readonly predicted: KubeObject;
  readonly isModified: boolean;
}

const CONCURRENCY = 8;

/**
 * What a server-side apply of these manifests would change, asked of the server itself without changing anything;
 * without manifests those that git has now. Only objects that carry the mark of the application are looked at: of any
 * other the answer would show what is in it. Whether something is a Secret is decided from what was parsed here and
 * what the server gave, never from what the request says about it.
 */
export async function serverSideDiff(
  object: KubeObject,
  manifests: readonly string[],
  context: ReconcileContext,
): Promise<PredictedDiff[]> {
  const admission = admitApplication(object, context);
  if (admission.kind === 'refused')
    throw new Fault('VALUE_INVALID', admission.conditions.map(({ message }) => message).join('; '), {
      where: `Application ${object.metadata.name ?? ''}`,
    });
  const reconciliation = await openReconciliation(admission.admitted, context);
  const targets =
    manifests.length === 0
      ? (await renderHead(reconciliation, {})).targets.targets
      : parseTargets(manifests, reconciliation);
  const found: PredictedDiff[] = [];
  for (let at = 0; at < targets.length; at += CONCURRENCY)
    found.push(
      ...(await Promise.all(
        targets.slice(at, at + CONCURRENCY).map((target) => predict(target, reconciliation, context)),
      )),
    );
  return found;
}

function parseTargets(manifests: readonly string[], { targetRules }: Reconciliation): readonly Target[] {
  const objects = manifests.map((text, index) => manifestOf(text, `targetManifests[${index}]`));
  const { targets, conditions } = prepareTargets(
    objects.map((object) => ({ object, origin: { file: '', line: 0 } })),
    targetRules,
  );
  const [problem] = conditions;
  if (problem !== undefined) throw new Fault('VALUE_INVALID', problem.message, { where: 'targetManifests' });
  return targets;
}

function manifestOf(text: string, where: string): KubeObject {
  const value = readOneYaml(text, { dialect: 'kubernetes', file: where });
  if (
    !isObject(value) ||
    typeof value.apiVersion !== 'string' ||
    typeof value.kind !== 'string' ||
    !isObject(value.metadata) ||
    typeof value.metadata.name !== 'string'
  ) {
    throw new Fault('VALUE_INVALID', 'a manifest needs apiVersion, kind and metadata.name', { where });
  }
  if (isArray(value.items))
    throw new Fault('VALUE_INVALID', 'lists are not supported: send the items one by one', { where });
  return value as KubeObject;
}

async function predict(
  { key, object: target }: Target,
  reconciliation: Reconciliation,
  context: ReconcileContext,
): Promise<PredictedDiff> {
  const { clusterCache, instance, rules, rights } = reconciliation;
  const kind = clusterCache.kindOf(target);
  if (kind === undefined)
    throw new Fault('KIND_UNKNOWN', `the cluster does not serve ${target.apiVersion} ${target.kind}`);
  const { settings } = context.controlPlane;
  const tracking = trackingOf(settings);
  const isOurs = ownedObjects({ ...reconciliation, tracking }).some((each) => keyText(keyOf(each)) === keyText(key));
  const live = isOurs
    ? await clusterCache.cluster.get(kind, { name: key.name, ...(kind.namespaced ? { namespace: key.namespace } : {}) })
    : undefined;
  const masks = { annotations: settings.sensitiveAnnotations };
  if (live === undefined || ownerOf(live, tracking) !== instance)
    return { key, live: undefined, predicted: maskSecrets([target], masks)[0] ?? target, isModified: true };
  const predicted = await requireRights(rights, 'error getting application cluster config').apply(kind, target, {
    dryRun: true,
    force: true,
    fieldValidation: 'Ignore',
    uid: live.metadata.uid ?? '',
  });
  const isModified = confirm(target, live, predicted, rules).length > 0;
  const [maskedLive, maskedPredicted] = maskSecrets([live, predicted], masks);
  return { key, live: maskedLive, predicted: maskedPredicted ?? predicted, isModified };
}
