import type { Json } from '../../model/json/index.js';
import type { Definition, Node } from './syntax.js';

/** What a name stands for inside an expression; the innermost meaning wins. */
export type Scope =
  | { readonly kind: 'value'; readonly name: string; readonly value: Json; readonly up: Scope | undefined }
  /** A definition sees itself and all that stands before it. */
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly definition: Definition;
      readonly up: Scope | undefined;
    }
  /** An argument: evaluated where the call stands. */
  | {
      readonly kind: 'closure';
      readonly name: string;
      readonly node: Node;
      readonly scope: Scope | undefined;
      readonly up: Scope | undefined;
    }
  | { readonly kind: 'label'; readonly name: string; readonly id: symbol; readonly up: Scope | undefined };

export type Callable = Extract<Scope, { kind: 'function' | 'closure' }>;

export function functionKey(name: string, arity: number): string {
  return `${name}/${arity}`;
}

export function findFunction(scope: Scope | undefined, key: string): Callable | undefined {
  for (let at = scope; at !== undefined; at = at.up)
    if ((at.kind === 'function' || at.kind === 'closure') && at.name === key) return at;
  return undefined;
}

export function findValue(scope: Scope | undefined, name: string): Json | undefined {
  for (let at = scope; at !== undefined; at = at.up) if (at.kind === 'value' && at.name === name) return at.value;
  return undefined;
}

export function findLabel(scope: Scope | undefined, name: string): symbol | undefined {
  for (let at = scope; at !== undefined; at = at.up) if (at.kind === 'label' && at.name === name) return at.id;
  return undefined;
}

export function bindValue(up: Scope | undefined, name: string, value: Json): Scope {
  return { kind: 'value', name, value, up };
}
