import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isArray, isObject, own, type Json, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import { readDocument } from '../seeds/document.js';
import type { ClusterName } from '../deliver/case.js';

const FOLDER = join(import.meta.dirname, 'walks');

/** One thing that an author does, or looks at until it is as it should be. */
export interface WalkStep {
  readonly does: string;
  /** Written before the command, by path in the author's folder; a file without a text is removed. */
  readonly files: ReadonlyMap<string, string | undefined>;
  /** For bash, in the author's folder. */
  readonly run?: string;
  readonly code: number;
  readonly shows: readonly string[];
  readonly hides: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A part of a document that can be walked by itself, after those that it comes after. */
export interface WalkChapter {
  readonly name: string;
  /** Where the document tells it. */
  readonly lines: string;
  /** Small enough for every run of the tests. */
  readonly isSmoke: boolean;
  readonly clusters: readonly ClusterName[];
  /** What it waits for: written as it must be, and not walked yet. */
  readonly pending?: string;
  /** Notebooks are executed in it. */
  readonly executes: boolean;
  readonly steps: readonly WalkStep[];
}

/** What the author of a document does, from an empty folder. */
export interface Walk {
  readonly seed: string;
  readonly chapters: readonly WalkChapter[];
}

/** The documents that are walked, in the order in which one cluster can take them. */
export function walkedSeeds(): string[] {
  // 003 hands the settings over to an ArgoCD resource, which takes edits of ConfigMaps back from then on.
  return readdirSync(FOLDER)
    .map((name) => name.slice(0, 3))
    .sort((a, b) => Number(a === '003') - Number(b === '003') || a.localeCompare(b));
}

/** The walk of a document; undefined where the document is not on this machine. */
export function readWalk(seed: string): Walk | undefined {
  const document = readDocument(seed);
  if (document === undefined) return undefined;
  const file = join(FOLDER, `${seed}.yaml`);
  const root = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file: `${seed}.yaml` });
  if (!isObject(root)) throw new Error(`${seed}.yaml wants names and chapters`);
  onlyKeys(root, ['names', 'chapters'], `${seed}.yaml`);
  const names = textsOf(root.names);
  const quote = (text: string): string => quoteLines(text, document, names);
  return { seed, chapters: list(root.chapters).map((chapter) => chapterOf(chapter, quote)) };
}

type Quote = (text: string) => string;

function chapterOf(chapter: JsonObject, quote: Quote): WalkChapter {
  const name = text(chapter.chapter, 'chapter');
  onlyKeys(chapter, ['chapter', 'lines', 'smoke', 'only', 'pending', 'executes', 'steps'], name);
  return {
    name,
    lines: String(chapter.lines),
    isSmoke: chapter.smoke === true,
    clusters: chapter.only === 'embedded' ? ['embedded'] : ['embedded', 'real'],
    ...(chapter.pending === undefined ? {} : { pending: text(chapter.pending, 'pending') }),
    executes: chapter.executes === true,
    steps: list(chapter.steps).map((step) => stepOf(step, quote)),
  };
}

function stepOf(step: JsonObject, quote: Quote): WalkStep {
  const does = text(step.does, 'does');
  onlyKeys(step, ['does', 'files', 'run', 'code', 'shows', 'hides', 'env'], does);
  const files = isObject(step.files) ? step.files : {};
  const texts = (value: Json | undefined): string[] => (isArray(value) ? value.map((each) => quote(String(each))) : []);
  return {
    does,
    files: new Map(
      Object.keys(files).map((path) => {
        const content = own(files, path);
        return [path, typeof content === 'string' ? quote(content) : undefined];
      }),
    ),
    ...(step.run === undefined ? {} : { run: quote(text(step.run, 'run')) }),
    code: typeof step.code === 'number' ? step.code : 0,
    shows: texts(step.shows),
    hides: texts(step.hides),
    env: textsOf(step.env),
  };
}

const QUOTE = /^([ \t]*)<<(\d+)(?:-(\d+))?>>$/gm;

/**
 * `<<18-34>>` on a line of its own stands for these lines of the document, as far to the right as it stands, in the
 * author's names.
 */
function quoteLines(content: string, document: readonly string[], names: Readonly<Record<string, string>>): string {
  const longestFirst = Object.entries(names).sort(([a], [b]) => b.length - a.length);
  const rename = (line: string): string =>
    longestFirst.reduce((renamed, [theirs, ours]) => renamed.replaceAll(theirs, ours), line);
  return content.replaceAll(QUOTE, (_, indent: string, from: string, to: string | undefined) => {
    const lines = document.slice(Number(from) - 1, Number(to ?? from));
    const margin = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
    return lines.map((line) => (indent + rename(line.slice(margin))).trimEnd()).join('\n');
  });
}

function list(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

function textsOf(value: Json | undefined): Record<string, string> {
  return isObject(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, String(own(value, key))])) : {};
}

function text(value: Json | undefined, name: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`${name} wants a text`);
  return value;
}

function onlyKeys(value: JsonObject, known: readonly string[], where: string): void {
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new Error(`${where}: nobody reads ${unknown.join(', ')}`);
}
