import { isArray, isObject, own, put, writeJson, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { LAST_APPLIED } from '../fields/index.js';

/** What the comparison must know about the object beside the two sides. */
export interface NormalizeOptions {
  /** Group and kind, such as `apps/Deployment` and `/Secret`. */
  readonly type: string;
  readonly ignoreAggregatedRoles: boolean;
  readonly ignoreStatus: boolean;
  /** The label that names the application, and whether annotations track it. */
  readonly instanceLabel: string;
  readonly tracksByAnnotation: boolean;
}

interface Sides {
  readonly target: JsonObject;
  readonly live: JsonObject;
}

const DEFINITION = 'apiextensions.k8s.io/CustomResourceDefinition';
const TRACKING_ID = 'argocd.argoproj.io/tracking-id';
/** Written by the server, or part of the identity by which the two were paired. */
const SERVER_METADATA: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'generateName',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);

/**
 * Both objects without what never counts, and with what each kind is known to rewrite made equal. The given objects
 * stay as they are.
 */
export function normalizeObjects(target: JsonObject, live: JsonObject, options: NormalizeOptions): Sides {
  const sides = { target: bare(target, options), live: bare(live, options) };
  alignTracking(sides, options);
  KINDS.get(options.type)?.(sides, options);
  return sides;
}

function bare(object: JsonObject, { ignoreStatus }: NormalizeOptions): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(object)) {
    if (key === 'apiVersion' || key === 'kind' || (key === 'status' && ignoreStatus)) continue;
    const value = own(object, key);
    put(result, key, key === 'metadata' && isObject(value) ? bareMetadata(value) : value);
  }
  return result;
}

function bareMetadata(metadata: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(metadata)) {
    if (SERVER_METADATA.has(key)) continue;
    const value = own(metadata, key);
    put(
      result,
      key,
      key === 'annotations' && isObject(value) && own(value, LAST_APPLIED) !== undefined
        ? without(value, LAST_APPLIED)
        : value,
    );
  }
  return result;
}

function without(object: JsonObject, name: string): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(object)) if (key !== name) put(result, key, own(object, key));
  return result;
}

/** An object last synced under label tracking is not OutOfSync for the way it is tracked; a foreign tracking id is. */
function alignTracking({ target, live }: Sides, { type, instanceLabel, tracksByAnnotation }: NormalizeOptions): void {
  if (!tracksByAnnotation || type === DEFINITION) return;
  const metadata = isObject(live.metadata) ? live.metadata : undefined;
  const labels = isObject(metadata?.labels) ? metadata.labels : undefined;
  if (metadata === undefined || labels === undefined || !own(labels, instanceLabel)) return;
  const stated = isObject(target.metadata) ? target.metadata : {};
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
  const id = isObject(stated.annotations) ? own(stated.annotations, TRACKING_ID) : undefined;
  if (id !== undefined && !own(annotations, TRACKING_ID)) metadata.annotations = { ...annotations, [TRACKING_ID]: id };
  if (!isObject(stated.labels) || !own(stated.labels, instanceLabel)) metadata.labels = without(labels, instanceLabel);
}

type Align = (sides: Sides, options: NormalizeOptions) => void;

const KINDS: ReadonlyMap<string, Align> = new Map<string, Align>([
  ['/Secret', ({ target, live }) => [target, live].forEach(storeStringData)],
  ['/Endpoints', ({ target, live }) => [target, live].forEach(sortSubsets)],
  ['rbac.authorization.k8s.io/Role', alignRules],
  ['rbac.authorization.k8s.io/ClusterRole', alignRules],
  ['apps/StatefulSet', ({ target, live }) => [target, live].forEach(dropClaimDefaults)],
  ['route.openshift.io/Route', alignGeneratedHost],
  [DEFINITION, ({ target }) => dropPreserveUnknownFields(target)],
]);

