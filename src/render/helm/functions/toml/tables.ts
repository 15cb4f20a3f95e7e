import { mapOf, ANY, sliceOf, type GoType } from '../../template/value/go-type.js';
import { entryOf, GoSlice, GoTyped, setEntry, type GoObject, type GoValue } from '../../template/value/go-value.js';

/** What a TOML text has defined so far, and which table new keys go to. The rules on redefinition are BurntSushi's. */

const TABLES: GoType = sliceOf(mapOf(ANY));

export type Key = readonly string[];

/** A key as messages show it. */
export function keyText(key: Key): string {
  return key.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part))).join('.');
}

export class TomlTables {
  readonly root: GoObject = {};
  /** The table in scope. */
  context: Key = [];
  /** Tables that exist only because a longer key named them. */
  readonly #implicit = new Set<string>();
  readonly #arrays = new Set<string>();

  constructor(private readonly fail: (message: string) => never) {}

  markArray(name: string): void {
    this.#arrays.add(keyText(name === '' ? this.context : [...this.context, name]));
  }

  markImplicit(key: Key): void {
    this.#implicit.add(keyText(key));
  }

  /** Enters `a` for each part of `a.b.c = 1` but the last. */
  enterImplicit(key: Key): void {
    this.markImplicit(key);
    this.enter(key, false);
  }

  /** Makes a table, or one more of a list of tables, and enters it. */
  enter(key: Key, isArray: boolean): void {
    let table = this.root;
    const parents: string[] = [];
    for (const part of key.slice(0, -1)) {
      parents.push(part);
      if (!Object.hasOwn(table, part)) {
        this.markImplicit(parents);
        setEntry(table, part, {});
      }
      table = tableOf(entryOf(table, part)) ?? this.fail(`Key '${keyText(parents)}' was already created as a hash.`);
    }
    const last = key.at(-1) ?? '';
    this.context = parents;
    if (isArray) {
      if (!Object.hasOwn(table, last)) setEntry(table, last, new GoSlice(TABLES, []));
      const list = entryOf(table, last);
      if (!(list instanceof GoSlice))
        this.fail(`Key '${keyText(key)}' was already created and cannot be used as an array.`);
      setEntry(table, last, new GoSlice(TABLES, [...list.items, {}]));
    } else this.set(last, {});
    this.context = [...parents, last];
  }

  set(name: string, value: GoValue): void {
    let table = this.root;
    const path: string[] = [];
    for (const part of this.context) {
      path.push(part);
      table = tableOf(entryOf(table, part)) ?? this.fail(`Key '${keyText(path)}' has already been defined.`);
    }
    const key = [...path, name];
    if (!Object.hasOwn(table, name)) {
      setEntry(table, name, value);
      return;
    }
    if (!this.#implicit.delete(keyText(key))) this.fail(`Key '${keyText(key)}' has already been defined.`);
    if (this.#arrays.has(keyText(key))) setEntry(table, name, value);
  }
}

/** A table, or the last of a list of tables. */
function tableOf(value: GoValue | undefined): GoObject | undefined {
  const found = value instanceof GoSlice ? value.items.at(-1) : value;
  return typeof found === 'object' && found !== null && !Array.isArray(found) && !(found instanceof GoTyped)
    ? found
    : undefined;
}
