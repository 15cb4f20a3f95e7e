/** An expression as it was understood. */
export type Node =
  | { readonly kind: 'value'; readonly value: null | boolean | number | string }
  | { readonly kind: 'name'; readonly name: string }
  /** The current element of a predicate. */
  | { readonly kind: 'item' }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [Node, Node])[] }
  | { readonly kind: 'unary'; readonly sign: string; readonly of: Node }
  | { readonly kind: 'binary'; readonly sign: string; readonly left: Node; readonly right: Node }
  | { readonly kind: 'choice'; readonly test: Node; readonly yes: Node; readonly no: Node }
  /** `isOptional`: nil where the object is nil. */
  | { readonly kind: 'member'; readonly of: Node; readonly key: Node; readonly isOptional: boolean }
  | { readonly kind: 'slice'; readonly of: Node; readonly from?: Node; readonly to?: Node }
  /** Nil, whatever follows, where an optional member of the chain is nil. */
  | { readonly kind: 'chain'; readonly of: Node }
  | { readonly kind: 'call'; readonly of: Node; readonly args: readonly Node[] }
  /** A function of the language, such as `any(list, {# > 1})`; predicates are not evaluated before. */
  | { readonly kind: 'builtin'; readonly name: string; readonly args: readonly Node[] };