/** `stringData` becomes `data`, as the server stores it; null is empty, and base64 is written in one way. */
function storeStringData(secret: JsonObject): void {
  const { data, stringData } = secret;
  if (!isObject(data) && !isObject(stringData)) return;
  const stored: JsonObject = {};
  if (isObject(data)) for (const key of Object.keys(data)) put(stored, key, canonicalBase64(own(data, key) ?? ''));
  if (isObject(stringData)) {
    for (const key of Object.keys(stringData)) {
      const value = own(stringData, key) ?? '';
      put(stored, key, typeof value === 'string' ? Buffer.from(value).toString('base64') : value);
    }
  }
  secret.data = stored;
  delete secret.stringData;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function canonicalBase64(value: Json): Json {
  if (typeof value !== 'string' || !/[\r\n]/.test(value)) return value;
  const text = value.replace(/[\r\n]/g, '');
  return BASE64.test(text) ? text : value;
}

/** The Secret as it is to be applied: server-side apply removes keys of `data` only, never of `stringData`. */
export function withStoredData(object: KubeObject): KubeObject {
  if (object.kind !== 'Secret' || object.apiVersion !== 'v1' || !isObject(object.stringData)) return object;
  const { stringData: _stringData, ...rest } = object;
  return { ...rest, data: storedSecret(object).data };
}

/** A copy with `stringData` where the server puts it. */
export function storedSecret(secret: JsonObject): JsonObject {
  const copy = { ...secret };
  storeStringData(copy);
  return copy;
}

/** Rules of an aggregated role are the controller's; no rules and an empty list are the same. */
function alignRules({ target, live }: Sides, { ignoreAggregatedRoles }: NormalizeOptions): void {
  const isNone = (rules: Json | undefined): boolean =>
    rules === undefined || rules === null || (isArray(rules) && rules.length === 0);
  if (isObject(target.aggregationRule) && (ignoreAggregatedRoles || isNone(target.rules))) {
    delete target.rules;
    delete live.rules;
  }
  for (const side of [target, live]) if (isNone(side.rules)) delete side.rules;
}

function sortSubsets(endpoints: JsonObject): void {
  if (!isArray(endpoints.subsets)) return;
  endpoints.subsets = sorted(
    endpoints.subsets.map((subset) => {
      if (!isObject(subset)) return subset;
      const copy = { ...subset };
      if (isArray(copy.ports))
        copy.ports = sorted(
          copy.ports.map((port) =>
            isObject(port) && port.protocol === undefined ? { ...port, protocol: 'TCP' } : port,
          ),
        );
      for (const list of ['addresses', 'notReadyAddresses']) {
        const addresses = own(copy, list);
        if (isArray(addresses)) put(copy, list, sorted(addresses));
      }
      return copy;
    }),
  );
}

function sorted(items: readonly Json[]): Json[] {
  return items
    .map((item) => ({ item, text: sortedText(item) }))
    .sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)))
    .map(({ item }) => item);
}

function sortedText(value: Json): string {
  if (!isObject(value)) return isArray(value) ? `[${value.map(sortedText).join(',')}]` : writeJson(value);
  return Object.keys(value)
    .sort()
    .map((key) => `${key}=${sortedText(own(value, key) ?? null)}`)
    .join(',');
}

/** The server fills in claim templates as if they were claims. */
function dropClaimDefaults(side: JsonObject): void {
  const spec = isObject(side.spec) ? side.spec : undefined;
  if (!isArray(spec?.volumeClaimTemplates)) return;
  const volumeClaimTemplates = spec.volumeClaimTemplates.map((template) => {
    if (!isObject(template)) return template;
    const { apiVersion: _version, kind: _kind, status: _status, ...rest } = template;
    return isObject(rest.metadata) ? { ...rest, metadata: without(rest.metadata, 'creationTimestamp') } : rest;
  });
  side.spec = { ...spec, volumeClaimTemplates };
}

/** `false` is the only value that version 1 has, and it is not stored. */
function dropPreserveUnknownFields(target: JsonObject): void {
  if (isObject(target.spec) && target.spec.preserveUnknownFields === false)
    target.spec = without(target.spec, 'preserveUnknownFields');
}

/** An empty host asks the router for one. */
function alignGeneratedHost({ target, live }: Sides): void {
  const spec = isObject(target.spec) ? target.spec : undefined;
  const annotations = isObject(live.metadata) && isObject(live.metadata.annotations) ? live.metadata.annotations : {};
  if (spec?.host === '' && own(annotations, 'openshift.io/host.generated') === 'true')
    target.spec = without(spec, 'host');
}
