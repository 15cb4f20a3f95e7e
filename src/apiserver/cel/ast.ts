/** A parsed CEL expression. `at` is the offset (in characters) that an error about this node points at. */
export type Node =
  | { readonly kind: 'literal'; readonly at: number; readonly literal: Literal }
  | { readonly kind: 'ident'; readonly at: number; readonly name: string }
  | {
      readonly kind: 'select';
      readonly at: number;
      readonly of: Node;
      readonly field: string;
      readonly optional: boolean;
    }
  | { readonly kind: 'index'; readonly at: number; readonly of: Node; readonly key: Node; readonly optional: boolean }
  | { readonly kind: 'call'; readonly at: number; readonly name: string; readonly args: readonly Node[] }
  | {
      readonly kind: 'method';
      readonly at: number;
      readonly name: string;
      readonly of: Node;
      readonly args: readonly Node[];
    }
  | { readonly kind: 'list'; readonly at: number; readonly items: readonly ListItem[] }
  | { readonly kind: 'map'; readonly at: number; readonly entries: readonly MapEntry[] }
  | { readonly kind: 'and' | 'or'; readonly at: number; readonly left: Node; readonly right: Node }
  | {
      readonly kind: 'conditional';
      readonly at: number;
      readonly test: Node;
      readonly then: Node;
      readonly otherwise: Node;
    }
  | { readonly kind: 'has'; readonly at: number; readonly of: Node; readonly field: string }
  | {
      readonly kind: 'loop';
      readonly at: number;
      readonly macro: Macro;
      readonly range: Node;
      readonly vars: readonly string[];
      readonly filter?: Node;
      readonly body: Node;
    }
  /** optMap and optFlatMap. */
  | {
      readonly kind: 'optional-map';
      readonly at: number;
      readonly flat: boolean;
      readonly of: Node;
      readonly name: string;
      readonly body: Node;
    };

export type Macro =
  | 'all'
  | 'exists'
  | 'existsOne'
  | 'map'
  | 'filter'
  | 'transformList'
  | 'transformMap'
  | 'transformMapEntry';

export interface ListItem {
  readonly value: Node;
  readonly optional: boolean;
}

export interface MapEntry {
  readonly key: Node;
  readonly value: Node;
  readonly optional: boolean;
}

export type Literal =
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'null' };

/** One mistake in an expression, at a character offset. */
export class CelSyntaxError extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message);
    this.name = 'CelSyntaxError';
  }
}
