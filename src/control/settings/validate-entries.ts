import {
  isFatal,
  lintHealthScript,
  lintSettings,
  readOverrides,
  runHealthScript,
  type Finding,
} from '../../health/index.js';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { readSettings } from '../../model/settings/index.js';
import type { Health } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Entry, MapName } from './entry.js';

/** Why a key of the ArgoCD object is not written. */
export interface EntryViolation {
  readonly entry: Entry;
  readonly why: 'lua' | 'value';
  readonly message: string;
  /** How to fix it; empty if the message says so. */
  readonly hint: string;
}

const KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const MONOLITH = 'resource.customizations';

/** Invalid keys, and advice on valid ones. */
export function validateEntries(
  argocd: KubeObject,
  entries: readonly Entry[],
  now: () => number,
): { readonly violations: EntryViolation[]; readonly advice: Finding[] } {
  const findings = lintChecks(argocd, now);
  const lua = entries.flatMap((entry) => luaViolations(entry, findings));
  const rest = entries.filter((entry) => !lua.some((violation) => violation.entry === entry));
  const values = rest.flatMap(keyViolations);
  const usable = rest.filter((entry) => !values.some((violation) => violation.entry === entry));
  const reported = findings.filter((finding) => finding.rule !== 'operator-reverts' && !isFatal(finding));
  return { violations: [...lua, ...values, ...valueViolations(usable)], advice: reported };
}

/** Whether a script may take the place of a check that is refused. */
export function isUsableCheck(key: string, script: string): boolean {
  if (!key.startsWith(`${MONOLITH}.health.`)) return true;
  return !lintHealthScript({ source: script, name: key }).some(isFatal);
}

function lintChecks(argocd: KubeObject, now: () => number): Finding[] {
  const evaluate = (
    source: string,
    object: KubeObject,
    { openLibs }: { readonly openLibs: boolean },
  ): Health | undefined => runHealthScript(source, object, { openLibs, now });
  return lintSettings({ configMaps: [], argocds: [{ object: argocd }], crds: [] }, { evaluate });
}

function luaViolations(entry: Entry, findings: readonly Finding[]): EntryViolation[] {
  if (entry.map !== 'argocd-cm') return [];
  const own = findings.find((finding) => isFatal(finding) && isAbout(finding, entry));
  if (own !== undefined) {
    const part = entry.key === MONOLITH ? `${own.where.key?.slice(MONOLITH.length).trim() ?? ''}, ` : '';
    return [{ entry, why: 'lua', message: `${part}line ${own.where.line}: ${own.message}`, hint: own.hint }];
  }
  return entry.key.startsWith(`${MONOLITH}.actions.`) ? actionViolations(entry) : [];
}

/** A finding has the field of the ArgoCD object, or the key if it is a free-form one. */
function isAbout({ where: { key = '' } }: Finding, entry: Entry): boolean {
  return (
    key === entry.field ||
    (entry.field.startsWith('spec.extraConfig') &&
      (key === entry.key || (entry.key === MONOLITH && key.startsWith(`${MONOLITH} `))))
  );
}

function actionViolations(entry: Entry): EntryViolation[] {
  try {
    const actions = readOneYaml(entry.value, { dialect: 'kubernetes', file: entry.field });
    if (!isObject(actions))
      return [{ entry, why: 'value', message: 'must be YAML with discovery.lua and definitions', hint: '' }];
    const scripts = [
      ['discovery.lua', own(actions, 'discovery.lua')] as const,
      ...(isArray(actions.definitions) ? actions.definitions : []).map(
        (each) =>
          [
            `definition ${isObject(each) ? String(each.name) : ''}`,
            isObject(each) ? own(each, 'action.lua') : undefined,
          ] as const,
      ),
    ];
    return scripts
      .flatMap(([name, script]) => {
        const [broken] =
          typeof script === 'string'
            ? lintHealthScript({ source: script, name }).filter(({ rule }) => rule === 'syntax-error')
            : [];
        return broken === undefined
          ? []
          : [
              {
                entry,
                why: 'lua' as const,
                message: `${name}, line ${broken.where.line}: ${broken.message.split(', so ')[0] ?? ''}`,
                hint: broken.hint,
              },
            ];
      })
      .slice(0, 1);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [{ entry, why: 'value', message: error.message, hint: '' }];
  }
}

function keyViolations(entry: Entry): EntryViolation[] {
  if (KEY.test(entry.key) && entry.key !== '.' && entry.key !== '..') return [];
  return [
    {
      entry,
      why: 'value',
      message:
        `${JSON.stringify(entry.key)} is not a valid ConfigMap key: only letters, digits, "-", "_" and "." ` +
        'are allowed',
      hint: '',
    },
  ];
}

/** Whatever the readers of the settings would complain about and replace by a default. */
function valueViolations(entries: readonly Entry[]): EntryViolation[] {
  const data = (map: MapName): ReadonlyMap<string, string> =>
    new Map(entries.filter((entry) => entry.map === map).map(({ key, value }) => [key, value]));
  const settings = readSettings({
    cm: data('argocd-cm'),
    rbac: data('argocd-rbac-cm'),
    cmdParams: data('argocd-cmd-params-cm'),
    environment: {},
  });
  const problems = [...settings.problems, ...readOverrides(Object.fromEntries(data('argocd-cm'))).problems];
  const byEntry = new Map<Entry, string>();
  for (const { key, message } of problems) {
    const entry = entries.findLast((each) => each.key === key);
    if (entry !== undefined && !byEntry.has(entry)) byEntry.set(entry, message);
  }
  return [...byEntry]
    .map(([entry, message]) => ({ entry, why: 'value' as const, message, hint: '' }))
    .sort((a, b) => compareText(a.entry.field, b.entry.field));
}
