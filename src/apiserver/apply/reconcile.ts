import { FieldSet, type FieldNode } from '../../model/kubernetes/index.js';
import { DEDUCED, UNTYPED, type ListShape, type MapShape, type Shape } from './shape.js';

/**
 * Fields as the schema of today owns them: what was owned part by part and is now owned as a whole becomes one member.
 * Gives the same set back where nothing has to change.
 */
export function reconcileFields(fields: FieldSet, shape: Shape): FieldSet {
  if (shape.map !== undefined)
    return isDeduced(shape.map) ? fields : reconcileBelow(fields, (node) => mapChild(shape.map, node));
  if (shape.scalar !== undefined || shape.list === undefined) return fields;
  const { item } = shape.list;
  return reconcileBelow(fields, () => item);
}

function mapChild(map: MapShape | undefined, { element }: FieldNode): Shape | undefined {
  return (element.kind === 'field' ? map?.fields.get(element.name) : undefined) ?? map?.other;
}

function reconcileBelow(fields: FieldSet, shapeFor: (node: FieldNode) => Shape | undefined): FieldSet {
  const nodes = fields.nodes();
  const reconciled = nodes.map((node) => reconcileNode(node, shapeFor(node)));
  return reconciled.some((node, i) => node !== nodes[i]) ? FieldSet.fromNodes(reconciled) : fields;
}

function reconcileNode(node: FieldNode, shape: Shape | undefined): FieldNode {
  if (node.children === undefined || shape === undefined) return node;
  if (isWhole(shape.map, shape.scalar === undefined ? shape.list : undefined))
    return { element: node.element, member: true, children: undefined };
  const children = reconcileFields(node.children, shape);
  return children === node.children ? node : { ...node, children };
}

function isWhole(map: MapShape | undefined, list: ListShape | undefined): boolean {
  if (map !== undefined) return map.atomic && !isDeduced(map);
  return list?.kind === 'atomic';
}

/** A value without schema has no say in how it is owned. */
function isDeduced(map: MapShape): boolean {
  return map.fields.size === 0 && (map.other === DEDUCED || map.other === UNTYPED);
}
