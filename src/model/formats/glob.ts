import { RE2JS } from 're2js';

type Matcher = (text: string) => boolean;

const CACHE_SIZE = 1_000;
const compiled = new Map<string, Matcher | undefined>();

/**
 * Whether a text fits a pattern as Argo CD writes them (gobwas/glob): `*` any text without a separator, `**` any text,
 * `?` one character, `[abc]`, `[!a-z]`, `{one,two}`, `\` before a character that means itself. Without separators `*`
 * crosses everything. A pattern that cannot be read fits nothing.
 */
export function matchesGlob(pattern: string, text: string, separators = ''): boolean {
  return matcherOf(pattern, separators)?.(text) ?? false;
}

/** Whether a pattern can be read. */
export function isGlob(pattern: string, separators = ''): boolean {
  return matcherOf(pattern, separators) !== undefined;
}

function matcherOf(pattern: string, separators: string): Matcher | undefined {
  const key = `${separators}\0${pattern}`;
  if (!compiled.has(key)) {
    if (compiled.size >= CACHE_SIZE) compiled.clear();
    compiled.set(key, compileGlob(pattern, separators));
  }
  return compiled.get(key);
}

/** Undefined if the pattern cannot be read. */
function compileGlob(pattern: string, separators: string): Matcher | undefined {
  // What most patterns are needs no expression.
  if (!/[*?[\]{}\\]/.test(pattern)) return (text) => text === pattern;
  if (pattern === '**' || (pattern === '*' && separators === '')) return () => true;
  const expression = translate(pattern, separators);
  if (expression === undefined) return undefined;
  try {
    const regex = RE2JS.compile(`^(?:${expression})$`, RE2JS.DOTALL);
    const takesNothing = fitsNothing(pattern);
    return (text) => (text === '' && takesNothing) || regex.test(text);
  } catch {
    // Such as a range that runs backwards.
    return undefined;
  }
}

/**
 * A pattern, or one of its alternatives, that asks for one character and nothing else: gobwas/glob lets such a one fit
 * the empty text too.
 */
function fitsNothing(pattern: string): boolean {
  const group = /^\{([^{}\\]*)\}$/.exec(pattern)?.[1];
  return (group === undefined ? [pattern] : group.split(',')).some((each) => /^(?:\?|\[![^\]\\]+\])$/.test(each));
}

function translate(pattern: string, separators: string): string | undefined {
  const single = separators === '' ? '.' : `[^${[...separators].map(quoteInClass).join('')}]`;
  let expression = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '\\') expression += RE2JS.quote(pattern.charAt(++at));
    else if (character === '?') expression += single;
    else if (character === '*') {
      const crosses = pattern.charAt(at + 1) === '*';
      while (pattern.charAt(at + 1) === '*') at++;
      expression += crosses ? '.*' : `${single}*`;
    } else if (character === '[') {
      const end = pattern.indexOf(']', at + 2);
      if (end < 0) return undefined;
      expression += translateClass(pattern.slice(at + 1, end));
      at = end;
    } else if (character === '{') {
      depth++;
      expression += '(?:';
    } else if (character === '}' && depth > 0) {
      depth--;
      expression += ')';
    } else expression += character === ',' && depth > 0 ? '|' : RE2JS.quote(character);
  }
  return depth === 0 ? expression : undefined;
}

function translateClass(text: string): string {
  const negated = text.startsWith('!');
  const body = negated ? text.slice(1) : text;
  const range = /^(.)-(.)$/s.exec(body);
  const inside =
    range === null
      ? [...body].map(quoteInClass).join('')
      : `${quoteInClass(range[1] ?? '')}-${quoteInClass(range[2] ?? '')}`;
  return `[${negated ? '^' : ''}${inside}]`;
}

function quoteInClass(character: string): string {
  return /[\w ]/.test(character) ? character : `\\${character}`;
}
