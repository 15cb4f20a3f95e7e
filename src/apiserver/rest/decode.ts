import { formatGoValue, quoteGo } from '../../model/go/index.js';
import { isArray, isObject, own, writeJson, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError, badRequest, invalid, invalidField } from '../errors/index.js';
import type { ResourceType } from '../resources/index.js';
import { apiVersionOf, type Call } from './context.js';

/** A field that is unknown or repeated: where it is, and how the real server says so. */
export interface StrictError {
  readonly path: string;
  readonly text: string;
  /** The text of the error where it differs from the warning's. */
  readonly errorText?: string;
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Turns a body into an object of the type, with unknown and repeated fields treated as the client asked. */
export function decodeObject(
  call: Pick<Call, 'type' | 'warn'>,
  value: JsonObject,
  duplicates: readonly StrictError[],
  validation: FieldValidation,
): KubeObject {
  return decodeFields(call, value, duplicates, validation);
}

/** The same for the result of a patch, whose errors are reported as errors of the patch. */
export function decodePatched(
  call: Pick<Call, 'type' | 'warn'>,
  value: JsonObject,
  duplicates: readonly StrictError[],
  validation: FieldValidation,
  strategicPatch?: Json,
): KubeObject {
  const strategic = strategicPatch !== undefined;
  // Of a strategic merge patch the real server shows the patch, of the others the object they led to.
  const printed = strategic ? formatGoValue(strategicPatch) : writeJson({ apiVersion: value.apiVersion, ...value });
  const { type } = call;
  if (value.apiVersion !== apiVersionOf(type))
    throw badPatch(
      printed,
      `no kind ${JSON.stringify(value.kind)} is registered for version ${JSON.stringify(value.apiVersion)} ` +
        'in scheme "pkg/runtime/scheme.go:110"',
    );
  if (value.kind !== type.kind) throw badPatch(printed, wrongKind(type, String(value.kind)));
  try {
    return decodeFields(call, value, duplicates, validation);
  } catch (error) {
    const start = `${handledAs(type)}: `;
    if (error instanceof ApiError && error.message.startsWith(start))
      throw badPatch(printed, patchMessage(error.message.slice(start.length), strategic));
    throw error;
  }
}

/** The converter behind strategic merge patches walks fields by name and has its own words for a wrong type. */
function patchMessage(why: string, strategic: boolean): string {
  if (!strategic) return why;
  const [, found = '', type] = /^json: cannot unmarshal (\S+) .* of type (\S+)$/.exec(why) ?? [];
  if (type !== undefined) return restoreText(found, type);
  const start = 'strict decoding error: ';
  return why.startsWith(start) ? start + why.slice(start.length).split(', ').sort().join(', ') : why;
}

function restoreText(found: string, type: string): string {
  if (type.startsWith('[]')) return `cannot restore slice from ${found}`;
  if (type.startsWith('map[')) return `cannot restore map from ${found}`;
  // Go would turn an integer into a letter, so its converter gets that far before it refuses.
  if (type === 'string' && found === 'number') return 'cannot convert int64 to string';
  return type.includes('.') ? `cannot restore struct from: ${found}` : `unrecognized type: ${type}`;
}

function badPatch(printed: string, why: string): ApiError {
  return invalid({ group: '', kind: '' }, '', [invalidField('patch', printed, why)]);
}

function decodeFields(
  call: Pick<Call, 'type' | 'warn'>,
  value: JsonObject,
  duplicates: readonly StrictError[],
  validation: FieldValidation,
): KubeObject {
  const { object, unknownFields } = call.type.decode(value);
  const unknown = unknownFields.map((path) => ({ path, text: `unknown field ${quoteGo(path)}` }));
  // Custom resources name repeated fields first, built-in kinds in the order in which the document has them.
  const errors = call.type.custom ? [...duplicates, ...unknown] : inDocumentOrder(value, [...unknown, ...duplicates]);
  reportStrictErrors(call, errors, validation);
  if (!isObject(object.metadata)) object.metadata = {};
  return object;
}

/** Warns of problems or refuses them, as the client asked. */
export function reportStrictErrors(
  call: Pick<Call, 'type' | 'warn'>,
  errors: readonly StrictError[],
  validation: FieldValidation,
): void {
  if (errors.length === 0 || validation === 'Ignore') return;
  if (validation === 'Warn') for (const { text } of errors) call.warn(text);
  else
    throw badRequest(
      `${handledAs(call.type)}: strict decoding error: ` +
        errors.map(({ text, errorText }) => errorText ?? text).join(', '),
    );
}

function inDocumentOrder(value: JsonObject, errors: readonly StrictError[]): readonly StrictError[] {
  if (errors.length < 2) return errors;
  const order = new Map<string, number>();
  const walk = (at: Json | undefined, path: string): void => {
    if (path !== '') order.set(path, order.size);
    if (isObject(at)) for (const key of Object.keys(at)) walk(own(at, key), path === '' ? key : `${path}.${key}`);
    else if (isArray(at)) at.forEach((item, index) => walk(item, `${path}[${index}]`));
  };
  walk(value, '');
  return [...errors].sort((a, b) => (order.get(a.path) ?? 0) - (order.get(b.path) ?? 0));
}

function handledAs(type: ResourceType): string {
  return `${type.kind} in version ${JSON.stringify(type.version)} cannot be handled as a ${type.kind}`;
}

/** The words of the real server's converter; it calls groups by their Go package. */
function wrongKind(type: ResourceType, kind: string): string {
  return `converting (${type.version}.${kind}) to (${internalName(type)}): unknown conversion`;
}

/** `core.ConfigMap`, `apps.Deployment`. */
export function internalName(type: ResourceType): string {
  return `${type.group === '' ? 'core' : (type.group.split('.')[0] ?? '')}.${type.kind}`;
}
