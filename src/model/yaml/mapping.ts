import { quoteGo } from '../go/index.js';
import { own, put, type Json, type JsonObject } from '../json/index.js';
import type { Composer } from './composer.js';

/** A mapping while its entries are read. */
export class Mapping {
  readonly object: JsonObject = {};
  /** go-yaml v3 compares keys by their text and names the line of the first. */
  readonly #seen: Map<string, number> | undefined;
  #merges: readonly JsonObject[] = [];

  constructor(readonly composer: Composer) {
    this.#seen = composer.settings.dialect === 'kyaml' ? new Map() : undefined;
    composer.enter();
  }

  /** Notes the key that was just read; gives undefined for the merge key. */
  key(value: Json, at: number): string | undefined {
    const { composer } = this;
    const isMerge = composer.kind === 'merge';
    const key = isMerge ? '<<' : composer.keyOf(value, at);
    if (this.#seen !== undefined) this.#first(composer.aliased ? `*${key}` : composer.raw, at);
    composer.path[composer.depth] = key;
    return isMerge ? undefined : key;
  }

  #first(text: string, at: number): void {
    const first = this.#seen?.get(text);
    if (first === undefined) this.#seen?.set(text, at);
    else if (this.composer.settings.duplicates === 'error') {
      this.composer.fail(`mapping key ${quoteGo(text)} already defined at line ${this.composer.lineOf(first)}`, at);
    }
  }

  add(key: string | undefined, value: Json, at: number, valueAt: number): void {
    if (key === undefined) this.#merge(this.composer.merges(value, valueAt), at, valueAt);
    else this.#set(key, this.composer.finite(value, valueAt), at, valueAt);
  }

  #set(key: string, value: Json, at: number, valueAt: number): void {
    if (Object.hasOwn(this.object, key)) this.#duplicate(key, at, valueAt);
    put(this.object, key, value);
    const { composer } = this;
    composer.settings.onKey?.(this.object, key, composer.lineOf(at), composer.columnOf(at));
  }

  #duplicate(key: string, at: number, valueAt: number): void {
    const { composer } = this;
    const { duplicates, onDuplicate } = composer.settings;
    if (duplicates === 'error') composer.fail(`key ${quoteGo(key)} already set in map`, valueAt);
    onDuplicate?.({ key, path: composer.pathText(), line: composer.lineOf(at), valueLine: composer.lineOf(valueAt) });
  }

  /** go-yaml v2 merges where the `<<` stands, over the keys before it; v3 only fills in keys that are missing. */
  #merge(sources: readonly JsonObject[], at: number, valueAt: number): void {
    const { composer } = this;
    if (composer.settings.dialect === 'kyaml') {
      this.#merges = sources;
      return;
    }
    for (const source of sources.toReversed()) {
      for (const key of Object.keys(source)) {
        composer.path[composer.depth] = key;
        this.#set(key, own(source, key) ?? null, at, valueAt);
      }
    }
  }

  finish(): JsonObject {
    for (const source of this.#merges) {
      for (const key of Object.keys(source)) {
        if (!Object.hasOwn(this.object, key)) put(this.object, key, own(source, key));
      }
    }
    this.composer.leave();
    return this.composer.collection(this.object);
  }
}
