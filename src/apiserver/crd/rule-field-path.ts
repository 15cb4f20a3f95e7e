import type { Schema } from '../../model/kubernetes/index.js';

/** The tokens of a rule's fieldPath or a selectable field: delimiters alone, quoted strings whole. */
function tokens(path: string): string[] {
  return path.match(/'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]]+/g) ?? [];
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);

/**
 * Follows a path such as `.spec.x` or `['a-b']` through a schema; gives its normal form and where it ends, or why not.
 */
export function followPath(
  path: string,
  schema: Schema,
  options: { readonly brackets: boolean },
): { readonly path: string; readonly schema: Schema } | { readonly error: string } {
  const rest = tokens(path);
  let at = schema;
  let done = '';
  while (rest.length > 0) {
    const token = rest.shift() ?? '';
    if (token !== '.' && token !== '[') return { error: `expected [ or . but got: ${token}` };
    if (token === '[' && !options.brackets) return { error: 'array notation is not allowed' };
    let name = rest.shift();
    if (name === undefined) return { error: 'unexpected end of JSON path' };
    if (token === '[') {
      if (!/^'.*'$/s.test(name)) return { error: `expected single quoted string but got ${name}` };
      name = name.slice(1, -1).replace(/\\(.)/gs, (whole, char: string) => ESCAPES.get(char) ?? whole);
      const close = rest.shift();
      if (close !== ']')
        return { error: close === undefined ? 'unexpected end of JSON path' : `expected ] but got ${close}` };
    }
    const named = at.properties !== undefined;
    const additional = typeof at.additionalProperties === 'object' ? at.additionalProperties : undefined;
    const next: Schema | undefined = named ? at.properties?.get(name) : additional;
    if (next === undefined) return { error: 'does not refer to a valid field' };
    const separator = done === '' ? '' : '.';
    done += named ? `${separator}${name}` : `[${name}]`;
    at = next;
  }
  return { path: done, schema: at };
}
