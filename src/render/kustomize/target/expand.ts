import { formatFloat } from '../../../model/go/index.js';

/** What a var stands for. A mapping or list cannot be put anywhere. */
export type VarValue =
  | { readonly kind: 'string' | 'int' | 'bool'; readonly text: string }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'other' };

/** Replaces `$(NAME)`; `$$` stands for `$`. A text that is nothing but one var takes its type. */
export function expand(input: string, values: ReadonlyMap<string, VarValue>): VarValue {
  let out = '';
  let from = 0;
  for (let at = 0; at < input.length; at++) {
    if (input.charAt(at) !== '$' || at + 1 >= input.length) continue;
    out += input.slice(from, at);
    const next = input.charAt(at + 1);
    const end = next === '(' ? input.indexOf(')', at + 2) : -1;
    if (end < 0) {
      out += next === '$' ? '$' : `$${next}`;
      at += 1;
    } else {
      const value = known(values, input.slice(at + 2, end));
      if (at === 0 && end === input.length - 1) return value;
      out += formatValue(value);
      at = end;
    }
    from = at + 1;
  }
  return { kind: 'string', text: out + input.slice(from) };
}

function known(values: ReadonlyMap<string, VarValue>, name: string): VarValue {
  const value = values.get(name);
  return value === undefined || value.kind === 'other' ? { kind: 'string', text: `$(${name})` } : value;
}

/** As Go's %v prints it. */
function formatValue(value: VarValue): string {
  if (value.kind === 'other') return '';
  return value.kind === 'float' ? formatFloat(value.value, 'g', undefined).replace(/^\+/, '') : value.text;
}
