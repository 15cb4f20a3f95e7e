import { isArray, isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { writeYaml } from '../../../model/yaml/index.js';
import { isConditionOutdated, type KubeObject } from '../../../model/kubernetes/index.js';
import type { Finding } from '../finding.js';
import { keyPlace, sourceName, textEntries, type SettingsSource } from './settings-source.js';

const PREFIX = 'resource.customizations';

/** The health checks that an ArgoCD object asks for, by the key its operator writes. */
export function checksOf(
  argocd: KubeObject,
): Map<string, { group: string; kind: string; check: string; index: number }> {
  const spec = isObject(argocd.spec) ? argocd.spec : {};
  const list = isArray(spec.resourceHealthChecks) ? spec.resourceHealthChecks : [];
  const checks = new Map<string, { group: string; kind: string; check: string; index: number }>();
  list.forEach((item, index) => {
    if (!isObject(item)) return;
    const [group, kind, check] = [item.group, item.kind, item.check].map((value) =>
      typeof value === 'string' ? value : '',
    );
    checks.set(healthKey(group ?? '', kind ?? ''), { group: group ?? '', kind: kind ?? '', check: check ?? '', index });
  });
  return checks;
}

function healthKey(group: string, kind: string): string {
  return `${PREFIX}.health.${group === '' ? kind : `${group}_${kind}`}`;
}

/** Other entries of argocd-cm that an ArgoCD object keeps. */
function extraEntries(argocd: KubeObject): JsonObject {
  const spec = isObject(argocd.spec) ? argocd.spec : {};
  const old = typeof spec.resourceCustomizations === 'string' ? { [PREFIX]: spec.resourceCustomizations } : {};
  return { ...old, ...(isObject(spec.extraConfig) ? spec.extraConfig : {}) };
}

/** Reports customisations that the operator will take back, and those it has not delivered. */
export function checkOperator(configMap: SettingsSource, argocds: readonly SettingsSource[]): Finding[] {
  const owner = ownerOf(configMap, argocds);
  if (owner === undefined) return [];
  const data = isObject(configMap.object.data) ? configMap.object.data : {};
  if (owner.source === undefined) return customised(data).map(([key]) => unseenOwner(configMap, key, owner.name));
  const argocd = owner.source.object;
  const checks = checksOf(argocd);
  const extra = extraEntries(argocd);
  // What the ConfigMap has is then from before, and written by nobody's hand.
  const isOld = isConditionOutdated(argocd, 'Reconciled');
  const reverted = customised(data).flatMap(([key, value]): Finding[] => {
    const wanted = checks.get(key)?.check ?? own(extra, key);
    if (isOld || (typeof wanted === 'string' && isSameText(wanted, value))) return [];
    return [revert(configMap, argocd, { key, value, isThere: typeof wanted === 'string' })];
  });
  const source = owner.source;
  const undelivered = [...checks]
    .filter(([key, { check }]) => {
      const found = own(data, key);
      return found === undefined || (isOld && (typeof found !== 'string' || !isSameText(found, check)));
    })
    .map(([key, { index }]) => missing(source, configMap, key, index));
  return [...reverted, ...undelivered];
}

function customised(data: JsonObject): [string, string][] {
  return textEntries(data).filter(
    ([key]) => key === PREFIX || /^resource\.customizations\.(health|useOpenLibs|actions)\./.test(key),
  );
}

function isSameText(a: string, b: string): boolean {
  return a.trim() === b.trim();
}

/** The ArgoCD object behind a ConfigMap: by owner reference, else by the label that the operator sets. */
function ownerOf(
  { object }: SettingsSource,
  argocds: readonly SettingsSource[],
): { name: string; source: SettingsSource | undefined } | undefined {
  const { ownerReferences = [], labels = {}, namespace } = object.metadata;
  const isHere = (source: SettingsSource, name: string): boolean =>
    source.object.metadata.name === name &&
    (namespace === undefined ||
      source.object.metadata.namespace === undefined ||
      source.object.metadata.namespace === namespace);
  const reference = ownerReferences.find(({ kind }) => kind === 'ArgoCD');
  if (reference !== undefined)
    return { name: reference.name, source: argocds.find((source) => isHere(source, reference.name)) };
  const label = labels['app.kubernetes.io/managed-by'];
  const source = label === undefined ? undefined : argocds.find((candidate) => isHere(candidate, label));
  return label === undefined || source === undefined ? undefined : { name: label, source };
}

function unseenOwner(configMap: SettingsSource, key: string, name: string): Finding {
  return {
    rule: 'operator-reverts',
    severity: 'warning',
    message:
      `This ConfigMap belongs to the ArgoCD object ${name}, whose operator takes back what that object does ` +
      'not ask for.',
    hint: `give the lint the ArgoCD object ${name} too, and put the check into its \`spec.resourceHealthChecks\``,
    where: keyPlace(configMap, ['data', key], key),
  };
}

function revert(
  configMap: SettingsSource,
  argocd: KubeObject,
  { key, value, isThere }: { key: string; value: string; isThere: boolean },
): Finding {
  const { name = '', namespace = '' } = argocd.metadata;
  return {
    rule: 'operator-reverts',
    severity: 'error',
    message:
      `The operator will ${isThere ? 'replace' : 'remove'} this entry at its next reconciliation, because the ` +
      `ArgoCD object ${name} ${isThere ? 'asks for another text' : 'does not ask for it'}.`,
    hint:
      `put it into the ArgoCD object: kubectl patch argocd ${name} -n ${namespace} --type merge --patch-file ` +
      `patch.yaml, with patch.yaml:\n${writeYaml(patchFor(argocd, key, value))}`,
    where: keyPlace(configMap, ['data', key], key),
  };
}

/** A merge patch; it repeats the other checks because a merge patch replaces a list as a whole. */
function patchFor(argocd: KubeObject, key: string, value: string): JsonObject {
  const suffix = key.slice(`${PREFIX}.health.`.length);
  if (!key.startsWith(`${PREFIX}.health.`) || suffix === 'all') return { spec: { extraConfig: { [key]: value } } };
  const [group, kind] = suffix.includes('_') ? suffix.split('_') : ['', suffix];
  const others = [...checksOf(argocd).values()].filter((check) => healthKey(check.group, check.kind) !== key);
  const list: Json[] = [
    ...others.map(({ group: g, kind: k, check }) => ({ group: g, kind: k, check })),
    { group: group ?? '', kind: kind ?? '', check: value },
  ];
  return { spec: { resourceHealthChecks: list } };
}

function missing(argocd: SettingsSource, configMap: SettingsSource, key: string, index: number): Finding {
  return {
    rule: 'operator-reverts',
    severity: 'error',
    message:
      `The ArgoCD object asks for this check, but \`${key}\` is not, or not so, in ${sourceName(configMap)}: its ` +
      'operator is not reconciling, so the check does not run.',
    hint:
      'look at the operator: kubectl get deployment -A -l control-plane=controller-manager, and its logs; the ' +
      'status of the ArgoCD object says more',
    where: keyPlace(argocd, ['spec', 'resourceHealthChecks', index], 'spec.resourceHealthChecks'),
  };
}
