import { isObject, own, type Json } from '../../model/json/index.js';
import { joinApiVersion, type GroupVersionKind } from '../../model/kubernetes/index.js';
import { badRequest, invalid, invalidField, type ApiError } from '../errors/index.js';
import { DecodeError, jsonKind } from './decode-error.js';
import { isBuiltinKind } from './compile.js';

/** The resource that a body is sent to. */
export interface BodyTarget extends GroupVersionKind {
  readonly custom: boolean;
}

/** Where the real server's scheme was made; its messages name the place. */
const SCHEME = 'pkg/runtime/scheme.go:110';
/** Groups whose servers know no kinds but their own. */
const OWN_SCHEME = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);
/** Versions that are no longer served but whose kinds the real server still knows by name. */
const RETIRED = new Set([
  'apps/v1beta1',
  'apps/v1beta2',
  'extensions/v1beta1',
  'batch/v1beta1',
  'policy/v1beta1',
  'autoscaling/v2beta1',
  'autoscaling/v2beta2',
  'networking.k8s.io/v1beta1',
  'rbac.authorization.k8s.io/v1beta1',
  'rbac.authorization.k8s.io/v1alpha1',
  'storage.k8s.io/v1beta1',
  'events.k8s.io/v1beta1',
  'coordination.k8s.io/v1beta1',
  'discovery.k8s.io/v1beta1',
  'scheduling.k8s.io/v1beta1',
  'node.k8s.io/v1beta1',
  'certificates.k8s.io/v1beta1',
  'admissionregistration.k8s.io/v1beta1',
  'authentication.k8s.io/v1beta1',
  'authorization.k8s.io/v1beta1',
]);
const SUMMARY_LENGTH = 30;

/**
 * Refuses a body that says it is something else than the resource it is sent to, in the real server's words. `text` is
 * the body as it came, which some messages quote.
 */
export function checkBodyKind(value: Json, text: string, as: BodyTarget): void {
  const claim = readClaim(value, text, as);
  if (as.custom) checkCustom(claim, value, text, as);
  else checkBuiltin(claim, text, as);
}

interface Claim {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Go reads these two names without regard to case, and the last one wins. */
function readClaim(value: Json, text: string, as: BodyTarget): Claim {
  if (value === null) return { apiVersion: '', kind: '' };
  if (!isObject(value))
    throw unrecognized(
      parseErrorText(
        `${jsonKind(value)} into Go value of type struct { APIVersion string ` +
          '"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
      ),
      text,
      as,
    );
  const claim = { apiVersion: '', kind: '' };
  for (const key of Object.keys(value)) {
    const name = key === 'kind' || key === 'apiVersion' ? key : foldedName(key);
    if (name === undefined) continue;
    const member = own(value, key) ?? null;
    if (typeof member === 'string') claim[name] = member;
    else if (member !== null)
      throw unrecognized(parseErrorText(`${jsonKind(member)} into Go struct field .${name} of type string`), text, as);
  }
  return claim;
}

function foldedName(key: string): 'kind' | 'apiVersion' | undefined {
  if (key.length === 4) return key.toLowerCase() === 'kind' ? 'kind' : undefined;
  return key.length === 10 && key.toLowerCase() === 'apiversion' ? 'apiVersion' : undefined;
}

function parseErrorText(what: string): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${what}`;
}

function checkCustom({ apiVersion, kind }: Claim, value: Json, text: string, as: BodyTarget): void {
  if (kind === '') throw unrecognized(`Object 'Kind' is missing in '${text}'`, text, as);
  const wanted = joinApiVersion(as.group, as.version);
  if (apiVersion !== wanted) throw otherVersion(apiVersion, wanted);
  if (kind !== as.kind)
    throw invalid({ group: as.group, kind }, metadataName(value), [invalidField('kind', kind, `must be ${as.kind}`)]);
}

function metadataName(value: Json): string {
  const metadata = isObject(value) ? value.metadata : undefined;
  return isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
}

function checkBuiltin(claim: Claim, text: string, as: BodyTarget): void {
  const kind = claim.kind === '' ? as.kind : claim.kind;
  const { group, version } = defaulted(claim.apiVersion, text, as);
  if (group === as.group && version === as.version && kind === as.kind) return;
  const cannot = (message: string): ApiError => badRequest(cannotHandle({ kind, version }, as.kind, message));
  if (version === '') throw cannot(`Object 'apiVersion' is missing in '${text}'`);
  const apiVersion = joinApiVersion(group, version);
  if (!isRegistered({ group, version, kind }, as))
    throw cannot(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "${SCHEME}"`);
  if (kind === as.kind && internalPackage(group, kind) === internalPackage(as.group, as.kind))
    throw otherVersion(apiVersion, joinApiVersion(as.group, as.version));
  throw cannot(
    `converting (${version}.${kind}) to (${internalPackage(as.group, as.kind)}.${as.kind}): unknown conversion`,
  );
}

/** An apiVersion that leaves group or version open takes them from the resource. */
function defaulted(apiVersion: string, text: string, as: BodyTarget): { group: string; version: string } {
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/');
  if (parts.length > 2) throw unrecognized(`unexpected GroupVersion string: ${apiVersion}`, text, as);
  const [first = '', second] = parts;
  const group = second === undefined ? '' : first;
  const version = second ?? first;
  if (version === '' && (group === '' || group === as.group)) return { group: as.group, version: as.version };
  return { group, version };
}

function isRegistered(kind: GroupVersionKind, as: BodyTarget): boolean {
  if (kind.group !== as.group && (OWN_SCHEME.has(kind.group) || OWN_SCHEME.has(as.group))) return false;
  return isBuiltinKind(kind) || RETIRED.has(joinApiVersion(kind.group, kind.version));
}

/** The Go package of a group's unversioned types; events of both groups are one type of core. */
function internalPackage(group: string, kind: string): string {
  return group === '' || (group === 'events.k8s.io' && kind === 'Event') ? 'core' : (group.split('.')[0] ?? '');
}

function otherVersion(found: string, wanted: string): ApiError {
  return badRequest(`the API version in the data (${found}) does not match the expected API version (${wanted})`);
}

/** A body whose kind cannot even be made out. */
export function unrecognized(message: string, text: string, as: { readonly kind: string }): ApiError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${as.kind}): ${message} (${summary(Buffer.from(text))})`,
  );
}

/** The start of a body: as text if it is an object, else in hexadecimal. */
export function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const start = bytes.subarray(0, SUMMARY_LENGTH);
  const rest = bytes.length > SUMMARY_LENGTH ? ' ...' : '';
  return (bytes[0] === 0x7b ? start.toString() : start.toString('hex')) + rest;
}

/** The sentence around what is wrong with a body. */
function cannotHandle(
  found: { readonly kind: string; readonly version: string },
  wanted: string,
  message: string,
): string {
  return `${found.kind} in version "${found.version}" cannot be handled as a ${wanted}: ${message}`;
}

/** A decode problem as the 400 that the real server answers. */
export function asBadRequest(error: unknown, as: { readonly kind: string; readonly version: string }): unknown {
  return error instanceof DecodeError ? badRequest(cannotHandle(as, as.kind, error.message)) : error;
}
