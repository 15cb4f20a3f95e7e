import { objects, text, texts, isObject, type Json, type JsonObject } from '../json/index.js';
import { invalid } from './setting-keys.js';

/**
 * Which fields of which objects may be copied into which Secrets. Namespaces and names are patterns; kinds and fields
 * are exact.
 */
export interface FillRule {
  readonly from: { readonly group: string; readonly kind: string; readonly namespace: string; readonly name: string };
  readonly fields: readonly string[];
  readonly to: { readonly namespaces: readonly string[]; readonly names: readonly string[] };
}

export function readFillRules(value: Json): FillRule[] {
  if (value === null) return [];
  return objects({ rules: value }, 'rules', 'argosy').map((rule, index) => readRule(rule, `[${index}]`));
}

function readRule(rule: JsonObject, at: string): FillRule {
  const from = objectOf(rule.from, `${at}.from`);
  const to = objectOf(rule.to, `${at}.to`);
  const [kind, namespace, name] = [
    text(from, 'kind', `${at}.from`),
    text(from, 'namespace', `${at}.from`),
    text(from, 'name', `${at}.from`),
  ];
  const [fields, namespaces] = [texts(rule, 'fields', at), texts(to, 'namespaces', `${at}.to`)];
  if (kind === '' || namespace === '' || name === '') throw invalid(`${at}.from must have kind, namespace and name`);
  if (fields.length === 0 || namespaces.length === 0) throw invalid(`${at} must name fields and to.namespaces`);
  const names = texts(to, 'names', `${at}.to`);
  return {
    from: { group: text(from, 'group', `${at}.from`), kind, namespace, name },
    fields,
    to: { namespaces, names: names.length === 0 ? ['*'] : names },
  };
}

function objectOf(value: Json | undefined, at: string): JsonObject {
  if (!isObject(value)) throw invalid(`${at} must be an object`);
  return value;
}
