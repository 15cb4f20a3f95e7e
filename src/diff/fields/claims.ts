import { isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Claim, FieldOwner } from './claim.js';
import { appliedNode } from './last-applied.js';

export interface ClaimOptions {
  /** The manager we apply with. */
  readonly manager: string;
  /** All managers whose fields are ours, that one included. */
  readonly managers: ReadonlySet<string>;
  readonly trusted: ReadonlySet<string>;
}

const NONE: readonly Claim[] = [];

/** Everybody's claims on the live object, and ours as far as they are evidence of what we once applied. */
export function liveClaims(live: KubeObject, options: ClaimOptions): readonly Claim[] {
  const claims: Claim[] = [];
  const updates: Claim[] = [];
  for (const { manager, operation, time, node } of entriesOf(live)) {
    const ours = options.managers.has(manager);
    const applied = operation === 'Apply';
    const owner: FieldOwner = {
      manager,
      time,
      isOurs: ours && applied,
      current: applied && manager === options.manager,
      shape: true,
      trusted: options.trusted.has(manager),
      predicted: false,
    };
    const claim = { owner, node };
    claims.push(claim);
    if (ours && !applied) updates.push(claim);
  }
  if (updates.length > 0 || claims.length === 0) addLastApplied(live, updates, claims);
  return claims;
}

/**
 * Defaults of the server count as written by whoever created an object client-side, so only the annotation is evidence
 * there.
 */
function addLastApplied(live: KubeObject, updates: readonly Claim[], claims: Claim[]): void {
  const withoutOwners = claims.length === 0;
  for (const { owner, node } of withoutOwners ? [UNKNOWN] : updates) {
    const applied = appliedNode(live, node);
    if (applied !== undefined) claims.push({ owner: { ...owner, isOurs: true, shape: false }, node: applied });
  }
}

/** Objects without any managedFields: only the annotation tells what was applied. */
const UNKNOWN: Claim = {
  owner: { manager: '', time: '', isOurs: true, current: false, shape: false, trusted: false, predicted: false },
  node: undefined,
};

/** What our manager owns in the server's prediction. */
export function predictedClaims(predicted: KubeObject, options: ClaimOptions): readonly Claim[] {
  return entriesOf(predicted)
    .filter(({ manager, operation }) => operation === 'Apply' && manager === options.manager)
    .map(({ manager, time, node }) => ({
      owner: { manager, time, isOurs: false, current: true, shape: true, trusted: false, predicted: true },
      node,
    }));
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly time: string;
  readonly node: JsonObject;
}

function entriesOf(object: KubeObject): Entry[] {
  const entries: readonly Json[] | undefined = object.metadata.managedFields;
  if (!Array.isArray(entries)) return [];
  const isSecret = object.kind === 'Secret' && object.apiVersion === 'v1';
  const found: Entry[] = [];
  for (const entry of entries) {
    if (!isObject(entry) || !isObject(entry.fieldsV1) || entry.subresource === 'status') continue;
    found.push({
      manager: textOf(entry.manager),
      operation: textOf(entry.operation),
      time: textOf(entry.time),
      node: isSecret ? storedNode(entry.fieldsV1) : entry.fieldsV1,
    });
  }
  return found;
}

/** Whoever owns a key of `stringData` owns what the server makes of it. */
function storedNode(node: JsonObject): JsonObject {
  const { 'f:stringData': written, 'f:data': stored } = node;
  return isObject(written) ? { ...node, 'f:data': { ...(isObject(stored) ? stored : {}), ...written } } : node;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The claims below one element, such as `f:spec`. */
export function below(claims: readonly Claim[], element: string): readonly Claim[] {
  if (claims.length === 0) return NONE;
  const result: Claim[] = [];
  for (const claim of claims) {
    if (claim.node === undefined) result.push(claim);
    else {
      const node = own(claim.node, element);
      if (isObject(node)) result.push({ owner: claim.owner, node });
    }
  }
  return result;
}

export function isLeaf(node: JsonObject): boolean {
  for (const _key in node) return false;
  return true;
}

/** Whether the value here is owned as one piece: somebody claims it, and nobody a part of it. */
export function isAtomic(claims: readonly Claim[]): boolean {
  let whole = false;
  for (const { owner, node } of claims) {
    if (!owner.shape) continue;
    if (node === undefined || isLeaf(node)) whole = true;
    else if (hasParts(node)) return false;
  }
  return whole;
}

export function hasParts(node: JsonObject): boolean {
  for (const key in node) if (key !== '.') return true;
  return false;
}

/** The claims that hold for everything below a value that is one piece. */
export function inherited(claims: readonly Claim[]): readonly Claim[] {
  const result: Claim[] = [];
  for (const claim of claims) {
    if (claim.node === undefined) result.push(claim);
    else if (isLeaf(claim.node)) result.push({ owner: claim.owner, node: undefined });
  }
  return result;
}

/** Who owns a place in live: of several the one that wrote last. */
export function ownerOf(claims: readonly Claim[]): { owner: string; since: string } {
  let latest: FieldOwner | undefined;
  for (const { owner } of claims) {
    if (owner.predicted || (latest !== undefined && (owner.time < latest.time || !owner.shape))) continue;
    latest = owner;
  }
  return { owner: latest?.manager ?? '', since: latest?.time ?? '' };
}
