import { withStoredData } from '../../diff/index.js';
import { gvkOf, keyOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject } from '../../model/json/index.js';
import type { Manifest } from '../../render/index.js';
import { track, type Tracking } from './tracking.js';
import type { Condition } from './condition.js';

/** One object of git, ready to be applied. */
export interface Target {
  readonly key: Key;
  readonly object: KubeObject;
  /** `file:line` in the repository. */
  readonly origin: string;
}

export interface TargetRules {
  /** The application name in tracking labels and annotations. */
  readonly instance: string;
  readonly destinationNamespace: string;
  readonly tracking: Tracking;
  readonly kindOf: (object: KubeObject) => { readonly namespaced: boolean } | undefined;
  /** Why a kind is not delivered; undefined if it is. */
  readonly exclusionOf: (object: KubeObject) => string | undefined;
}

export interface Targets {
  readonly targets: readonly Target[];
  readonly conditions: readonly Condition[];
}

/** Rendered objects with namespace and tracking. Of two with the same key the last one is used, with a warning. */
export function prepareTargets(manifests: readonly Manifest[], rules: TargetRules): Targets {
  const scopes = definedScopes(manifests);
  const found = new Map<string, Target>();
  const origins = new Map<string, readonly string[]>();
  const conditions: Condition[] = [];
  let unnamed = 0;
  for (const { object, origin } of manifests) {
    const exclusion = rules.exclusionOf(object);
    if (exclusion !== undefined) {
      conditions.push({ type: 'ExcludedResourceWarning', message: exclusion });
      continue;
    }
    if (!isObject(object.metadata)) {
      conditions.push({
        type: 'ExcludedResourceWarning',
        message: `${formatOrigin(origin)} is not a Kubernetes object: it has no metadata`,
      });
      continue;
    }
    const placed = withNamespace(withStoredData(object), rules, scopes);
    if (placed === undefined) {
      const { group, version, kind } = gvkOf(object);
      conditions.push({
        type: 'InvalidSpecError',
        message:
          `Namespace for ${object.metadata.name ?? ''} ${group === '' ? '' : group}/${version}, Kind=${kind} ` +
          'is missing.',
      });
      continue;
    }
    const prepared = track(placed, rules.instance, rules.destinationNamespace, rules.tracking);
    const key = keyOf(prepared);
    // Objects with generateName have no name yet: none is a duplicate.
    const name = key.name === '' ? `${keyText(key)}#${unnamed++}` : keyText(key);
    origins.set(name, [...(origins.get(name) ?? []), formatOrigin(origin)]);
    found.delete(name);
    found.set(name, { key, object: prepared, origin: formatOrigin(origin) });
  }
  return { targets: [...found.values()], conditions: [...conditions, ...repeatedConditions(origins)] };
}

function repeatedConditions(origins: ReadonlyMap<string, readonly string[]>): Condition[] {
  return [...origins]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => ({
      type: 'RepeatedResourceWarning',
      message:
        `Resource ${name} appeared ${places.length} times among application resources: ` +
        `${places.slice(0, -1).join(', ')} and ${places.at(-1) ?? ''}; the last one is used.`,
    }));
}

function formatOrigin({ file, line }: Manifest['origin']): string {
  return file === '' ? '' : `${file}:${line}`;
}

/** Whether kinds whose definition is among the manifests are namespaced. */
function definedScopes(manifests: readonly Manifest[]): ReadonlyMap<string, boolean> {
  const scopes = new Map<string, boolean>();
  for (const { object } of manifests) {
    const { spec } = object;
    if (object.kind !== 'CustomResourceDefinition' || !isObject(spec) || !isObject(spec.names)) continue;
    scopes.set(`${String(spec.group)}/${String(spec.names.kind)}`, spec.scope !== 'Cluster');
  }
  return scopes;
}

/** Unknown kinds count as namespaced, as in Argo CD. Undefined if the namespace is missing. */
function withNamespace(
  object: KubeObject,
  { kindOf, destinationNamespace }: TargetRules,
  scopes: ReadonlyMap<string, boolean>,
): KubeObject | undefined {
  const { group, kind } = gvkOf(object);
  const known = kindOf(object)?.namespaced ?? scopes.get(`${group}/${kind}`);
  const [isKnown, isNamespaced] = [known !== undefined, known ?? true];
  const { namespace, ...metadata } = object.metadata;
  if (!isNamespaced) return namespace === undefined ? object : { ...object, metadata };
  const wanted = namespace !== undefined && namespace !== '' ? namespace : destinationNamespace;
  // Only a kind that is known to be namespaced can lack one.
  if (wanted === '') return isKnown ? undefined : object;
  return wanted === namespace ? object : { ...object, metadata: { ...metadata, namespace: wanted } };
}
