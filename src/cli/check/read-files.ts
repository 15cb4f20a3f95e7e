import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { compareText } from '../../model/go/index.js';
import { formatPointer, isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { readText } from '../files/index.js';

/** An object of a file, with the places of its fields by JSON pointer. */
export interface FileObject {
  readonly object: KubeObject;
  readonly file: string;
  readonly places: ReadonlyMap<string, string>;
}

export interface ReadFiles {
  readonly objects: readonly FileObject[];
  /** What could not be read, in sentences. */
  readonly notes: readonly string[];
}

const MAX_FILES = 20_000;
/** Not ours to look at. */
const SKIPPED = ['.git', 'node_modules', '.terraform'];

/** Applications and projects of all YAML files below a folder, or of one file. */
export function readFiles(target: string): ReadFiles {
  const isFolder = statSync(target).isDirectory();
  const files = isFolder ? filesBelow(target) : [target];
  const [objects, notes]: [FileObject[], string[]] = [[], []];
  for (const path of files) {
    const file = formatPath(path);
    try {
      objects.push(...objectsOf(path, file));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // A template of a chart is no YAML yet; whoever names a file means it.
      if (!isFolder) throw error;
      notes.push(`${file} is not read: ${error.message}`);
    }
  }
  return { objects, notes };
}

/** As seen from here, unless it is elsewhere. */
export function formatPath(path: string): string {
  const way = relative('.', path);
  return way === '' || way.startsWith('..') ? path : way;
}

function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const visit = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true }).sort((a, b) => compareText(a.name, b.name))) {
      if (SKIPPED.includes(entry.name)) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && /\.(?:ya?ml|json)$/.test(entry.name)) found.push(path);
      if (found.length > MAX_FILES)
        throw new Fault('USAGE', `there are more than ${MAX_FILES} files in it: name a smaller folder`, {
          where: folder,
        });
    }
  };
  visit(folder);
  return found;
}

/** Files without the word in them are not worth reading. */
const API_GROUP = 'argoproj.io/';

function objectsOf(path: string, file: string): FileObject[] {
  const text = readText(path);
  if (!text.includes(API_GROUP)) return [];
  const lines = new Map<object, Map<string, number>>();
  const onKey = (holder: JsonObject, key: string, line: number): void => {
    const known = lines.get(holder) ?? new Map<string, number>();
    lines.set(holder, known.set(key, line));
  };
  return readYaml(text, { dialect: 'kubernetes', file, onKey }).flatMap(({ value, line }) =>
    isObject(value) && isOurs(value)
      ? [
          {
            object: { ...value, metadata: isObject(value.metadata) ? value.metadata : {} } as KubeObject,
            file,
            places: placesIn(value, lines, { file, line }),
          },
        ]
      : [],
  );
}

function isOurs({ apiVersion, kind }: JsonObject): boolean {
  return (
    typeof apiVersion === 'string' &&
    apiVersion.startsWith(API_GROUP) &&
    (kind === 'Application' || kind === 'AppProject')
  );
}

function placesIn(
  document: JsonObject,
  lines: ReadonlyMap<object, ReadonlyMap<string, number>>,
  start: { readonly file: string; readonly line: number },
): Map<string, string> {
  const places = new Map([['', `${start.file}:${start.line}`]]);
  const visit = (value: Json, path: readonly string[], holderLine: number): void => {
    if (isArray(value)) {
      for (const [index, item] of value.entries()) {
        const first = isObject(item) ? Math.min(...(lines.get(item)?.values() ?? [])) : Infinity;
        const line = Number.isFinite(first) ? first : holderLine;
        places.set(formatPointer([...path, String(index)]), `${start.file}:${line}`);
        visit(item, [...path, String(index)], line);
      }
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        const line = lines.get(value)?.get(key) ?? holderLine;
        places.set(formatPointer([...path, key]), `${start.file}:${line}`);
        visit(own(value, key) ?? null, [...path, key], line);
      }
    }
  };
  visit(document, [], start.line);
  return places;
}
