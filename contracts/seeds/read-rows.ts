import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isArray, isObject, own, type Json, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import type { UnitKind } from './document.js';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'cases/seeds');
const KINDS = [
  'heading',
  'table-row',
  'code',
  'command',
  'checklist',
  'recommendation',
  'decision',
  'item',
] as const satisfies readonly UnitKind[];
export const STATES = ['done', 'better', 'not-done'] as const;

/** What proves a row. */
export type Case =
  | { readonly kind: 'test'; readonly file: string; readonly part: string }
  | { readonly kind: 'proof'; readonly name: string }
  /** A heading holds when the rows of its section do. */
  | { readonly kind: 'rows' };

/** How a command is played, and what it shows then. */
export interface Played {
  /** Sets the scene, once. */
  readonly before?: string;
  readonly shows: readonly string[];
  readonly code: number;
  readonly env: Readonly<Record<string, string>>;
  /** It does not end by itself, and is ended once it shows that. */
  readonly endless: boolean;
}

export interface Run {
  readonly ours: string;
  readonly own: Played;
  /** The document's own command; absent where it cannot run. */
  readonly theirs?: Played & {
    /** Names for its placeholders. */
    readonly replace: Readonly<Record<string, string>>;
    /** Its own lines that it says are printed. */
    readonly like?: Lines;
    /** Shows what it did where it prints nothing itself. */
    readonly then?: string;
  };
}

export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** What one line of a document comes to here. */
export interface Row extends Lines {
  readonly seed: string;
  readonly kind: UnitKind;
  readonly says: string;
  readonly with: string;
  readonly state: (typeof STATES)[number];
  readonly why?: string;
  readonly cases: readonly Case[];
  readonly run?: Run;
}

/** The documents that have rows. */
export function seedsWithRows(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => /^\d{3}\.yaml$/.test(name))
    .map((name) => name.slice(0, 3))
    .sort();
}

export function readRows(seed: string): Row[] {
  const file = join(FOLDER, `${seed}.yaml`);
  const root = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file: `${seed}.yaml` });
  const rows = isObject(root) && root.seed === seed ? root.rows : undefined;
  if (!isArray(rows)) throw new Error(`${seed}.yaml: wants seed: '${seed}' and rows`);
  return rows.map((row, index) => {
    try {
      return rowOf(seed, isObject(row) ? row : {});
    } catch (error) {
      throw new Error(
        `${seed}.yaml, row ${index + 1} (lines ${isObject(row) ? String(row.lines) : '?'}): ` +
          (error instanceof Error ? error.message : String(error)),
        { cause: error },
      );
    }
  });
}

function rowOf(seed: string, row: JsonObject): Row {
  onlyKeys(row, ['lines', 'kind', 'says', 'with', 'state', 'why', 'cases', 'run']);
  const kind = KINDS.find((each) => each === row.kind);
  const state = STATES.find((each) => each === row.state);
  if (kind === undefined || state === undefined)
    throw new Error(`kind ${String(row.kind)} or state ${String(row.state)} is not known`);
  const range = linesOf(row.lines);
  const run = row.run === undefined ? undefined : runOf(row.run);
  const cases = isArray(row.cases) ? row.cases.map(caseOf) : [];
  const played: Case[] =
    run === undefined
      ? []
      : [{ kind: 'test', file: `contracts/seeds/shell-${seed}.test.ts`, part: `line ${range.from}:` }];
  const why = row.why === undefined ? undefined : text(row.why, 'why');
  if (state !== 'done' && why === undefined) throw new Error(`${state} wants a why`);
  if (state !== 'not-done' && cases.length + played.length === 0) throw new Error(`${state} wants a case`);
  return {
    seed,
    ...range,
    kind,
    state,
    says: text(row.says, 'says'),
    with: text(row.with, 'with'),
    cases: [...cases, ...played],
    ...(why === undefined ? {} : { why }),
    ...(run === undefined ? {} : { run }),
  };
}

function caseOf(value: Json): Case {
  if (isObject(value)) {
    if (value.rows === 'below') return { kind: 'rows' };
    const name = text(value.proof, 'proof');
    if (!existsSync(join(ROOT, 'docs/proof', `${name}.jsonl`)))
      throw new Error(`docs/proof/${name}.jsonl is not there`);
    return { kind: 'proof', name };
  }
  const [file, part] = text(value, 'a case').split(' > ', 2);
  if (file === undefined || part === undefined || !existsSync(join(ROOT, file)))
    throw new Error(`the case "${String(value)}" is not "file > part of its name" of a file that is there`);
  return { kind: 'test', file, part };
}

function runOf(value: Json): Run {
  if (!isObject(value)) throw new Error('run wants ours and shows');
  onlyKeys(value, ['ours', 'before', 'shows', 'code', 'env', 'endless', 'theirs']);
  const ours = { ours: text(value.ours, 'run.ours'), own: playedOf(value) };
  const { theirs } = value;
  if (theirs === undefined) return ours;
  if (!isObject(theirs)) throw new Error('run.theirs is no object');
  onlyKeys(theirs, ['before', 'shows', 'code', 'env', 'endless', 'replace', 'like', 'then']);
  const more = {
    ...(theirs.like === undefined ? {} : { like: linesOf(theirs.like) }),
    ...(theirs.then === undefined ? {} : { then: text(theirs.then, 'then') }),
  };
  return { ...ours, theirs: { ...playedOf(theirs), replace: textsOf(theirs.replace), ...more } };
}

function playedOf(value: JsonObject): Played {
  const shows = isArray(value.shows) ? value.shows.map((each) => text(each, 'shows')) : [];
  return {
    shows,
    code: typeof value.code === 'number' ? value.code : 0,
    env: textsOf(value.env),
    endless: value.endless === true,
    ...(value.before === undefined ? {} : { before: text(value.before, 'before') }),
  };
}

function textsOf(value: Json | undefined): Record<string, string> {
  return isObject(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, text(own(value, key), key)])) : {};
}

function linesOf(value: Json | undefined): Lines {
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(String(value)) ?? [];
  if (from === undefined || Number(from) > Number(to))
    throw new Error(`${String(value)} is no line and no range of lines`);
  return { from: Number(from), to: Number(to) };
}

function text(value: Json | undefined, name: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`${name} wants a text`);
  return value.trim();
}

function onlyKeys(value: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new Error(`nobody reads ${unknown.join(', ')}`);
}
