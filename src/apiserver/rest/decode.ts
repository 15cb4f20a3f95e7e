import { isObject, type JsonObject, type KubeObject } from '../../model/index.js';
import { badRequest } from '../api-error.js';
import type { ResourceType } from '../resources/resource-type.js';
import { apiVersionOf, type Call } from './context.js';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Turns a body into an object of the type, with unknown and repeated fields treated as the client asked. */
export function decodeObject(call: Pick<Call, 'type' | 'warn'>, value: JsonObject, duplicates: readonly string[], validation: FieldValidation): KubeObject {
  checkKind(call.type, value);
  const { object, unknownFields } = call.type.decode(value);
  report(call, [...duplicates.map((path) => `duplicate field "${path}"`), ...unknownFields.map((path) => `unknown field "${path}"`)], validation);
  if (!isObject(object.metadata)) object.metadata = {};
  return object;
}

function report(call: Pick<Call, 'type' | 'warn'>, problems: readonly string[], validation: FieldValidation): void {
  if (problems.length === 0 || validation === 'Ignore') return;
  if (validation === 'Warn') for (const problem of problems) call.warn(problem);
  else throw badRequest(`${handledAs(call.type)}: strict decoding error: ${problems.join(', ')}`);
}

function handledAs(type: ResourceType): string {
  return `${type.kind} in version ${JSON.stringify(type.version)} cannot be handled as a ${type.kind}`;
}

/** An object of another kind or version than the path says is refused before anything else is looked at. */
function checkKind(type: ResourceType, value: JsonObject): void {
  const { kind, apiVersion } = value;
  const wanted = apiVersionOf(type);
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== wanted) {
    throw badRequest(`the API version in the data (${String(apiVersion)}) does not match the expected API version (${wanted})`);
  }
  if (kind !== undefined && kind !== '' && kind !== type.kind) {
    throw badRequest(`${String(kind)} in version ${JSON.stringify(type.version)} cannot be handled as a ${type.kind}: converting (${String(kind)}) to (${type.kind}): unknown conversion`);
  }
}

export function readFieldValidation(text: string | null): FieldValidation {
  if (text === null || text === '') return 'Warn';
  if (text === 'Ignore' || text === 'Warn' || text === 'Strict') return text;
  throw badRequest(`fieldValidation: Unsupported value: ${JSON.stringify(text)}: supported values: "Ignore", "Strict", "Warn"`);
}
