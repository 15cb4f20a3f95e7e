import { isObject, type JsonObject } from '../../model/json/index.js';
import { readConfigMap } from './settings/config-map-keys.js';
import { sortFindings, type Finding } from './finding.js';
import { kindOfCrd, knownKinds } from './known-kinds.js';
import { lintHealthScript } from './lint-health-script.js';
import type { LintOptions } from './lint-options.js';
import { checkOperator, checksOf } from './settings/operator-reverts.js';
import { checkGroupKind, type GroupKind } from './override-key.js';
import { schemaOfCrd } from './script/schema-step.js';
import { keyPlace, placeIn, sourceName, type FoundScript, type SettingsSource } from './settings/settings-source.js';

export interface LintedSettings {
  /** argocd-cm; other ConfigMaps do no harm. */
  readonly configMaps: readonly SettingsSource[];
  /** Objects of kind ArgoCD. */
  readonly argocds: readonly SettingsSource[];
  readonly crds: readonly JsonObject[];
}

export interface LintSettingsOptions extends Pick<LintOptions, 'evaluate' | 'reference'> {
  /** Further groups and kinds that exist, such as those the cluster serves. */
  readonly kinds?: readonly GroupKind[];
}

/** What is wrong with the health checks of an installation: their keys, their scripts, and who will take them back. */
export function lintSettings(
  { configMaps, argocds, crds }: LintedSettings,
  options: LintSettingsOptions = {},
): Finding[] {
  const known = knownKinds(crds, options.kinds ?? []);
  const findings: Finding[] = [];
  const scripts: FoundScript[] = [];
  for (const source of argocds) {
    const read = readArgoCD(source, known);
    scripts.push(...read.scripts);
    findings.push(...read.findings);
  }
  const delivered = new Set(scripts.map((script) => `${script.group}/${script.kind} ${script.script.trim()}`));
  for (const source of configMaps) {
    const data = isObject(source.object.data) ? source.object.data : {};
    const read = readConfigMap({ source, data, path: ['data'] }, known);
    // A script that the operator copied from the ArgoCD object is told about once, where it can be changed.
    scripts.push(
      ...read.scripts.filter((script) => !delivered.has(`${script.group}/${script.kind} ${script.script.trim()}`)),
    );
    findings.push(...read.findings, ...checkOperator(source, argocds));
  }
  const order = [...argocds, ...configMaps].map(sourceName);
  const all = [...findings, ...scripts.flatMap((script) => lintScript(script, crds, options))];
  return [...new Set(order)].flatMap((name) => sortFindings(all.filter(({ where }) => where.name === name)));
}

function lintScript(
  { source, group, kind, script, openLibs, key, path, place }: FoundScript,
  crds: readonly JsonObject[],
  options: LintSettingsOptions,
): Finding[] {
  const crd = crds.find((candidate) => {
    const served = kindOfCrd(candidate);
    return served?.group === group && served.kind === kind;
  });
  const schema = crd === undefined ? undefined : schemaOfCrd(crd);
  const isPattern = `${group}${kind}`.includes('*');
  const found = lintHealthScript({
    source: script,
    name: sourceName(source),
    group,
    kind: isPattern ? '' : kind,
    ...(schema === undefined ? {} : { schema }),
    options: { ...options, openLibs, key, ...(place?.block === undefined ? {} : { origin: place.block }) },
  });
  if (source.text === undefined || place?.block !== undefined) return found;
  // A script in quotes or in flow style has no lines of its own in the file.
  const { line, column } = keyPlace(source, path, key);
  return found.map((finding) => ({ ...finding, where: { ...finding.where, line, column } }));
}

/** The checks of an ArgoCD object, and what is wrong with their groups and kinds. */
function readArgoCD(
  source: SettingsSource,
  known: readonly GroupKind[],
): { scripts: FoundScript[]; findings: Finding[] } {
  const spec = isObject(source.object.spec) ? source.object.spec : {};
  const extra = isObject(spec.extraConfig) ? spec.extraConfig : {};
  const more = readConfigMap({ source, data: extra, path: ['spec', 'extraConfig'] }, known);
  const findings: Finding[] = [...more.findings];
  const scripts: FoundScript[] = [...more.scripts];
  for (const { group, kind, check, index } of checksOf(source.object).values()) {
    const path = ['spec', 'resourceHealthChecks', index];
    const key = `spec.resourceHealthChecks[${index}]`;
    const problem = checkGroupKind(
      { group, kind, hasSeparator: group !== '' },
      known,
      (rightGroup, rightKind) => `group: "${rightGroup}", kind: "${rightKind}"`,
    );
    if (problem !== undefined)
      findings.push({ rule: 'malformed-key', severity: 'error', ...problem, where: keyPlace(source, path, key) });
    if (check === '') {
      findings.push({
        rule: 'malformed-key',
        severity: 'error',
        where: keyPlace(source, path, key),
        message: 'This entry has no `check`, so it does nothing.',
        hint: 'add the script under `check: |`',
      });
      continue;
    }
    const place = placeIn(source, [...path, 'check']);
    const suffix = group === '' ? kind : `${group}_${kind}`;
    const openLibs = Object.entries(extra).some(
      ([name, value]) => name === `resource.customizations.useOpenLibs.${suffix}` && String(value) === 'true',
    );
    scripts.push({ source, group, kind, script: check, openLibs, key, path: [...path, 'check'], place });
  }
  return { scripts, findings };
}
