import { compareText } from '../../../model/go/index.js';
import { during, invalid } from '../fault.js';
import { metadataText, topText } from '../resource/metadata.js';
import { idText, isSelectedBy, parseApiVersion, sameGvk, type Gvk } from '../resource/res-id.js';
import { elements } from '../yaml/fields.js';
import { isNull, type NodeKind, type YamlNode } from '../yaml/node.js';
import { lookup, lookupCreate, splitPath } from '../yaml/path.js';

/** A field of the objects of some kind: where it is, and whether it is made where it is missing. */
export interface FieldSpec extends Gvk {
  readonly path: string;
  readonly create: boolean;
}

/** Adds specs that are not there yet. Two for one field must agree about making it. */
export function mergeSpecs(specs: readonly FieldSpec[], more: readonly FieldSpec[]): FieldSpec[] {
  const merged = [...specs];
  for (const spec of more) {
    const there = merged.find((other) => other.path === spec.path && isSelectedBy(other, spec));
    if (there === undefined) merged.push(spec);
    else if (there.create !== spec.create) throw invalid('conflicting fieldspecs');
  }
  return merged;
}

const FIRST = [
  'Namespace',
  'ResourceQuota',
  'StorageClass',
  'CustomResourceDefinition',
  'ServiceAccount',
  'PodSecurityPolicy',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
  'ConfigMap',
  'Secret',
  'Endpoints',
  'Service',
  'LimitRange',
  'PriorityClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Deployment',
  'StatefulSet',
  'CronJob',
  'PodDisruptionBudget',
];
const LAST = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** Which kinds come before all others, and which after; the order of specs, and by default that of the output. */
export const DEFAULT_ORDER = { first: FIRST as readonly string[], last: LAST as readonly string[] };

export function kindRanks(first: readonly string[], last: readonly string[]): ReadonlyMap<string, number> {
  return new Map([
    ...first.map((kind, index) => [kind, index - first.length] as const),
    ...last.map((kind, index) => [kind, index + 1] as const),
  ]);
}

export function gvkSortText({ group, version, kind }: Gvk): string {
  return `${group || '~G'}_${version || '~V'}_${kind || '~K'}`;
}

const RANKS = kindRanks(FIRST, LAST);

export function compareGvk(a: Gvk, b: Gvk): number {
  const rank = (RANKS.get(a.kind) ?? 0) - (RANKS.get(b.kind) ?? 0);
  return rank !== 0 || sameGvk(a, b) ? rank : compareText(gvkSortText(a), gvkSortText(b));
}

export interface FieldVisit {
  readonly spec: FieldSpec;
  /** What a missing field is made as; undefined makes none. */
  readonly createKind?: NodeKind;
  /** The type that a null field gets when it becomes one. */
  readonly createTag?: string;
  set(node: YamlNode): void;
}

/** Calls `set` for the fields of an object that a spec names; lists on the way are walked through. */
export function visitField(node: YamlNode, visit: FieldVisit): void {
  const { spec } = visit;
  if (spec.kind !== '' && spec.kind !== topText(node, 'kind')) return;
  const apiVersion = topText(node, 'apiVersion');
  if (!isSelectedBy({ ...parseApiVersion(apiVersion), kind: spec.kind }, spec)) return;
  during(
    () => `considering field '${spec.path}' of object ${objectText(node)}`,
    () => walk(node, splitPath(spec.path, '/'), visit),
  );
}

function objectText(node: YamlNode): string {
  return idText({
    ...parseApiVersion(topText(node, 'apiVersion')),
    kind: topText(node, 'kind'),
    name: metadataText(node, 'name'),
    namespace: metadataText(node, 'namespace'),
    isClusterScoped: false,
  });
}

function walk(node: YamlNode, path: readonly string[], visit: FieldVisit): void {
  const [part] = path;
  if (part === undefined) {
    visit.set(node);
    return;
  }
  if (isNull(node)) return;
  if (node.kind === 'seq') {
    during(
      () => `visit traversal on path: [${path.join(' ')}]`,
      () => {
        for (const element of elements(node)) walk(element, path, visit);
      },
    );
  } else if (node.kind === 'map') intoField(node, path, visit);
  else throw invalid('expected sequence or mapping node');
}

function intoField(node: YamlNode, path: readonly string[], visit: FieldVisit): void {
  const [part = '', ...rest] = path;
  const isList = part.endsWith('[]');
  const name = isList ? part.slice(0, -2) : part;
  if (name === '') throw invalid('cannot set or create an empty field name');
  const made = kindToMake(isList, rest.length === 0, visit);
  const value = during(`fieldName: ${name}`, () =>
    made.isMade ? lookupCreate(node, made.kind ?? 'map', [name]) : lookup(node, [name]),
  );
  if (value === undefined) return;
  if (isNull(value) && made.kind !== undefined) {
    value.kind = made.kind;
    value.tag = made.tag;
  }
  walk(value, rest, visit);
}

function kindToMake(
  isList: boolean,
  isLast: boolean,
  { spec, createKind, createTag = '' }: FieldVisit,
): { isMade: boolean; kind?: NodeKind; tag: string } {
  if (!spec.create || createKind === undefined || isList)
    return { isMade: false, ...(isList && { kind: 'seq' as const }), tag: '' };
  return isLast ? { isMade: true, kind: createKind, tag: createTag } : { isMade: true, kind: 'map', tag: '!!map' };
}
