import { formatFloat } from '../../../model/go/index.js';
import { visitField, type FieldSpec } from '../config/field-spec.js';
import { invalid } from '../fault.js';
import type { Var } from '../kustomization/types.js';
import { gvkText, sameGvkn, sameId, type ResId } from '../resource/res-id.js';
import type { ResMap } from '../resource/res-map.js';
import { BOOL_TAG, FLOAT_TAG, INT_TAG, isPresent, isText, STRING_TAG, type YamlNode } from '../yaml/node.js';
import { lookup, splitFieldPath } from '../yaml/path.js';
import { expand, type VarValue } from './expand.js';

/** The vars of a build by name. */
export type VarSet = ReadonlyMap<string, Var>;

function full(variable: Var): Var {
  const { objref, fieldref } = variable;
  const [first = '', second] = objref.apiVersion.split('/');
  const groupVersion = second === undefined ? { version: first } : { group: first, version: second };
  const gvk = objref.apiVersion === '' ? {} : groupVersion;
  return { ...variable, objref: { ...objref, ...gvk }, fieldref: { fieldPath: fieldref.fieldPath || 'metadata.name' } };
}

export function addVars(known: VarSet, more: Iterable<Var>): VarSet {
  const all = new Map(known);
  for (const variable of more) {
    if (all.has(variable.name)) throw invalid(`var '${variable.name}' already encountered`);
    all.set(variable.name, full(variable));
  }
  return all;
}

/** Marks the objects that vars read from, while they can still be found by the names that the vars use. */
export function markReferred(resources: ResMap, vars: readonly Var[]): void {
  for (const variable of vars) {
    const { objref } = full(variable);
    const id: ResId = { ...objref, isClusterScoped: false };
    const found = resources.byAnyId((other) => (id.namespace === '' ? sameGvkn(id, other) : sameId(id, other)));
    if (found.length > 1)
      throw invalid(`found ${found.length} resId matches for var ${varText(variable)} (unable to disambiguate)`);
    found[0]?.referringVars.push(variable.name);
  }
}

/** A var as Go prints it. */
export function varText({ name, objref, fieldref }: Var): string {
  return `{${name} ${gvkText(objref)} {${fieldref.fieldPath}}}`;
}

/** Puts the values of vars where `$(NAME)` stands. */
export function resolveVars(resources: ResMap, vars: VarSet, specs: readonly FieldSpec[]): void {
  if (vars.size === 0) return;
  const values = new Map([...vars.values()].map((variable) => [variable.name, valueOf(resources, variable)]));
  for (const { node } of resources.resources) {
    for (const spec of specs) visitField(node, { spec, set: (found) => expandIn(found, values) });
  }
}

function valueOf(resources: ResMap, variable: Var): VarValue {
  const resource = resources.resources.find(({ referringVars }) => referringVars.includes(variable.name));
  if (resource === undefined)
    throw invalid(`var '${varText(variable)}' cannot be mapped to a field in the set of known resources`);
  const path = splitFieldPath(variable.fieldref.fieldPath).flatMap(splitIndex);
  const node = lookup(resource.node, path);
  if (node === undefined)
    throw invalid(`field specified in var '${varText(variable)}' not found in corresponding resource`);
  return nodeValue(node);
}

/** `ports[0]` is the field and the index. */
function splitIndex(part: string): string[] {
  const match = /^(.*)\[(\d+)\]$/.exec(part);
  if (match === null) return [part];
  const [, name = '', index = ''] = match;
  return name === '' ? [index] : [name, index];
}

function nodeValue(node: YamlNode): VarValue {
  if (node.kind !== 'scalar') return { kind: 'other' };
  switch (node.tag) {
    case INT_TAG:
      return { kind: 'int', text: String(Number(node.value)) };
    case FLOAT_TAG:
      return { kind: 'float', value: Number(node.value) };
    case BOOL_TAG:
      return { kind: 'bool', text: node.value.toLowerCase() };
    default:
      return { kind: 'string', text: node.value };
  }
}

function expandIn(node: YamlNode, values: ReadonlyMap<string, VarValue>): void {
  if (!isPresent(node)) return;
  if (node.kind === 'scalar') {
    if (isText(node)) setValue(node, values);
    return;
  }
  for (const { key, value } of node.entries) {
    if (!isText(key)) throw invalid(`invalid map key: value='${key.value}', tag='${key.tag}'`);
    if (isText(value)) setValue(value, values);
  }
  for (const item of node.items) {
    if (!isText(item)) throw invalid('invalid value type expect a string');
    setValue(item, values);
  }
}

function setValue(node: YamlNode, values: ReadonlyMap<string, VarValue>): void {
  const value = expand(node.value, values);
  node.style = 'plain';
  switch (value.kind) {
    case 'int':
      node.value = value.text;
      node.tag = INT_TAG;
      return;
    case 'bool':
      node.value = value.text;
      node.tag = BOOL_TAG;
      return;
    case 'float':
      node.value = formatFloat(value.value, 'f', undefined).replace(/^\+/, '');
      node.tag = FLOAT_TAG;
      return;
    case 'string':
      node.value = value.text;
      node.tag = STRING_TAG;
      return;
    case 'other':
      return;
    default:
      value satisfies never;
  }
}
