import { isArray, isObject, writeJson, type Json, type JsonObject } from '../../model/json/index.js';
import { inside, stageFault, type Place } from './expressions.js';

export function onlyFields(map: JsonObject, known: readonly string[], place: Place): void {
  const unknown = Object.keys(map).find((key) => !known.includes(key));
  if (unknown !== undefined) throw stageFault(inside(place, unknown), `unknown field; known are ${known.join(', ')}`);
}

export function mapOf(raw: Json | undefined, place: Place): JsonObject {
  if (!isObject(raw)) throw stageFault(place, raw === undefined ? 'required' : `${writeJson(raw)} is not a map`);
  return raw;
}

export function listOf(raw: Json | undefined, place: Place): Json[] {
  if (!isArray(raw)) throw stageFault(place, `${raw === undefined ? 'nothing' : writeJson(raw)} is not a list`);
  return raw;
}

export function textOf(raw: Json | undefined, place: Place, mayBeEmpty = false): string {
  if (raw === undefined || (raw === '' && !mayBeEmpty)) throw stageFault(place, 'required');
  if (typeof raw !== 'string') throw stageFault(place, `${writeJson(raw)} is not text`);
  return raw;
}

export function flagOf(raw: Json | undefined, place: Place): boolean {
  if (raw !== undefined && typeof raw !== 'boolean')
    throw stageFault(place, `${writeJson(raw)} is neither true nor false`);
  return raw === true;
}
