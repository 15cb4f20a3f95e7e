/** One step of a pattern: any run without a slash, or one character that a test accepts. */
type PatternToken = 'run' | ((character: string) => boolean);

/** A pattern as Go's filepath.Match reads it: `*`, `?`, `[a-z]`, `[^a]`, `\` before a character that means itself. */
export class PathPattern {
  readonly #steps: readonly PatternToken[];

  /** Throws a SyntaxError for a pattern that cannot be read. */
  constructor(pattern: string) {
    this.#steps = [...steps(Array.from(pattern))];
  }

  matches(path: string): boolean {
    const text = Array.from(path);
    let [at, step] = [0, 0];
    /** Where the last run started in the pattern, and how far it reached. */
    let [run, reached] = [-1, 0];
    for (;;) {
      const wanted = this.#steps[step];
      const character = text[at];
      if (wanted === 'run') {
        [run, reached] = [step++, at];
      } else if (wanted === undefined ? character === undefined : character !== undefined && wanted(character)) {
        if (wanted === undefined) return true;
        at++;
        step++;
      } else {
        // The last run takes one character more, if it may.
        const next = run < 0 ? undefined : text[reached];
        if (next === undefined || next === '/') return false;
        at = ++reached;
        step = run + 1;
      }
    }
  }
}

function* steps(pattern: readonly string[]): Generator<PatternToken> {
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? '';
    if (character === '*') yield 'run';
    else if (character === '?') yield (other) => other !== '/';
    else if (character === '[') {
      const { test, end } = readClass(pattern, at + 1);
      at = end;
      yield test;
    } else if (character === '\\') {
      const escaped = pattern[++at] ?? bad();
      yield (other) => other === escaped;
    } else yield (other) => other === character;
  }
}

function readClass(
  pattern: readonly string[],
  start: number,
): { readonly test: (character: string) => boolean; readonly end: number } {
  const isNegated = pattern[start] === '^';
  const ranges: { readonly low: number; readonly high: number }[] = [];
  let at = isNegated ? start + 1 : start;
  const read = (): number => {
    let character = pattern[at] ?? bad();
    if (character === '-' || character === ']') bad();
    if (character === '\\') character = pattern[++at] ?? bad();
    at++;
    if (at >= pattern.length) bad();
    return character.codePointAt(0) ?? 0;
  };
  while (pattern[at] !== ']' || ranges.length === 0) {
    const low = read();
    if (pattern[at] === '-') {
      at++;
      ranges.push({ low, high: read() });
    } else ranges.push({ low, high: low });
  }
  const within = (code: number): boolean => ranges.some(({ low, high }) => low <= code && code <= high);
  return { test: (character) => within(character.codePointAt(0) ?? 0) !== isNegated, end: at };
}

function bad(): never {
  throw new SyntaxError('syntax error in pattern');
}
