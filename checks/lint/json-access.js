const NAME = 'JsonObject';

/** Is this type JsonObject, something that extends it, or a union with one? */
function isJsonObject(type, seen = new Set()) {
  if (!type || seen.has(type)) return false;
  seen.add(type);
  if (type.isUnionOrIntersection()) return type.types.some((part) => isJsonObject(part, seen));
  if (type.symbol?.name === NAME || type.aliasSymbol?.name === NAME) return true;
  return (type.getBaseTypes?.() ?? []).some((base) => isJsonObject(base, seen));
}

/** Forbids `object[name]` and `name in object` on JsonObject where the name is not a literal: use own, put or drop. */
export const jsonAccess = {
  meta: {
    type: 'problem',
    docs: { description: 'computed access to objects whose keys a stranger chose' },
    messages: { access: 'use own(object, key), put(object, key, value) or drop(object, key) on a JsonObject' },
    schema: [],
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const checked = (node) => isJsonObject(services.getTypeAtLocation(node));
    return {
      MemberExpression(node) {
        if (node.computed && node.property.type !== 'Literal' && checked(node.object))
          context.report({ node, messageId: 'access' });
      },
      BinaryExpression(node) {
        if (node.operator === 'in' && checked(node.right)) context.report({ node, messageId: 'access' });
      },
    };
  },
};
