import { formatFloat, quoteGo } from '../../../model/go/index.js';
import { put, writeJson, type Json, type JsonObject } from '../../../model/json/index.js';
import { invalid } from '../fault.js';
import { readNode } from './block-reader.js';
import { INT_TAG, NULL_TAG, STRING_TAG, YamlNode } from './node.js';
import { refold } from './refold.js';
import { resolveTag, scalarValue } from './resolve-tag.js';

const FLOW_INDICATOR = /[,?[\]{}:]/;

/**
 * The value of a node. Kustomize writes the node as YAML and reads that again, so what counts is how a scalar is
 * written: a number in quotes is a string, and a text without type is what it looks like.
 */
export function nodeJson(node: YamlNode, inFlow = false, depth = 0): Json {
  if (node.kind === 'scalar') return scalarJson(node, inFlow);
  const isFlow = inFlow || node.style === 'flow';
  if (node.kind === 'seq') return node.items.map((item) => nodeJson(item, isFlow, depth + 1));
  const object: JsonObject = {};
  const { entries } = node;
  for (const { key, value } of entries) {
    const name = keyText(key, depth);
    if (Object.hasOwn(object, name))
      throw invalid(`yaml: unmarshal errors: mapping key ${quoteGo(name)} already defined`);
    put(object, name, nodeJson(value, isFlow, depth + 1));
  }
  return object;
}

/** Only the outermost mapping may have keys that are no strings. */
function keyText(key: YamlNode, depth: number): string {
  if (key.tag === STRING_TAG || key.style !== 'plain' || depth === 0) return key.value;
  const tag = key.tag === '' ? resolveTag(key.value) : key.tag;
  if (tag === STRING_TAG || tag === '!!merge') return key.value;
  throw invalid(
    `json: unsupported type: map[interface {}]interface {}: the key ${key.value} is not a string; quote it`,
  );
}

function scalarJson(node: YamlNode, inFlow: boolean): Json {
  const { tag, value, style } = node;
  if (style === 'folded' && !inFlow && (tag === STRING_TAG || tag === '')) return refold(value);
  if (tag === STRING_TAG) return value;
  if (style === 'tagged') return taggedJson(tag, value, resolveTag(value));
  // Inside brackets a text with a colon or a bracket of its own is written in quotes.
  const isPlain = style === 'plain' && !value.includes('\n') && !(inFlow && FLOW_INDICATOR.test(value));
  const looks = resolveTag(value);
  // Nothing at all cannot be written inside brackets but in quotes.
  if (value === '' && inFlow && (tag === '' || tag === NULL_TAG)) return value;
  if (tag === '') return isPlain ? plainJson(value, looks) : value;
  if (looks === tag) return isPlain ? plainJson(value, looks) : value;
  return taggedJson(tag, value, looks);
}

function plainJson(value: string, tag: string): Json {
  if (tag === STRING_TAG || tag === '!!merge') return value;
  if (tag === NULL_TAG) return null;
  const json = scalarValue(value);
  return json === 0 ? 0 : json;
}

/** A scalar whose tag is written out, because the text does not look like it. */
function taggedJson(tag: string, value: string, looks: string): Json {
  if (tag === looks) return plainJson(value, looks);
  if (tag === '!!float' && looks === INT_TAG) return scalarValue(value);
  if (tag === '!!binary') return binary(value);
  if (!['!!bool', INT_TAG, '!!float', NULL_TAG, '!!timestamp'].includes(tag)) return value;
  throw invalid(`yaml: cannot decode ${looks} \`${value}\` as a ${tag}`);
}

function binary(value: string): string {
  const base64 = value.replace(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64))
    throw invalid('yaml: !!binary value contains invalid base64 data');
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** The nodes of a value that Kustomize writes as YAML and reads again: numbers as go-yaml prints a float64. */
export function jsonNode(value: Json): YamlNode {
  if (typeof value === 'string')
    return new YamlNode('scalar', STRING_TAG, value, resolveTag(value) === STRING_TAG ? 'plain' : 'double');
  if (value === null) return new YamlNode('scalar', NULL_TAG, 'null');
  if (typeof value === 'boolean') return new YamlNode('scalar', '!!bool', String(value));
  if (typeof value === 'number' || typeof value === 'bigint') return numberNode(Number(value));
  if (Array.isArray(value)) {
    const list = new YamlNode('seq', '!!seq', '');
    for (const item of value) list.addItem(jsonNode(item));
    return list;
  }
  const map = new YamlNode('map', '!!map', '');
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) map.addEntry(jsonNode(key), jsonNode(member));
  }
  return map;
}

function numberNode(value: number): YamlNode {
  const text = formatFloat(value, 'g', undefined).replace(/^\+/, '');
  return new YamlNode('scalar', resolveTag(text), text);
}

/** The nodes of a value that Kustomize writes as JSON and reads again as YAML. */
export function jsonTextNode(value: Json): YamlNode {
  return readNode(writeJson(value)) ?? new YamlNode('scalar', NULL_TAG, '');
}
