import { createHash } from 'node:crypto';
import { apiVersionOf } from '../../cluster/index.js';
import { compareText } from '../../model/go/index.js';
import { isObject, own, writeJson, type JsonObject } from '../../model/json/index.js';
import type { KubeObject, ObjectMeta } from '../../model/kubernetes/index.js';
import type { ConfigMapData } from './compose.js';
import type { Entry, MapName } from './entry.js';
import { fieldFor } from './field-for.js';
import { ARGOCDS } from '../../model/resources/index.js';

/** The digest of what we wrote: distinguishes edits of others from our own changes, also after a restart. */
const DIGEST_ANNOTATION = 'argosy.dev/settings-digest';
/** Keys of a ConfigMap that were dropped when it was taken over, as JSON: nothing is lost. */
const REPLACED_ANNOTATION = 'argosy.dev/settings-replaced';
const MAX_REPLACED_LENGTH = 200_000;
const MAX_NAMED_KEYS = 5;

export interface MapInput {
  readonly name: MapName;
  readonly argocd: KubeObject;
  readonly wanted: ConfigMapData;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly live: KubeObject | undefined;
  /** What we wrote last; undefined where we do not know. */
  readonly written: ConfigMapData | undefined;
}

export interface Notice {
  readonly reason: 'SettingsReverted' | 'SettingsTakenOver';
  readonly message: string;
}

export type MapAction =
  | { readonly kind: 'same' }
  | { readonly kind: 'create' | 'update' | 'recreate'; readonly object: KubeObject; readonly notice?: Notice }
  /** It cannot be taken over without data loss. */
  | { readonly kind: 'refused'; readonly message: string };

/** The action that makes a ConfigMap match its ArgoCD object exactly. */
export function nextMap(input: MapInput): MapAction {
  const { name, argocd, wanted, live, written } = input;
  if (live === undefined) {
    const notice = written === undefined ? {} : { notice: revertNotice(input, [], 'this ConfigMap was deleted') };
    return { kind: 'create', object: objectOf(input, { name, namespace: argocd.metadata.namespace ?? '' }), ...notice };
  }
  const data = dataOf(live);
  const isOwned = ownsIt(argocd, live);
  if (
    isOwned &&
    live.binaryData === undefined &&
    sameData(data, wanted) &&
    hasLabels(input, live) &&
    live.metadata.annotations?.[DIGEST_ANNOTATION] === digest(wanted)
  )
    return { kind: 'same' };
  const isKnown = written !== undefined || live.metadata.annotations?.[DIGEST_ANNOTATION] !== undefined;
  const replaced = isKnown ? [] : [...data].filter(([key]) => !wanted.has(key));
  const kept = replaced.length === 0 ? {} : { [REPLACED_ANNOTATION]: writeJson(Object.fromEntries(replaced)) };
  if ((kept[REPLACED_ANNOTATION]?.length ?? 0) > MAX_REPLACED_LENGTH)
    return {
      kind: 'refused',
      message:
        `${name} has ${replaced.length} keys that this ArgoCD does not set, too large to back up: ` +
        'move them into the spec, or delete the ConfigMap',
    };
  const object = objectOf(input, live.metadata, kept);
  const notice = noticeOf(input, { data, isOwned, isKnown, replaced });
  return { kind: live.immutable === true ? 'recreate' : 'update', object, ...(notice === undefined ? {} : { notice }) };
}

function noticeOf(
  input: MapInput,
  {
    data,
    isOwned,
    isKnown,
    replaced,
  }: { data: ConfigMapData; isOwned: boolean; isKnown: boolean; replaced: readonly (readonly [string, string])[] },
): Notice | undefined {
  const { name, argocd, wanted, live, written } = input;
  if (!isKnown) {
    if (replaced.length === 0) return undefined;
    const places = replaced.slice(0, MAX_NAMED_KEYS).map(([key]) => `${key} to ${fieldFor(name, key, input.entries)}`);
    return {
      reason: 'SettingsTakenOver',
      message:
        `${name} is now managed by ${titleOf(argocd)}. ${counted(replaced.length, 'key')} that it does not set ` +
        `${replaced.length === 1 ? 'is' : 'are'} kept in the annotation ${REPLACED_ANNOTATION} only: move ` +
        `${places.join(', ')}${replaced.length > MAX_NAMED_KEYS ? ', ...' : ''}`,
    };
  }
  const isEdited =
    written === undefined ? live?.metadata.annotations?.[DIGEST_ANNOTATION] !== digest(data) : !sameData(data, written);
  const keys = [...new Set([...data.keys(), ...wanted.keys()])]
    .filter((key) => data.get(key) !== wanted.get(key))
    .sort(compareText);
  if (isEdited && keys.length > 0) return revertNotice(input, keys, editText(keys, data, wanted));
  // An older ArgoCD of the namespace managed it before: the ConfigMap was not edited.
  const isInherited = (live?.metadata.ownerReferences ?? []).some(({ kind }) => kind === ARGOCDS.kind);
  if (!isOwned && !isInherited) return revertNotice(input, [], 'its owner reference was removed');
  if (live?.binaryData !== undefined) return revertNotice(input, [], 'binaryData was added');
  return undefined;
}

