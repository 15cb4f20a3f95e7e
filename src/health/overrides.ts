import { Fault } from '../model/faults/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../model/json/index.js';
import { matchesGlob } from '../model/formats/index.js';
import { readOneYaml } from '../model/yaml/index.js';
import { compareText } from '../model/go/index.js';

const MONOLITH = 'resource.customizations';

/** What an administrator set for one kind (or, with wildcards, for many). Scripts are as written. */
export interface Override {
  /** The key of argocd-cm that it was read from, for messages. */
  readonly key: string;
  readonly health?: string;
  readonly useOpenLibs: boolean;
  readonly actions?: OverrideActions;
}

export interface OverrideActions {
  readonly discovery: string;
  readonly definitions: readonly { readonly name: string; readonly script: string }[];
  readonly mergeBuiltin: boolean;
}

/** Something that Argo CD would refuse in the settings; the rest is used. */
export interface OverrideError {
  readonly key: string;
  readonly message: string;
}

export interface Overrides {
  readonly byKind: ReadonlyMap<string, Override>;
  readonly problems: readonly OverrideError[];
}

export const NO_OVERRIDES: Overrides = { byKind: new Map(), problems: [] };

interface Draft {
  key: string;
  health?: string;
  useOpenLibs: boolean;
  actions?: OverrideActions;
}

/** Kinds of settings under `resource.customizations.` that are not about health or actions. */
const OTHERS = ['ignoreDifferences', 'ignoreResourceUpdates', 'knownTypeFields'];

/**
 * Reads the `data` of argocd-cm as Argo CD does: first `resource.customizations`, then the split keys
 * `resource.customizations.<what>.<group>_<kind>`, which add to it.
 */
export function readOverrides(data: JsonObject): Overrides {
  const byKind = new Map<string, Draft>();
  const problems: OverrideError[] = [];
  const attempt = (key: string, read: () => void): void => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      problems.push({ key, message: error.message });
    }
  };
  const whole = own(data, MONOLITH);
  if (typeof whole === 'string' && whole !== '')
    attempt(MONOLITH, () => {
      readMonolith(whole, byKind);
    });
  for (const key of Object.keys(data).sort(compareText)) {
    if (key.startsWith(`${MONOLITH}.`))
      attempt(key, () => {
        readSplitKey(key, own(data, key), byKind);
      });
  }
  return { byKind, problems };
}

function readMonolith(text: string, byKind: Map<string, Draft>): void {
  const kinds = readOneYaml(text, { dialect: 'kubernetes', file: MONOLITH });
  if (kinds === null) return;
  if (!isObject(kinds)) throw invalid('must be an object with a key for each group and kind');
  for (const kind of Object.keys(kinds)) {
    const settings = own(kinds, kind);
    if (!isObject(settings)) throw invalid(`${kind} must be an object with health.lua, actions or ignoreDifferences`);
    const health = own(settings, 'health.lua');
    byKind.set(kind, {
      key: `${MONOLITH} (${kind})`,
      ...(typeof health === 'string' ? { health } : {}),
      useOpenLibs: own(settings, 'health.lua.useOpenLibs') === true,
      ...(typeof settings.actions === 'string' ? { actions: readActions(settings.actions) } : {}),
    });
  }
}

function readSplitKey(key: string, value: Json | undefined, byKind: Map<string, Draft>): void {
  // The group holds dots itself: only the first three part the key.
  const [, , what = '', ...rest] = key.split('.');
  if (rest.length === 0) return;
  const kind = overrideKind(rest.join('.'));
  const text = typeof value === 'string' ? value : '';
  const draft = byKind.get(kind) ?? { key, useOpenLibs: false };
  if (what === 'health') Object.assign(draft, { key, health: text });
  else if (what === 'useOpenLibs') draft.useOpenLibs = readBoolean(text);
  else if (what === 'actions') draft.actions = readActions(text);
  else if (!OTHERS.includes(what))
    throw invalid(
      `${JSON.stringify(what)} is no kind of customization: choose health, useOpenLibs, actions, ${OTHERS.join(', ')}`,
    );
  byKind.set(kind, draft);
}

function overrideKind(text: string): string {
  const parts = text.split('_');
  if (parts.length > 2 || text === '')
    throw invalid(`${JSON.stringify(text)} names no kind: write <group>_<kind>, or <kind> for the core group`);
  const kind = parts.join('/');
  return kind === 'all' ? '*/*' : kind;
}

/** The spellings that Go reads. */
function readBoolean(text: string): boolean {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  throw invalid(`${JSON.stringify(text)} is neither true nor false`);
}

function readActions(text: string): OverrideActions {
  const actions = readOneYaml(text, { dialect: 'kubernetes', file: 'actions' }) ?? {};
  if (!isObject(actions)) throw invalid('actions must be an object with discovery.lua and definitions');
  const discovery = own(actions, 'discovery.lua');
  const { definitions } = actions;
  return {
    discovery: typeof discovery === 'string' ? discovery : '',
    definitions: (isArray(definitions) ? definitions : []).flatMap((definition) => {
      if (!isObject(definition) || typeof definition.name !== 'string')
        throw invalid('every definition of an action needs a name');
      const script = own(definition, 'action.lua');
      return [{ name: definition.name, script: typeof script === 'string' ? script : '' }];
    }),
    mergeBuiltin: actions.mergeBuiltinActions === true,
  };
}

function invalid(message: string): Fault {
  return new Fault('VALUE_INVALID', message);
}

/** `group/Kind`, or `Kind` for the core group: how settings name a kind. */
export function settingsKind(group: string, kind: string): string {
  return group === '' ? kind : `${group}/${kind}`;
}

/**
 * The override whose health script judges a kind: the exact one, else one with wildcards. Argo CD takes any that fits;
 * here the first in alphabetical order does, so that the answer is always the same.
 */
export function healthOverride({ byKind }: Overrides, group: string, kind: string): Override | undefined {
  const name = settingsKind(group, kind);
  const exact = byKind.get(name);
  if (hasHealth(exact)) return exact;
  return [...byKind.keys()]
    .sort(compareText)
    .filter((pattern) => matchesGlob(pattern, name))
    .map((pattern) => byKind.get(pattern))
    .find(hasHealth);
}

function hasHealth(override: Override | undefined): boolean {
  return override?.health !== undefined && override.health !== '';
}
