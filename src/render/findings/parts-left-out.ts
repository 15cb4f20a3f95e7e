import {
  type BranchNode,
  type ListNode,
  type Node,
  type Tree,
  type ChartValues,
  pathText,
  TemplateIndex,
  type IndexedTemplate,
  isEmptyValue,
  lookupsOf,
  scopeAt,
} from '../helm/index.js';
import type { Manifest } from '../common/index.js';
import type { Finding } from './finding.js';

/** A part of an object that a template leaves out because none of the values it falls back on is set. */
export interface PartLeftOut extends Finding {
  readonly rule: 'part-left-out';
  readonly parts: readonly string[];
  /** The keys that were tried, in order. */
  readonly keys: readonly string[];
}

/**
 * Looks at objects that were rendered for conditions over a chain of values, all unset, around one of their top-level
 * fields.
 */
export function findPartsLeftOut(values: ChartValues, manifests: readonly Manifest[]): PartLeftOut[] {
  const rendered = new Set(manifests.map(({ origin }) => origin.file));
  const book = new TemplateIndex(values.chart);
  return book.templates
    .filter(({ file }) => rendered.has(values.nameOf(file.path)))
    .flatMap((template) => {
      const tree = template.trees.get(template.name);
      return tree === undefined ? [] : inTemplate(template, tree, book, values);
    });
}

function inTemplate(template: IndexedTemplate, tree: Tree, book: TemplateIndex, values: ChartValues): PartLeftOut[] {
  return tree.root.nodes.flatMap((node, index) => {
    if (
      (node.kind !== 'if' && node.kind !== 'with') ||
      node.otherwise !== undefined ||
      !isInsideObject(tree.root, index)
    )
      return [];
    const parts = fieldsOf(node.list.nodes);
    const keys = parts.length === 0 ? undefined : unsetChain(node, template, tree, book, values);
    if (keys === undefined) return [];
    const line = node.source.text.slice(0, node.pos).split('\n').length;
    const place = { file: values.nameOf(template.file.path), line };
    return [
      {
        rule: 'part-left-out',
        place,
        parts,
        keys,
        message: `${parts.join(', ')} is left out at ${place.file}:${line}: none of ${keys.join(', ')} is set`,
      },
    ];
  });
}

/** The keys of a condition that falls back from one value to another, if none of them holds anything. */
function unsetChain(
  node: BranchNode,
  { values: prefix }: IndexedTemplate,
  tree: Tree,
  book: TemplateIndex,
  values: ChartValues,
): string[] | undefined {
  const lookups = lookupsOf(
    node.pipe,
    scopeAt(tree, [tree.root, node], (name) => book.tree(name)),
  );
  const paths = lookups.flatMap((lookup) => (lookup.kind === 'value' ? [[...prefix, ...lookup.path]] : []));
  const isFilled =
    lookups.some((lookup) => lookup.kind === 'constant' && !['""', '``', 'false', '0'].includes(lookup.text)) ||
    paths.some((path) => !isFalse(values.valueAt(path) ?? null));
  return paths.length < 2 || isFilled ? undefined : paths.map(pathText);
}

function isFalse(value: Parameters<typeof isEmptyValue>[0]): boolean {
  return value === false || value === 0 || isEmptyValue(value);
}

/** Whether the object began before, so that the condition decides about a part and not about the whole. */
function isInsideObject({ nodes }: ListNode, index: number): boolean {
  const before = nodes
    .slice(0, index)
    .map((node) => (node.kind === 'text' ? node.text : ''))
    .join('');
  return /^kind:/m.test(before.slice(before.lastIndexOf('\n---') + 1));
}

const IDENTITY = new Set(['apiVersion', 'kind', 'metadata']);

function fieldsOf(nodes: readonly Node[]): string[] {
  const text = nodes.map((node) => (node.kind === 'text' ? node.text : '')).join('');
  return [...text.matchAll(/^([a-zA-Z]\w*):/gm)].map(([, name = '']) => name).filter((name) => !IDENTITY.has(name));
}
