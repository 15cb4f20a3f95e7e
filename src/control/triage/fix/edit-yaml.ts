import {
  isCollection,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  stringify,
  type Document,
  type ParsedNode,
  type YAMLMap,
} from 'yaml';
import type { Json } from '../../../model/json/index.js';

export type PathSegment = string | number;
export type Change = { readonly kind: 'set' | 'add'; readonly value: Json } | { readonly kind: 'remove' };

export interface EditedText {
  readonly text: string;
  /** Where the first changed line is, from 1. */
  readonly line: number;
}

type Parsed = Document.Parsed;

/**
 * The documents of a file with where each thing stands; undefined where it is no YAML (a template of Helm, for one).
 */
export function openYaml(text: string): readonly Parsed[] | undefined {
  if (text.length > 2_000_000 || /\{\{/.test(text)) return undefined;
  const documents = parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' });
  if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return undefined;
  return documents;
}

/**
 * Changes one place of a text and leaves every other byte: comments, quotes and order stay. Undefined where that cannot
 * be done.
 */
export function editYaml(
  text: string,
  document: Parsed,
  path: readonly PathSegment[],
  change: Change,
): EditedText | undefined {
  const { node, rest } = deepest(document.contents, path);
  if (change.kind === 'remove' && rest.length > 0) return undefined;
  const done = change.kind === 'remove' ? remove(text, document, path) : write(text, node, rest, change);
  return done === undefined || done === text ? undefined : { text: done, line: firstDifference(text, done) };
}

/** As far as a path goes. */
function deepest(
  from: ParsedNode | null,
  path: readonly PathSegment[],
): { readonly node: ParsedNode | null; readonly rest: readonly PathSegment[] } {
  let node = from;
  for (const [index, step] of path.entries()) {
    const next: unknown = isCollection(node) ? node.get(step, true) : undefined;
    if (next === undefined) return { node, rest: path.slice(index) };
    node = next as ParsedNode | null;
  }
  return { node, rest: [] };
}

function write(
  text: string,
  node: ParsedNode | null,
  rest: readonly PathSegment[],
  { kind, value }: { readonly kind: 'set' | 'add'; readonly value: Json },
): string | undefined {
  if (node === null) return undefined;
  if (rest.length === 0) return kind === 'add' ? addItem(text, node, value) : replace(text, node, value);
  const [name] = rest;
  const wanted = rest
    .slice(1)
    .reduceRight<Json>((inner, step) => ({ [String(step)]: inner }), kind === 'add' ? [value] : value);
  return isMap(node) && typeof name === 'string' && rest.slice(1).every((step) => typeof step === 'string')
    ? addPair(text, node, name, wanted)
    : undefined;
}

function quotedAs(style: string | undefined, value: Json): string {
  if (style === 'QUOTE_DOUBLE') return JSON.stringify(String(value));
  if (style === 'QUOTE_SINGLE') return `'${String(value).replaceAll("'", "''")}'`;
  return scalarText(value);
}

/** A value in the place of another; quotes stay where there were some. */
function replace(text: string, node: ParsedNode, value: Json): string | undefined {
  const [start, end] = node.range;
  if (isScalar(node) && (typeof value !== 'object' || value === null)) {
    return node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED'
      ? undefined
      : text.slice(0, start) + quotedAs(node.type, value) + text.slice(end);
  }
  return text.slice(0, start) + flowText(value) + text.slice(end);
}

function scalarText(value: Json): string {
  return stringify(value, { lineWidth: 0 }).trimEnd();
}

function flowText(value: Json): string {
  return stringify(value, { lineWidth: 0, collectionStyle: 'flow' }).trimEnd();
}

function blockText(value: Json, indent: string): string {
  return stringify(value, { lineWidth: 0 })
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line))
    .join('\n');
}

const column = (text: string, offset: number): string => ' '.repeat(offset - (text.lastIndexOf('\n', offset - 1) + 1));
/** The end of the line that a place is in, its comment included. */
const lineEnd = (text: string, offset: number): number => {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at;
};
/** Where something ends: the range of a block reaches to the next thing, over blank lines. */
const contentEnd = (text: string, end: number): number => {
  let at = end;
  while (at > 0 && /\s/.test(text.charAt(at - 1))) at--;
  return at;
};

function addItem(text: string, node: ParsedNode, value: Json): string | undefined {
  if (!isSeq(node)) return undefined;
  const [first, last] = [node.items[0], node.items.at(-1)];
  if (node.flow === true || first === undefined || last === undefined) {
    if (node.items.length > 0)
      return (
        text.slice(0, contentEnd(text, node.range[1] - 1)) + `, ${flowText(value)}` + text.slice(node.range[1] - 1)
      );
    return text.slice(0, node.range[0]) + flowText([value]) + text.slice(node.range[1]);
  }
  const dash = text.lastIndexOf('-', first.range[0] - 1);
  const end = lineEnd(text, contentEnd(text, last.range[1]));
  return `${text.slice(0, end)}\n${blockText([value], column(text, dash))}${text.slice(end)}`;
}

function addPair(text: string, map: YAMLMap.Parsed, name: string, value: Json): string | undefined {
  const last = map.items.at(-1);
  if (map.flow === true || last === undefined) {
    const inside =
      map.items.length === 0 ? '' : `${text.slice(map.range[0] + 1, contentEnd(text, map.range[1] - 1))}, `;
    return `${text.slice(0, map.range[0])}{${inside}${flowText({ [name]: value })
      .slice(1, -1)
      .trim()}}${text.slice(map.range[1])}`;
  }
  const end = lineEnd(text, contentEnd(text, last.value?.range[1] ?? last.key.range[1]));
  return (
    `${text.slice(0, end)}\n` +
    `${blockText({ [name]: value }, column(text, map.items[0]?.key.range[0] ?? 0))}${text.slice(end)}`
  );
}

/** Takes a key with its value away, and the comment on its line. */
function remove(text: string, document: Parsed, path: readonly PathSegment[]): string | undefined {
  const name = path.at(-1);
  const parent = deepest(document.contents, path.slice(0, -1)).node;
  if (!isMap(parent) || typeof name !== 'string') return undefined;
  const pairs = parent.items;
  const pair = pairs.find(({ key }) => isScalar(key) && key.value === name);
  if (pair === undefined) return undefined;
  if (pairs.length === 1) return path.length === 1 ? undefined : replace(text, parent, {});
  const end = contentEnd(text, pair.value?.range[1] ?? pair.key.range[1]);
  if (parent.flow === true) {
    const tail = /^\s*,\s*/.exec(text.slice(end))?.[0].length;
    const start = tail === undefined ? text.lastIndexOf(',', pair.key.range[0]) : pair.key.range[0];
    return text.slice(0, start) + text.slice(end + (tail ?? 0));
  }
  const lineStart = text.lastIndexOf('\n', pair.key.range[0] - 1) + 1;
  // The first key of an item stands behind its dash: the next one takes its place.
  if (/\S/.test(text.slice(lineStart, pair.key.range[0]))) {
    const next = pairs[1];
    return next === undefined ? undefined : text.slice(0, pair.key.range[0]) + text.slice(next.key.range[0]);
  }
  return text.slice(0, lineStart) + text.slice(Math.min(text.length, lineEnd(text, end) + 1));
}

function firstDifference(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before.charAt(at) === after.charAt(at)) at++;
  return before.slice(0, at).split('\n').length;
}
