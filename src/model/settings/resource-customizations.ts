import type { IgnoreRule } from '../argo/index.js';
import { texts, isArray, isObject, own, type Json } from '../json/index.js';
import { compareText } from '../go/index.js';
import { invalid, type SettingKeys } from './setting-keys.js';
import { readOneYaml } from '../yaml/index.js';

/** A field of a custom kind that is of a known type of Kubernetes, so that `1000m` and `1` are one. */
export interface KnownTypeField {
  readonly group: string;
  readonly kind: string;
  /** Names between dots. */
  readonly field: string;
  /** Such as `core/v1/PodSpec` or `core/Quantity`. */
  readonly type: string;
}

export interface CompareOptions {
  readonly ignoreAggregatedRoles: boolean;
  readonly ignoreResourceStatusField: 'all' | 'crd' | 'none';
  readonly ignoreDifferencesOnResourceUpdates: boolean;
}

/** What argocd-cm says about comparing kinds. Health and actions of the same keys are read by `health`. */
export interface Customizations {
  readonly compareOptions: CompareOptions;
  /** For all applications. The rule for status fields is among them. */
  readonly ignoreDifferences: readonly IgnoreRule[];
  /** Changes of these fields alone are no news; `undefined` where every change is. */
  readonly ignoreResourceUpdates: readonly IgnoreRule[] | undefined;
  readonly knownTypeFields: readonly KnownTypeField[];
}

type Paths = Pick<IgnoreRule, 'jsonPointers' | 'jqPathExpressions' | 'managedFieldsManagers'>;

interface Draft {
  ignoreDifferences?: Paths;
  ignoreResourceUpdates?: Paths;
  knownTypeFields?: readonly { readonly field: string; readonly type: string }[];
}

const MONOLITH = 'resource.customizations';
const COMPARE = 'resource.compareoptions';
const EVERYTHING = '*/*';
const PATHS = ['jsonPointers', 'jqPathExpressions', 'managedFieldsManagers'];

export function readCustomizations(keys: SettingKeys): Customizations {
  const drafts = new Map<string, Draft>();
  readMonolith(keys, drafts);
  for (const key of [...keys.data.keys()].filter((name) => name.startsWith(`${MONOLITH}.`)).sort(compareText)) {
    keys.attempt(key, undefined, () => {
      readSplitKey(keys, key, drafts);
    });
  }
  const compareOptions = readCompareOptions(keys);
  const ignoreDifferences = [...rulesOf(drafts, 'ignoreDifferences'), ...statusRule(compareOptions)];
  return {
    compareOptions,
    ignoreDifferences,
    ignoreResourceUpdates: keys.flag('resource.ignoreResourceUpdatesEnabled', true)
      ? updateRules(drafts, compareOptions, ignoreDifferences)
      : undefined,
    knownTypeFields: [...drafts].flatMap(([name, { knownTypeFields = [] }]) =>
      knownTypeFields.map((each) => ({ ...kindOf(name), ...each })),
    ),
  };
}

function readMonolith(keys: SettingKeys, drafts: Map<string, Draft>): void {
  const kinds = keys.yamlObject(MONOLITH, 'an object with a key for each group and kind');
  for (const name of Object.keys(kinds)) {
    const written = own(kinds, name);
    if (!isObject(written)) continue;
    const place = `${MONOLITH} (${name})`;
    keys.attempt(place, undefined, () => {
      const { ignoreDifferences, ignoreResourceUpdates, knownTypeFields } = written;
      drafts.set(name, {
        ...(ignoreDifferences === undefined
          ? {}
          : { ignoreDifferences: readPaths(keys, place, textOf(ignoreDifferences, 'ignoreDifferences')) }),
        ...(ignoreResourceUpdates === undefined
          ? {}
          : { ignoreResourceUpdates: readPaths(keys, place, textOf(ignoreResourceUpdates, 'ignoreResourceUpdates')) }),
        ...(knownTypeFields === undefined ? {} : { knownTypeFields: readKnownTypes(knownTypeFields) }),
      });
    });
  }
}

function textOf(value: Json, name: string): string {
  if (typeof value !== 'string') throw invalid(`${name} must be text, written with "|"`);
  return value;
}

/** `resource.customizations.<what>.<group>_<kind>` replaces what the one big key says about it. */
function readSplitKey(keys: SettingKeys, key: string, drafts: Map<string, Draft>): void {
  const [, , what = '', ...rest] = key.split('.');
  if (what !== 'ignoreDifferences' && what !== 'ignoreResourceUpdates' && what !== 'knownTypeFields') return;
  const parts = rest.join('.').split('_');
  if (parts.length > 2 || parts.join('') === '')
    throw invalid(
      `${JSON.stringify(rest.join('.'))} names no kind: write <group>_<kind>, or <kind> for the core group`,
    );
  const name = parts.join('/') === 'all' ? EVERYTHING : parts.join('/');
  const text = keys.data.get(key) ?? '';
  const draft = drafts.get(name) ?? {};
  if (what === 'knownTypeFields')
    draft.knownTypeFields = readKnownTypes(readOneYaml(text, { dialect: 'kubernetes', file: key }));
  else draft[what] = readPaths(keys, key, text);
  drafts.set(name, draft);
}

function readPaths(keys: SettingKeys, key: string, text: string): Paths {
  const value = readOneYaml(text, { dialect: 'kubernetes', file: key }) ?? {};
  if (!isObject(value)) throw invalid(`must be an object with ${PATHS.join(', ')}`);
  for (const name of Object.keys(value))
    if (!PATHS.includes(name)) keys.note(key, `${JSON.stringify(name)} has no effect here: choose ${PATHS.join(', ')}`);
  return {
    jsonPointers: texts(value, 'jsonPointers', key),
    jqPathExpressions: texts(value, 'jqPathExpressions', key),
    managedFieldsManagers: texts(value, 'managedFieldsManagers', key),
  };
}

