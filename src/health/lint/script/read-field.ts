import { closestWord } from '../closest-word.js';
import type { Analysis, Outcome } from './analysis.js';
import type { Node } from './parse-script.js';
import { presenceOf } from './presence.js';
import { stepSchema } from './schema-step.js';
import type { State } from './state.js';
import { literal, NIL, unknown, type Place, type Value } from './value.js';

export const OBJECT: Place = { key: 'obj', text: 'obj', path: [], absence: 'never' };

/** The field `name` of a value that is known to be there. */
export function readField(value: Value, name: string, at: { state: State; node: Node; analysis: Analysis }): Outcome {
  const { state, node, analysis } = at;
  if (value.kind === 'place') {
    const place = fieldPlace(value.place, name, node, analysis);
    return { state, value: state.cells.get(overlayKey(place)) ?? { kind: 'place', place } };
  }
  if (value.kind === 'table') {
    const table = state.tables.get(value.id);
    const field = table?.fields.get(name);
    if (field !== undefined) return { state, value: field };
    const isOpen = table === undefined || table.isOpen;
    return {
      state,
      value: isOpen
        ? unknown(`${value.id}.${name}`, name)
        : { kind: 'nil', why: `\`${name}\` was not set on this path` },
    };
  }
  if (value.kind === 'builtin') return { state, value: { kind: 'builtin', name: `${value.name}.${name}` } };
  if (value.kind === 'literal' || value.kind === 'text')
    return { state, value: { kind: 'builtin', name: `string.${name}` } };
  return { state, value: NIL };
}

/** Where a value that the script wrote into the object is kept. */
export function overlayKey(place: Place): string {
  return `written ${place.key}`;
}

/** A field of the object; a name that the CRD does not have is reported. */
export function fieldPlace(parent: Place, name: string, node: Node, analysis: Analysis): Place {
  const text = analysis.textOf(node);
  const key = `${parent.key}.${name}`;
  if (parent.path === undefined) return { key, text, absence: 'unknown' };
  const { absence, step } = presenceOf(parent.path, name, { schema: parent.schema, group: analysis.settings.group });
  const path = [...parent.path, name];
  analysis.reads.add(path.join('.'));
  if (step.kind === 'missing') reportMissingField(parent, name, step.others, node, analysis);
  const isNumbered = /^\d+$/.test(name);
  if (isNumbered) return elementPlace(parent, name, text, 'maybe');
  return step.kind === 'known' ? { key, text, path, absence, schema: step.schema } : { key, text, path, absence };
}

/** An element of a list or map of the object. */
export function elementPlace(parent: Place, index: string, text: string, absence: Place['absence']): Place {
  const key = `${parent.key}.${index}`;
  if (parent.path === undefined) return { key, text, absence: absence === 'never' ? 'never' : 'unknown' };
  const step = stepSchema(parent.schema, '[]');
  const path = [...parent.path, '[]'];
  return step.kind === 'known' ? { key, text, path, absence, schema: step.schema } : { key, text, path, absence };
}

function reportMissingField(
  parent: Place,
  name: string,
  others: readonly string[],
  node: Node,
  analysis: Analysis,
): void {
  if (/^\d+$/.test(name)) return;
  const close = closestWord(name, others);
  const at =
    parent.path === undefined || parent.path.length === 0
      ? 'the object'
      : `\`${parent.path.join('.').replaceAll('.[]', '[]')}\``;
  const line = node.type === 'MemberExpression' ? node.identifier : node;
  analysis.report('dead-value', line, {
    severity: 'warning',
    message:
      `The CRD has no field \`${name}\` in ${at}, so \`${analysis.textOf(node)}\` is always nil and what ` +
      'depends on it never happens.',
    hint:
      close === undefined
        ? `use one of the fields it has: ${others.slice(0, 12).join(', ')}`
        : `did you mean \`${close}\`? The fields are: ${others.slice(0, 12).join(', ')}`,
  });
}

/** The name behind an index such as `x["a"]` or `x[1]`, where the script fixes it. */
export function fixedName(index: Value, state: State): string | undefined {
  const known = index.kind === 'place' ? state.facts.get(index.place.key)?.equals : undefined;
  const value = known === undefined ? index : literal(known);
  return value.kind === 'literal' && typeof value.value !== 'boolean' ? String(value.value) : undefined;
}
