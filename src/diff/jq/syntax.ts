import type { Json } from '../../model/json/index.js';

/** A jq expression as parsed. `at` is an offset in its text, for messages. */
export type Node =
  | { readonly kind: 'identity' }
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'text'; readonly format: string; readonly parts: readonly (string | Node)[]; readonly at: number }
  | { readonly kind: 'format'; readonly format: string; readonly at: number }
  | { readonly kind: 'index'; readonly base: Node; readonly key: Node }
  | { readonly kind: 'slice'; readonly base: Node; readonly from: Node | undefined; readonly to: Node | undefined }
  | { readonly kind: 'iterate'; readonly base: Node }
  | { readonly kind: 'array'; readonly body: Node | undefined }
  | { readonly kind: 'object'; readonly entries: readonly ObjectEntry[] }
  | { readonly kind: 'negate'; readonly body: Node }
  | { readonly kind: 'pipe'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'comma'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'and'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'or'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'alternative'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'operator'; readonly operator: Operator; readonly left: Node; readonly right: Node }
  | {
      readonly kind: 'update';
      readonly operator: Operator | '' | '//' | '|';
      readonly left: Node;
      readonly right: Node;
    }
  | { readonly kind: 'if'; readonly condition: Node; readonly then: Node; readonly otherwise: Node | undefined }
  | { readonly kind: 'try'; readonly body: Node; readonly handler: Node | undefined }
  | {
      readonly kind: 'reduce';
      readonly source: Node;
      readonly pattern: Pattern;
      readonly start: Node;
      readonly update: Node;
    }
  | {
      readonly kind: 'foreach';
      readonly source: Node;
      readonly pattern: Pattern;
      readonly start: Node;
      readonly update: Node;
      readonly extract: Node | undefined;
    }
  | { readonly kind: 'define'; readonly definition: Definition; readonly body: Node }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[]; readonly at: number }
  | { readonly kind: 'variable'; readonly name: string; readonly at: number }
  | { readonly kind: 'bind'; readonly source: Node; readonly pattern: Pattern; readonly body: Node }
  | { readonly kind: 'label'; readonly name: string; readonly body: Node }
  | { readonly kind: 'break'; readonly name: string; readonly at: number };

export type Operator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=';

export interface ObjectEntry {
  readonly key: Node;
  readonly value: Node;
}

export interface Definition {
  readonly name: string;
  /** With a `$` in front where the argument is a value. */
  readonly params: readonly string[];
  readonly body: Node;
}

/** What `as` takes apart. */
export type Pattern =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly Pattern[] }
  | {
      readonly kind: 'fields';
      readonly fields: readonly { readonly key: Node; readonly name: string; readonly pattern: Pattern | undefined }[];
    };

/** The names that a pattern binds. */
export function patternNames(pattern: Pattern): string[] {
  switch (pattern.kind) {
    case 'name':
      return [pattern.name];
    case 'list':
      return pattern.items.flatMap(patternNames);
    case 'fields':
      return pattern.fields.flatMap(({ name, pattern: inner }) => [
        ...(name === '' ? [] : [name]),
        ...(inner === undefined ? [] : patternNames(inner)),
      ]);
    default:
      return pattern satisfies never;
  }
}

/** A text that is no jq, or none that this evaluator has. */
export class JqSyntaxError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
    this.name = 'JqSyntaxError';
  }
}