function readKnownTypes(value: Json): { field: string; type: string }[] {
  if (value === null) return [];
  if (!isArray(value)) throw invalid('knownTypeFields must be a list of field and type');
  return value.map((entry) => {
    if (!isObject(entry) || typeof entry.field !== 'string' || typeof entry.type !== 'string')
      throw invalid('every entry of knownTypeFields needs field and type');
    return { field: entry.field, type: entry.type };
  });
}

function readCompareOptions(keys: SettingKeys): CompareOptions {
  const written = keys.yamlObject(COMPARE, 'an object');
  const flag = (name: 'ignoreAggregatedRoles' | 'ignoreDifferencesOnResourceUpdates', otherwise: boolean): boolean => {
    const value = own(written, name);
    if (typeof value === 'boolean') return value;
    if (value !== undefined && value !== null) keys.note(COMPARE, `${name} is neither true nor false`);
    return otherwise;
  };
  return {
    ignoreAggregatedRoles: flag('ignoreAggregatedRoles', false),
    ignoreResourceStatusField: statusField(keys, own(written, 'ignoreResourceStatusField')),
    ignoreDifferencesOnResourceUpdates: flag('ignoreDifferencesOnResourceUpdates', true),
  };
}

function statusField(keys: SettingKeys, value: Json | undefined): CompareOptions['ignoreResourceStatusField'] {
  // YAML makes false of a bare "off".
  if (value === 'none' || value === 'off' || value === 'false' || value === false) return 'none';
  if (value === 'crd' || value === 'all') return value;
  if (value !== undefined && value !== null && value !== '')
    keys.note(COMPARE, `ignoreResourceStatusField ${JSON.stringify(value)} is unknown: choose all, crd, none`);
  return 'all';
}

function statusRule({ ignoreResourceStatusField }: CompareOptions): IgnoreRule[] {
  if (ignoreResourceStatusField === 'none') return [];
  return [
    ruleOf(ignoreResourceStatusField === 'all' ? EVERYTHING : 'apiextensions.k8s.io/CustomResourceDefinition', {
      jsonPointers: ['/status'],
    }),
  ];
}

function updateRules(
  drafts: ReadonlyMap<string, Draft>,
  { ignoreDifferencesOnResourceUpdates }: CompareOptions,
  ignoreDifferences: readonly IgnoreRule[],
): IgnoreRule[] {
  const written = rulesOf(drafts, 'ignoreResourceUpdates');
  return [
    ...(written.length === 0 ? QUIET_UPDATES : written),
    ...(ignoreDifferencesOnResourceUpdates ? ignoreDifferences : []),
    ruleOf(EVERYTHING, {
      jsonPointers: ['/metadata/resourceVersion', '/metadata/generation', '/metadata/managedFields'],
    }),
  ];
}

function rulesOf(
  drafts: ReadonlyMap<string, Draft>,
  what: 'ignoreDifferences' | 'ignoreResourceUpdates',
): IgnoreRule[] {
  return [...drafts].flatMap(([name, draft]) => (draft[what] === undefined ? [] : [ruleOf(name, draft[what])]));
}

function ruleOf(name: string, paths: Partial<Paths>): IgnoreRule {
  return {
    ...kindOf(name),
    name: '',
    namespace: '',
    jsonPointers: [],
    jqPathExpressions: [],
    managedFieldsManagers: [],
    ...paths,
  };
}

function kindOf(name: string): { group: string; kind: string } {
  const slash = name.indexOf('/');
  return { group: slash < 0 ? '' : name.slice(0, slash), kind: name.slice(slash + 1) };
}

const annotations = (...names: readonly string[]): Partial<Paths> => ({
  jsonPointers: names.map((name) => `/metadata/annotations/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`),
});

/** What the manifests of Argo CD 3 say; used where argocd-cm has no key of this kind. */
const QUIET_UPDATES: readonly IgnoreRule[] = [
  ruleOf(EVERYTHING, { jsonPointers: ['/status'] }),
  ruleOf('argoproj.io/Application', {
    jsonPointers: [
      ...(annotations('notified.notifications.argoproj.io', 'argocd.argoproj.io/refresh', 'argocd.argoproj.io/hydrate')
        .jsonPointers ?? []),
      '/operation',
    ],
  }),
  ruleOf('argoproj.io/Rollout', annotations('notified.notifications.argoproj.io')),
  ruleOf(
    'autoscaling/HorizontalPodAutoscaler',
    annotations(
      ...['behavior', 'conditions', 'metrics', 'current-metrics'].map(
        (name) => `autoscaling.alpha.kubernetes.io/${name}`,
      ),
    ),
  ),
  ruleOf(
    'ConfigMap',
    annotations('cluster-autoscaler.kubernetes.io/last-updated', 'control-plane.alpha.kubernetes.io/leader'),
  ),
  ruleOf(
    'apps/ReplicaSet',
    annotations(
      'deployment.kubernetes.io/desired-replicas',
      'deployment.kubernetes.io/max-replicas',
      'rollout.argoproj.io/desired-replicas',
    ),
  ),
  ruleOf('discovery.k8s.io/EndpointSlice', { jsonPointers: ['/metadata', '/endpoints', '/ports'] }),
  ruleOf('Endpoints', { jsonPointers: ['/metadata', '/subsets'] }),
];