function editOf(key: string, data: ConfigMapData, wanted: ConfigMapData): 'added' | 'changed' | 'removed' {
  if (!wanted.has(key)) return 'added';
  return data.has(key) ? 'changed' : 'removed';
}

function editText(keys: readonly string[], data: ConfigMapData, wanted: ConfigMapData): string {
  return (
    keys
      .slice(0, MAX_NAMED_KEYS)
      .map((key) => `data[${JSON.stringify(key)}] was ${editOf(key, data, wanted)}`)
      .join(', ') + (keys.length > MAX_NAMED_KEYS ? ` and ${keys.length - MAX_NAMED_KEYS} more` : '')
  );
}

function revertNotice({ name, argocd, entries, live }: MapInput, keys: readonly string[], what: string): Notice {
  const places = [...new Set(keys.slice(0, MAX_NAMED_KEYS).map((key) => fieldFor(name, key, entries)))];
  const who = live === undefined ? '' : editorOf(live, keys);
  const where = places.length === 0 ? '' : `: ${places.join(', ')}`;
  const { name: owner = '', namespace = '' } = argocd.metadata;
  return {
    reason: 'SettingsReverted',
    message:
      `${what}${who === '' ? '' : ` by ${who}`} and was reverted: ${titleOf(argocd)} manages ` +
      `this ConfigMap. Make the change there${where} (kubectl edit argocd ${owner} -n ${namespace})`,
  };
}

/** The last writer among the owners of the keys, otherwise of all. Empty if there is no other. */
function editorOf({ metadata }: KubeObject, keys: readonly string[]): string {
  const others = (metadata.managedFields ?? [])
    .filter(({ manager }) => manager !== 'argosy')
    .sort((a, b) => compareText(b.time ?? '', a.time ?? ''));
  const owns = (fields: JsonObject | undefined): boolean => {
    const data = fields?.['f:data'];
    return isObject(data) && keys.some((key) => own(data, `f:${key}`) !== undefined);
  };
  const found = others.find(({ fieldsV1 }) => owns(isObject(fieldsV1) ? fieldsV1 : undefined)) ?? others[0];
  return typeof found?.manager === 'string' ? found.manager : '';
}

function titleOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `ArgoCD ${namespace}/${name}`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Labels, annotations and owners of others stay. */
function objectOf(
  input: MapInput,
  metadata: ObjectMeta,
  annotations: Readonly<Record<string, string>> = {},
): KubeObject {
  const { argocd, wanted } = input;
  const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind !== ARGOCDS.kind);
  const { managedFields: _fields, ...rest } = metadata;
  const reference = {
    apiVersion: apiVersionOf(ARGOCDS),
    kind: ARGOCDS.kind,
    name: argocd.metadata.name ?? '',
    uid: argocd.metadata.uid ?? '',
    controller: !owners.some(({ controller }) => controller === true),
    blockOwnerDeletion: true,
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      ...rest,
      labels: { ...rest.labels, ...labelsOf(input) },
      annotations: { ...rest.annotations, ...annotations, [DIGEST_ANNOTATION]: digest(wanted) },
      ownerReferences: [...owners, reference],
    },
    ...(wanted.size === 0 ? {} : { data: Object.fromEntries(wanted) }),
  };
}

function labelsOf({ name, argocd }: MapInput): Record<string, string> {
  return {
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/part-of': 'argocd',
    'app.kubernetes.io/managed-by': (argocd.metadata.name ?? '').slice(0, 63),
  };
}

function hasLabels(input: MapInput, live: KubeObject): boolean {
  return Object.entries(labelsOf(input)).every(([key, value]) => live.metadata.labels?.[key] === value);
}

function ownsIt({ metadata: { uid } }: KubeObject, { metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).some((reference) => reference.kind === ARGOCDS.kind && reference.uid === uid);
}

/** What a ConfigMap holds, if it is what we wrote there ourselves. */
export function ownData(live: KubeObject | undefined): ConfigMapData | undefined {
  if (live === undefined) return undefined;
  const data = dataOf(live);
  return live.metadata.annotations?.[DIGEST_ANNOTATION] === digest(data) ? data : undefined;
}

function dataOf({ data }: KubeObject): ConfigMapData {
  if (!isObject(data)) return new Map();
  return new Map(
    Object.keys(data).flatMap((key) => {
      const value = own(data, key);
      return typeof value === 'string' ? [[key, value] as const] : [];
    }),
  );
}

function sameData(a: ConfigMapData, b: ConfigMapData): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

function digest(data: ConfigMapData): string {
  return createHash('sha256')
    .update(writeJson([...data].sort(([a], [b]) => compareText(a, b)).map((pair) => [...pair])))
    .digest('hex')
    .slice(0, 32);
}
