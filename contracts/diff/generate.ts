import type { Json } from '../../src/model/json/index.js';

/** Random jq expressions and inputs that fit them often enough to matter. */
export class Generator {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  #below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % limit;
  }

  #pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.#below(choices.length)] ?? choices[0];
  }

  value(depth = 3): Json {
    const kind = this.#below(depth > 0 ? 8 : 5);
    if (kind === 0) return null;
    if (kind === 1) return this.#below(2) === 0;
    if (kind === 2) return this.#below(20) - 5;
    if (kind < 5) return this.#pick(TEXTS);
    if (kind === 5) return Array.from({ length: this.#below(4) }, () => this.value(depth - 1));
    const object: Record<string, Json> = {};
    for (let members = this.#below(4); members > 0; members--) object[this.#pick(NAMES)] = this.value(depth - 1);
    return object;
  }

  /** An expression made mostly of paths. */
  expression(depth = 4): string {
    if (depth <= 0) return this.#pick(['.', '.a', '.b[0]', '.c?', '.[]?', '..', '1', '"a"', 'null', '.list[]', '.a.b']);
    const inner = (): string => this.expression(depth - 1);
    const make = this.#pick<() => string>([
      () => `${inner()} | ${inner()}`,
      () => `${inner()}, ${inner()}`,
      () => `(${inner()}) // (${inner()})`,
      () => `.${this.#pick(NAMES)}`,
      () => `.${this.#pick(NAMES)}?`,
      () => `.[${this.#below(4) - 2}]?`,
      () => `.[${this.#below(3)}:]?`,
      () => `.[:${this.#below(3) - 1}]?`,
      () => `(${inner()})[]?`,
      () => `.[]? | ${inner()}`,
      () => `select(${inner()})`,
      () => `.[]? | select(${inner()} == ${this.#literal()})`,
      () => `if ${inner()} then ${inner()} else ${inner()} end`,
      () => `try (${inner()}) catch .`,
      () => `first(${inner()})`,
      () => `limit(2; ${inner()})`,
      () => `[${inner()}]`,
      () => `(${inner()}) as $x | ${inner()}`,
      () => `.. | ${this.#pick(['numbers', 'strings', 'objects', 'scalars'])}`,
      () =>
        `select((${inner()}) ${this.#pick(['==', '!=', '<', '<=', '>', '>=', '+', '-', '*', 'and', 'or'])} ` +
        `(${inner()}))`,
      () => `(${inner()} | ${this.#filter()})?`,
      () => `any(.[]?; ${inner()})`,
      () => `all(.[]?; ${inner()})`,
      () => `recurse(${this.#pick(['.a?', '.[]?', '.b?'])}; . != null)`,
      () => `getpath(["${this.#pick(NAMES)}"])?`,
      () => `reduce (${inner()}) as $x (0; . + 1)`,
      () => `path(${inner()})`,
      () => `.a as $y | ${inner()}`,
      () => `{a: (${inner()})}`,
      () => `del(${inner()})`,
      () => `(${inner()}) |= 7`,
    ]);
    return make();
  }

  #literal(): string {
    return this.#pick(['1', '"a"', 'null', 'true', '"name"', '[]', '{}']);
  }

  #filter(): string {
    return this.#pick([
      'length',
      'keys',
      'type',
      'tojson',
      'tostring',
      'not',
      'sort',
      'add',
      'unique',
      'reverse',
      'flatten',
      'to_entries',
      'min',
      'max',
      'has("a")',
      'startswith("a")',
      'test("a")',
      'split("a")',
      'join("-")',
      'contains("a")',
      'ltrimstr("a")',
      'ascii_downcase',
      'tonumber',
      'map(.)',
      'map_values(.)',
      'index("a")',
      'with_entries(.)',
      'from_entries',
      'sort_by(.)',
      'group_by(.)',
      'floor',
      'explode',
    ]);
  }
}

const NAMES = ['a', 'b', 'c', 'list', 'name'] as const satisfies [string, ...string[]];
const TEXTS = ['a', 'name', '', 'ab', 'café', '1', 'A-b'] as const satisfies [string, ...string[]];
