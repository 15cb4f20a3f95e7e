import { Fault } from '../../../model/faults/index.js';
import { isArray, isObject } from '../../../model/json/index.js';
import { BoundedCache, type Origin } from '../../common/index.js';
import { invalid, refault } from '../fault.js';
import type { OpenApi } from '../schema/open-api.js';
import { readNode } from '../yaml/block-reader.js';
import { field } from '../yaml/fields.js';
import { jsonTextNode, nodeJson } from '../yaml/node-json.js';
import { isEmpty, isNull, type YamlNode } from '../yaml/node.js';
import { checkMetadata, topText } from './metadata.js';
import { Resource } from './resource.js';

interface Placed {
  readonly node: YamlNode;
  readonly line: number;
}

/** Every object of a text: documents split at `---`, lists taken apart, what has no kind or name refused. */
export function readResources(text: string, openApi: OpenApi, source: Origin): Resource[] {
  const resources: Resource[] = [];
  for (const { node, line } of withoutLists(usable(documents(text)))) {
    resources.push(new Resource(node, openApi, { ...source, line: source.line + line - 1 }));
  }
  return resources;
}

const SEPARATOR = /\n---([^\n]*)\n/g;

function* splitDocuments(text: string): Generator<{ text: string; line: number; isOnly: boolean }> {
  let from = 0;
  let line = 1;
  if (text === '') return;
  for (const match of text.matchAll(SEPARATOR)) {
    const after = (match[1] ?? '').trim();
    if (after !== '' && !after.startsWith('#'))
      throw invalid(`invalid document separator: ---${(match[1] ?? '').trimEnd()}`, `line ${line}`);
    const part = text.slice(from, match.index);
    yield { text: `${part}\n`, line, isOnly: false };
    line += countLines(part) + 2;
    from = match.index + match[0].length;
  }
  yield { text: text.slice(from), line, isOnly: from === 0 };
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** Characters of all texts whose nodes are kept; a node weighs several times what its text does. */
const MAX_CACHED_CHARACTERS = 8 * 1024 * 1024;
const known = new BoundedCache<readonly Placed[]>(MAX_CACHED_CHARACTERS);
/** Texts that were read once. Most are never read again, and keeping their nodes would cost a copy. */
const seen = new BoundedCache<true>(MAX_CACHED_CHARACTERS);

/** The documents of a text. A base that many overlays share is read twice, and copied from then on. */
function documents(text: string): Placed[] {
  if (seen.find(text) === undefined) {
    seen.add(text, true, text.length);
    return readDocuments(text);
  }
  return known
    .get(
      text,
      () => readDocuments(text),
      () => text.length,
    )
    .map(({ node, line }) => ({ node: node.copy(), line }));
}

function readDocuments(text: string): Placed[] {
  const placed: Placed[] = [];
  for (const document of splitDocuments(text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text)) {
    const node = malformed(() => readNode(document.text, document.line));
    if (node === undefined || isNull(node)) continue;
    const line = document.line + linesBefore(document.text);
    const items = document.isOnly && isWrapper(node) ? (field(node, 'items')?.items ?? []) : [node];
    for (const item of items) placed.push({ node: item, line });
  }
  return placed;
}

/** The number of lines before the first that holds something. */
function linesBefore(text: string): number {
  const head = /^(?:[ \t]*(?:#[^\n]*|---[^\n]*)?\n)*/.exec(text)?.[0] ?? '';
  return countLines(head);
}

/** A `List` that is alone in its text is only a wrapping. */
function isWrapper(node: YamlNode): boolean {
  const kind = topText(node, 'kind');
  return (
    (kind === 'List' || kind === 'ResourceList') &&
    (field(node, 'items') !== undefined || field(node, 'functionConfig') !== undefined)
  );
}

function malformed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Fault && error.code === 'YAML_INVALID')
      throw refault(error, `MalformedYAMLError: ${error.message}`);
    throw error;
  }
}

function usable(all: readonly Placed[]): Placed[] {
  const kept = all.filter(({ node }) => !isEmpty(node));
  for (const { node } of kept) checkMetadata(node);
  return kept;
}

/** Replaces a `FooList` that has items by its items, which come after everything else. */
function withoutLists(all: readonly Placed[]): Placed[] {
  const queue = [...all];
  const result: Placed[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const kind = topText(next.node, 'kind');
    const list = kind.endsWith('List') ? nodeJson(next.node) : undefined;
    if (!isObject(list) || list.items === undefined) {
      result.push(next);
      continue;
    }
    if (list.items === null) continue;
    if (!isArray(list.items)) throw invalid(`expected array in ${kind}/items, but found ${typeof list.items}`);
    const { line } = next;
    queue.push(...usable(list.items.map((item) => ({ node: jsonTextNode(item), line }))));
  }
  return result;
}
