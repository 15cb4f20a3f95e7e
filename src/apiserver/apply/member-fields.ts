import { FieldSet, type FieldNode } from '../../model/kubernetes/index.js';
import { DEDUCED, type Shape } from './shape.js';

/**
 * The set, with every declared field on the way to a member made a member too; keys of free-form maps and list items
 * are not.
 */
export function withNamedFields(fields: FieldSet, shape: Shape): FieldSet {
  return FieldSet.fromNodes(
    fields.nodes().map((node) => {
      if (node.children === undefined) return node;
      const declared = node.element.kind === 'field' && shape.map?.fields.has(node.element.name) === true;
      return {
        element: node.element,
        member: node.member || declared,
        children: withNamedFields(node.children, below(shape, node)),
      };
    }),
  );
}

function below(shape: Shape, { element }: FieldNode): Shape {
  if (element.kind === 'field' && shape.map !== undefined)
    return shape.map.fields.get(element.name) ?? shape.map.other ?? DEDUCED;
  return (element.kind === 'key' ? shape.list?.item : undefined) ?? DEDUCED;
}
