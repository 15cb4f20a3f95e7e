import {
  type Json,
  type JsonObject,
  isArray,
  isObject,
  objectsAt,
  own,
  parseJson,
  put,
} from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { SnapshotBuilder } from './snapshot-builder.js';
import { textAt } from '../json/index.js';
import { JsonSplitter } from './json-splitter.js';
import { YamlSplitter } from './yaml-splitter.js';

/** A reader of one file, fed piece by piece. */
export interface DumpReader {
  push(chunk: Buffer): void;
  end(): void;
}

/** Objects of lists name no kind where the list does (`PodList`); they wait until the list has named it. */
class ListItemTyper {
  readonly #builder: SnapshotBuilder;
  readonly #file: string;
  #waiting: JsonObject[] = [];

  constructor(builder: SnapshotBuilder, file: string) {
    this.#builder = builder;
    this.#file = file;
  }

  object(value: Json): void {
    if (isObject(value) && value.kind === undefined && isObject(value.metadata)) this.#waiting.push(value);
    else if (isObject(value) && isArray(value.items) && textAt(value, 'kind').endsWith('List')) {
      for (const item of objectsAt(value, 'items')) this.object(item);
      this.list(value);
    } else this.#builder.add(value, this.#file);
  }

  /** The list around the objects so far. */
  list(value: Json): void {
    const kind = textAt(value, 'kind').replace(/List$/, '');
    const apiVersion = textAt(value, 'apiVersion');
    for (const item of this.#waiting) {
      put(item, 'kind', own(item, 'kind') ?? kind);
      put(item, 'apiVersion', own(item, 'apiVersion') ?? apiVersion);
      this.#builder.add(item, this.#file);
    }
    this.#waiting = [];
  }

  end(fallback: { readonly apiVersion: string; readonly kind: string } | undefined): void {
    this.list(fallback ?? {});
  }
}

/** The kind of objects in a file if neither they nor their list have it. */
export interface FileKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Reads lists, documents and bare lists of JSON in the memory of one object. */
export function jsonReader(builder: SnapshotBuilder, file: string, fallback?: FileKind): DumpReader {
  const typing = new ListItemTyper(builder, file);
  const splitter = new JsonSplitter(({ text, isObject: whole }) => {
    try {
      const value = parseJson(text);
      if (whole) typing.object(value);
      else typing.list(value);
    } catch (error) {
      builder.loss(`${file}: an object cannot be read: ${messageOf(error)}`);
    }
  });
  return {
    push: (chunk) => splitter.push(chunk),
    end: () => {
      typing.end(fallback);
      if (!splitter.isComplete)
        builder.loss(`${file}: truncated in the middle of an object; everything before it was read`);
      if (splitter.hasLitter) builder.loss(`${file}: only partly JSON; the valid part was read`);
    },
  };
}

/** Reads documents and the lists of kubectl as YAML in the memory of one object. */
export function yamlReader(builder: SnapshotBuilder, file: string, fallback?: FileKind): DumpReader {
  const typing = new ListItemTyper(builder, file);
  const decoder = new TextDecoder('utf-8');
  const splitter = new YamlSplitter(({ text, isItem, hasItems, line }) => {
    try {
      const value = readOneYaml(text, { dialect: 'kubernetes', file });
      if (hasItems && textAt(value, 'kind') === '')
        builder.loss(`${file}: the list that begins at line ${line} is not terminated; everything before it was read`);
      if (value === null || (hasItems && textAt(value, 'kind') === '')) return;
      if (isItem) for (const item of isArray(value) ? value : [value]) typing.object(item);
      else if (isObject(value) && textAt(value, 'kind').endsWith('List') && value.items === undefined)
        typing.list(value);
      else typing.object(value);
    } catch (error) {
      builder.loss(`${file}: the object at line ${line} cannot be read: ${messageOf(error)}`);
    }
  });
  return {
    push: (chunk) => splitter.push(decoder.decode(chunk, { stream: true })),
    end: () => {
      splitter.push(decoder.decode());
      splitter.end();
      typing.end(fallback);
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
