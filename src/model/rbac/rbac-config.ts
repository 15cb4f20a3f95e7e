import { compareText } from '../go/index.js';
import { isArray, own, type Json, type JsonObject } from '../json/index.js';
import { readOneYaml } from '../yaml/index.js';
import type { MatchMode } from './enforcer.js';
import type { BrokenPolicy, PolicyText } from './policy.js';

/** What argocd-rbac-cm says. */
export interface RbacConfig {
  readonly texts: readonly PolicyText[];
  /** The role that everybody has, whoever it is; empty for none. */
  readonly defaultRole: string;
  readonly mode: MatchMode;
  /** The claims that name groups. */
  readonly scopes: readonly string[];
  /** Where a setting cannot be read: nobody is answered until it can. */
  readonly problem?: BrokenPolicy;
}

const MAIN = 'policy.csv';
const DEFAULT_SCOPES: readonly string[] = ['groups'];

/** Reads `data` of argocd-rbac-cm: `policy.csv` first, then every `policy.NAME.csv` in the order of their names. */
export function readRbacConfig(data: JsonObject): RbacConfig {
  const textOf = (key: string): string => {
    const value = own(data, key);
    return typeof value === 'string' ? value : '';
  };
  const more = Object.keys(data)
    .filter((key) => key.startsWith('policy.') && key.endsWith('.csv') && key !== MAIN)
    .sort(compareText);
  const scopes = readScopes(textOf('scopes'));
  return {
    texts: [MAIN, ...more].map((key) => ({ text: textOf(key), from: `argocd-rbac-cm ${key}` })),
    defaultRole: textOf('policy.default'),
    mode: textOf('policy.matchMode') === 'regex' ? 'regex' : 'glob',
    scopes: scopes ?? DEFAULT_SCOPES,
    ...(scopes === undefined ? { problem: { broken: textOf('scopes'), where: 'argocd-rbac-cm scopes' } } : {}),
  };
}

/** A list of texts in YAML; undefined where it is something else. */
function readScopes(text: string): readonly string[] | undefined {
  if (text === '') return DEFAULT_SCOPES;
  let value: Json;
  try {
    value = readOneYaml(text, { dialect: 'kubernetes', file: 'argocd-rbac-cm' });
  } catch {
    // The caller names the setting, which says more than a line of it.
    return undefined;
  }
  if (value === null) return DEFAULT_SCOPES;
  return isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
}
