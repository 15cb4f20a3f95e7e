import { Fault } from '../../../model/faults/index.js';
import { isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';
import { closestWord } from '../closest-word.js';
import type { Finding } from '../finding.js';
import { readOverrideKey, type GroupKind } from '../override-key.js';
import { keyPlace, placeIn, textEntries, type FoundScript, type SettingsSource } from './settings-source.js';
import { findYamlPlace, type YamlPlace } from './yaml-place.js';

const MONOLITH = 'resource.customizations';
const MONOLITH_FIELDS = [
  'health.lua',
  'health.lua.useOpenLibs',
  'actions',
  'ignoreDifferences',
  'ignoreResourceUpdates',
  'knownTypeFields',
];
/** What people write for a field and no closest word finds. */
const SHORTENED_FIELDS: ReadonlyMap<string, string> = new Map([
  ['health', 'health.lua'],
  ['useOpenLibs', 'health.lua.useOpenLibs'],
]);
const TRUE_WORDS = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const BOOLEAN_WORDS = [...TRUE_WORDS, '0', 'f', 'F', 'FALSE', 'false', 'False'];

export interface ConfigMapReading {
  readonly scripts: readonly FoundScript[];
  readonly findings: readonly Finding[];
}

/** Entries of argocd-cm: in the ConfigMap itself, or in the part of an ArgoCD object that its operator copies there. */
export interface Entries {
  readonly source: SettingsSource;
  readonly data: JsonObject;
  /** Where the entries are in the object. */
  readonly path: readonly string[];
}

/** The health scripts of argocd-cm, and what is wrong with the keys that hold them. */
export function readConfigMap({ source, data, path }: Entries, known: readonly GroupKind[]): ConfigMapReading {
  const findings: Finding[] = [];
  const scripts: FoundScript[] = [];
  for (const [key, value] of textEntries(data)) {
    if (key === MONOLITH) {
      const monolith = readMonolith(source, path, value);
      findings.push(...monolith.findings);
      scripts.push(...monolith.scripts);
      continue;
    }
    const read = readOverrideKey(key, known);
    if (read === undefined) continue;
    const where = keyPlace(source, [...path, key], key);
    if (read.problem !== undefined) findings.push({ rule: 'malformed-key', severity: 'error', ...read.problem, where });
    if (read.type === 'useOpenLibs') findings.push(...checkOpenLibs(data, key, value, where));
    if (read.type !== 'health') continue;
    const openLibs = own(data, key.replace('.health.', '.useOpenLibs.'));
    const at = [...path, key];
    scripts.push({
      source,
      group: read.group,
      kind: read.kind,
      script: value,
      openLibs: typeof openLibs === 'string' && TRUE_WORDS.includes(openLibs),
      key,
      path: at,
      place: placeIn(source, at),
    });
  }
  return { scripts, findings };
}

function checkOpenLibs(data: JsonObject, key: string, value: string, where: Finding['where']): Finding[] {
  const health = key.replace('.useOpenLibs.', '.health.');
  if (!BOOLEAN_WORDS.includes(value)) {
    return [
      {
        rule: 'malformed-key',
        severity: 'error',
        where,
        message: `"${value}" is neither true nor false, so Argo CD refuses all customisations, not only this one.`,
        hint: `write \`${key}: "true"\``,
      },
    ];
  }
  if (own(data, health) !== undefined) return [];
  return [
    {
      rule: 'malformed-key',
      severity: 'warning',
      where,
      message:
        'There is no health check of your own for this kind, so this key does nothing; the built-in checks ' +
        'always have their libraries.',
      hint: `add \`${health}\`, or remove this key`,
    },
  ];
}

/** The one key that holds all customisations as YAML; the only place for wildcards. */
function readMonolith(source: SettingsSource, path: readonly string[], text: string): ConfigMapReading {
  const outer = placeIn(source, [...path, MONOLITH]);
  let parsed: Json;
  try {
    parsed = readOneYaml(text, { dialect: 'kubernetes' });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { scripts: [], findings: [brokenYaml(keyPlace(source, [...path, MONOLITH], MONOLITH), outer, error)] };
  }
  if (!isObject(parsed)) return { scripts: [], findings: [] };
  const findings: Finding[] = [];
  const scripts: FoundScript[] = [];
  for (const [name, entry] of Object.entries(parsed)) {
    if (!isObject(entry)) continue;
    findings.push(...checkMonolithEntry(keyPlace(source, [...path, MONOLITH], MONOLITH), outer, text, name, entry));
    const script = own(entry, 'health.lua');
    if (typeof script !== 'string') continue;
    const slash = name.indexOf('/');
    const [group, kind] = slash < 0 ? ['', name] : [name.slice(0, slash), name.slice(slash + 1)];
    const place = inner(outer, findYamlPlace(text, [name, 'health.lua']));
    scripts.push({
      source,
      group,
      kind,
      script,
      openLibs: own(entry, 'health.lua.useOpenLibs') === true,
      key: `${MONOLITH} ${name}`,
      path: [...path, MONOLITH],
      place,
    });
  }
  return { scripts, findings };
}

/** A place in the text of a block scalar, as a place in the file around it. */
function inner(outer: YamlPlace | undefined, place: YamlPlace | undefined): YamlPlace | undefined {
  if (outer?.block === undefined || place === undefined) return outer === undefined ? undefined : { key: outer.key };
  const { line, column } = outer.block;
  const move = (at: { line: number; column: number }): { line: number; column: number } => ({
    line: at.line + line - 1,
    column: at.column + column - 1,
  });
  return { key: move(place.key), ...(place.block === undefined ? {} : { block: move(place.block) }) };
}

function brokenYaml(where: Finding['where'], outer: YamlPlace | undefined, fault: Fault): Finding {
  const [, line = '1', column = '1'] = /(?<!\d)(\d+):(\d+)$/.exec(fault.where) ?? [];
  const at = { line: Number(line), column: Number(column) };
  const place = inner(outer, { key: at })?.key ?? at;
  return {
    rule: 'malformed-key',
    severity: 'error',
    message: `The YAML in \`${MONOLITH}\` cannot be read (${fault.message}), so Argo CD refuses all customisations.`,
    hint: 'correct the YAML at this line',
    where: { ...where, ...place },
  };
}

function checkMonolithEntry(
  base: Finding['where'],
  outer: YamlPlace | undefined,
  text: string,
  name: string,
  entry: JsonObject,
): Finding[] {
  const at = (path: readonly string[]): Finding['where'] => ({
    ...base,
    ...(inner(outer, findYamlPlace(text, path))?.key ?? {}),
  });
  const findings: Finding[] = [];
  if (name.includes('_')) {
    findings.push({
      rule: 'malformed-key',
      severity: 'error',
      where: at([name]),
      message: `Inside \`${MONOLITH}\` group and kind are joined by \`/\`, so \`${name}\` never applies to anything.`,
      hint: `write \`${name.replace('_', '/')}\``,
    });
  }
  for (const field of Object.keys(entry)) {
    if (MONOLITH_FIELDS.includes(field)) continue;
    const close = closestWord(field, MONOLITH_FIELDS) ?? SHORTENED_FIELDS.get(field);
    findings.push({
      rule: 'malformed-key',
      severity: 'error',
      where: at([name, field]),
      message: `Argo CD ignores \`${field}\` here, so it has no effect.`,
      hint: close === undefined ? `use one of ${MONOLITH_FIELDS.join(', ')}` : `write \`${close}\``,
    });
  }
  return findings;
}
