import type { AnyNode, Tree } from '../template/parse/node.js';

/** What stands directly inside a node. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
  switch (node.kind) {
    case 'list':
      return node.nodes;
    case 'action':
      return [node.pipe];
    case 'if':
    case 'with':
    case 'range':
      return node.otherwise === undefined ? [node.pipe, node.list] : [node.pipe, node.list, node.otherwise];
    case 'template':
      return node.pipe === undefined ? [] : [node.pipe];
    case 'pipe':
      return [...node.declared, ...node.commands];
    case 'command':
      return node.args;
    case 'chain':
      return [node.node];
    default:
      return [];
  }
}

/** From the root of a template down to a node that fits; undefined where none does. */
export function findTrail({ root }: Tree, fits: (node: AnyNode) => boolean): readonly AnyNode[] | undefined {
  const trail: AnyNode[] = [];
  const visit = (node: AnyNode): boolean => {
    trail.push(node);
    // The innermost counts: a pipe starts where its first part does.
    if (childrenOf(node).some(visit) || fits(node)) return true;
    trail.pop();
    return false;
  };
  return visit(root) ? trail : undefined;
}

export function* walkNodes(node: AnyNode): Generator<AnyNode> {
  yield node;
  for (const child of childrenOf(node)) yield* walkNodes(child);
}
