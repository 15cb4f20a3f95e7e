import { own, parseJson, put, type Json, type JsonObject } from '../../../../model/json/index.js';
import { writeYaml } from '../../../../model/yaml/index.js';
import { functionError } from '../../template/template-error.js';
import { entryOf, GoTyped, type GoObject, type GoValue } from '../../template/value/go-value.js';
import { PartCount } from '../../template/value/weight.js';
import { toJson } from './json-writer.js';

/**
 * toYaml: Go writes JSON, reads that as YAML and writes it again. Values that come from YAML files take a short way;
 * the rest goes through JSON as in Go.
 */
export function toYaml(value: GoValue): string {
  return writeYaml(isPlain(value, 0, new PartCount()) ? value : throughJson(value)).slice(0, -1);
}

/** Characters that mean something else to the YAML reader in between, or that JSON does not carry. */
const SPECIAL = /[\x7f-\x9f\ufffe\uffff\ud800-\udfff]/;
const DEEP = 500;
const MAX_KEY_LENGTH = 900;

/** Only types that JSON has, in a form that the way through JSON would not change. */
function isPlain(value: GoValue, depth: number, parts: PartCount): value is Json {
  parts.add();
  switch (typeof value) {
    case 'string':
      return !SPECIAL.test(value);
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
    case 'bigint':
      return true;
    default:
      break;
  }
  if (value === null) return true;
  if (value instanceof GoTyped || depth > DEEP) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1, parts));
  return isPlainObject(value, depth, parts);
}

function isPlainObject(object: GoObject, depth: number, parts: PartCount): boolean {
  for (const key of Object.keys(object)) {
    if (key.length > MAX_KEY_LENGTH || SPECIAL.test(key) || !isPlain(entryOf(object, key) ?? null, depth + 1, parts))
      return false;
  }
  return true;
}

const FORBIDDEN = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/;
const MAX_WRITTEN_KEY_LENGTH = 1024;

function throughJson(value: GoValue): Json {
  const json = toJson(value, { html: true });
  if (FORBIDDEN.test(json)) throw functionError('yaml: control characters are not allowed');
  const plain = parseJson(json);
  return json.includes('\x85') || json.length > MAX_WRITTEN_KEY_LENGTH ? asYaml(plain) : plain;
}

/** What the YAML reader makes of JSON: a next-line character is a line break to it, and keys are at most 1024 long. */
function asYaml(value: Json): Json {
  if (typeof value === 'string') return folded(value);
  if (Array.isArray(value)) return value.map(asYaml);
  if (typeof value !== 'object' || value === null) return value;
  const object: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (key.includes('\x85') || writtenLength(key) > MAX_WRITTEN_KEY_LENGTH)
      throw functionError("yaml: did not find expected ',' or '}'");
    put(object, key, asYaml(own(value, key) ?? null));
  }
  return object;
}

function writtenLength(key: string): number {
  return key.length < MAX_WRITTEN_KEY_LENGTH / 8 ? 0 : Array.from(toJson(key, { html: true })).length;
}

function folded(text: string): string {
  return text.replace(
    /(?<! ) *\x85(?: *\x85)* */g,
    (breaks) => '\n'.repeat(breaks.replaceAll(' ', '').length - 1) || ' ',
  );
}
