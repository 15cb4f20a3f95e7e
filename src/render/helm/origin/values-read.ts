import type { AnyNode, Tree } from '../template/parse/node.js';
import type { ValueOrigin } from '../trace-values.js';
import type { ChartValues } from './chart-values.js';
import { TemplateIndex } from './template-index.js';
import { walkNodes } from './template-nodes.js';

/** Of a map that a template takes as a whole, this many values are told. */
const MAX_VALUES_PER_MAP = 20;

/** For each template file, by its path, the values that its text and the helpers it includes ask for. */
export function valuesReadByFile(
  values: ChartValues,
): ReadonlyMap<string, { readonly source: string; readonly values: readonly ValueOrigin[] }> {
  const book = new TemplateIndex(values.chart);
  return new Map(
    book.templates.flatMap((template) => {
      const tree = template.trees.get(template.name);
      if (tree === undefined) return [];
      const paths = pathsIn(tree, (name) => book.tree(name), new Set()).map((path) => [...template.values, ...path]);
      return [
        [values.nameOf(template.file.path), { source: template.name, values: originsOf(paths, values) }] as const,
      ];
    }),
  );
}

function pathsIn(tree: Tree, treeOf: (name: string) => Tree | undefined, seen: Set<Tree>): string[][] {
  if (seen.has(tree)) return [];
  seen.add(tree);
  const found: string[][] = [];
  for (const node of walkNodes(tree.root)) {
    const names = valueNames(node);
    if (names !== undefined && names.length > 0) found.push(names);
    const called = calledTree(node, treeOf);
    if (called !== undefined) found.push(...pathsIn(called, treeOf, seen));
  }
  return found;
}

function valueNames(node: AnyNode): string[] | undefined {
  if (node.kind === 'chain') {
    const inner =
      node.node.kind === 'pipe' && node.node.commands.length === 1 && node.node.commands[0]?.args.length === 1
        ? node.node.commands[0].args[0]
        : undefined;
    const names = inner === undefined ? undefined : valueNames(inner);
    return names === undefined ? undefined : [...names, ...node.names];
  }
  if (node.kind !== 'field' && node.kind !== 'variable') return undefined;
  const at = node.names.indexOf('Values');
  return at < 0 ? undefined : node.names.slice(at + 1);
}

function calledTree(node: AnyNode, treeOf: (name: string) => Tree | undefined): Tree | undefined {
  if (node.kind === 'template') return treeOf(node.name);
  if (node.kind !== 'command' || node.args[0]?.kind !== 'identifier' || node.args[0].name !== 'include')
    return undefined;
  const [, name] = node.args;
  return name?.kind === 'string' ? treeOf(name.value) : undefined;
}

/** Of paths of which one holds the other, the longer; of a map that is taken as a whole, its values. */
function originsOf(paths: readonly (readonly string[])[], values: ChartValues): ValueOrigin[] {
  const longest = paths.filter(
    (path) => !paths.some((other) => other.length > path.length && path.every((name, index) => name === other[index])),
  );
  const wanted = new Set(
    longest.flatMap((path) =>
      values
        .originsBelow(path)
        .filter(({ removed }) => !removed)
        .slice(0, MAX_VALUES_PER_MAP),
    ),
  );
  return values.origins.filter((origin) => wanted.has(origin));
}
