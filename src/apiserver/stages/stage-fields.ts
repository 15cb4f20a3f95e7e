import { isArray, isObject, writeJson, type Json, type JsonObject } from '../../model/index.js';
import { inside, wrong, type Place } from './expressions.js';

export function onlyFields(map: JsonObject, known: readonly string[], place: Place): void {
  const unknown = Object.keys(map).find((key) => !known.includes(key));
  if (unknown !== undefined) throw wrong(inside(place, unknown), `unknown field; known are ${known.join(', ')}`);
}

export function mapOf(raw: Json | undefined, place: Place): JsonObject {
  if (!isObject(raw)) throw wrong(place, raw === undefined ? 'required' : `${writeJson(raw)} is not a map`);
  return raw;
}

export function listOf(raw: Json | undefined, place: Place): Json[] {
  if (!isArray(raw)) throw wrong(place, `${raw === undefined ? 'nothing' : writeJson(raw)} is not a list`);
  return raw;
}

export function textOf(raw: Json | undefined, place: Place, mayBeEmpty = false): string {
  if (raw === undefined || (raw === '' && !mayBeEmpty)) throw wrong(place, 'required');
  if (typeof raw !== 'string') throw wrong(place, `${writeJson(raw)} is not text`);
  return raw;
}

export function flagOf(raw: Json | undefined, place: Place): boolean {
  if (raw !== undefined && typeof raw !== 'boolean') throw wrong(place, `${writeJson(raw)} is neither true nor false`);
  return raw === true;
}
