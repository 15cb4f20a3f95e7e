import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../../../src/model/json/index.js';
import { readYaml } from '../../../src/model/yaml/index.js';
import type { RealRun } from './real-helm.js';

/** What ours gave: the text of `helm template`, or the error that helm prints. */
export type OurRun =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'error'; readonly message: string };

/**
 * How equal two renderings are. `random`: the real one differs from itself, and everything else is equal. `fails
 * alike`: both fail with the same words; `fails otherwise`: with others.
 */
export const COMPARISON_OUTCOMES = [
  'equal',
  'random',
  'structure',
  'different',
  'fails alike',
  'fails otherwise',
] as const;
export type ComparisonOutcome = (typeof COMPARISON_OUTCOMES)[number];

export interface Comparison {
  readonly verdict: ComparisonOutcome;
  /** Where they part first, in a few lines; empty where nothing does. */
  readonly first: string;
}

/** Compares byte by byte; where that fails, by lines without those that are chance, then by what the documents say. */
export async function compareRuns(real: RealRun, runAgain: () => Promise<RealRun>, ours: OurRun): Promise<Comparison> {
  if (real.code !== 0) return compareErrors(real, ours);
  if (ours.kind === 'error') return { verdict: 'different', first: `helm renders it; ours: ${ours.message}` };
  if (real.stdout === ours.text) return { verdict: 'equal', first: '' };
  const again = await runAgain();
  const isRandom = again.stdout !== real.stdout;
  const theirs = isRandom ? withoutChance(real.stdout, again.stdout, real.stdout) : real.stdout;
  const mine = isRandom ? withoutChance(real.stdout, again.stdout, ours.text) : ours.text;
  if (isRandom && theirs === mine) return { verdict: 'random', first: '' };
  const first = firstDifference(theirs, mine);
  try {
    const isSame = sameDocuments(
      documents(real.stdout),
      documents(ours.text),
      isRandom ? documents(again.stdout) : undefined,
    );
    if (!isSame) return { verdict: 'different', first };
    return { verdict: isRandom ? 'random' : 'structure', first };
  } catch (error) {
    return {
      verdict: 'different',
      first: `${first}\nnot YAML: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function compareErrors(real: RealRun, ours: OurRun): Comparison {
  const theirs = errorOf(real.stderr);
  if (ours.kind === 'text') return { verdict: 'different', first: `ours renders it; helm: ${theirs}` };
  if (inOwnWords(theirs) === inOwnWords(ours.message)) return { verdict: 'fails alike', first: '' };
  return { verdict: 'fails otherwise', first: firstDifference(theirs, ours.message) };
}

/** The error without what is for a terminal. */
function errorOf(stderr: string): string {
  const from = stderr.search(/^Error: /m);
  return stderr
    .slice(from === -1 ? 0 : from + 'Error: '.length)
    .replace(/\n\nUse --debug flag to render out invalid YAML\n?$/, '')
    .replace(/\n$/, '');
}

/**
 * Two things each says in its own words: what is wrong with text that is no YAML, and why a schema of another place is
 * not there (helm asks for it, ours never does). Helm's order of what a schema refuses is chance.
 */
function inOwnWords(message: string): string {
  const lines = message.startsWith("values don't meet the specifications")
    ? message.split('\n').sort().join('\n')
    : message;
  return lines
    .replace(/(?<=error converting YAML to JSON: )yaml: .*/s, 'yaml: <what is wrong>')
    .replace(/(?<=failing loading "[^"]*": ).*/g, '<why>');
}

/**
 * The text with `<chance>` for every line that is not the same in two runs of the real one; the text itself where lines
 * do not pair up.
 */
function withoutChance(first: string, second: string, text: string): string {
  const [one, two, lines] = [first.split('\n'), second.split('\n'), text.split('\n')];
  if (one.length !== two.length || one.length !== lines.length) return text;
  return lines.map((line, index) => (one[index] === two[index] ? line : '<chance>')).join('\n');
}

const CONTEXT = 3;

export function firstDifference(theirs: string, mine: string): string {
  const [real, ours] = [theirs.split('\n'), mine.split('\n')];
  const at = real.findIndex((line, index) => line !== ours[index]);
  const index = at === -1 ? real.length : at;
  const source = real.slice(0, index + 1).findLast((line) => line.startsWith('# Source: ')) ?? '';
  const cut = (line: string | undefined): string =>
    line === undefined ? '(end)' : JSON.stringify(line.slice(0, 300)).slice(1, -1);
  return [
    `line ${index + 1} ${source}`,
    ...real.slice(Math.max(0, index - CONTEXT), index).map((line) => `    ${cut(line)}`),
    ...real.slice(index, index + 2).map((line) => `  - ${cut(line)}`),
    ...(index >= real.length ? ['  - (end)'] : []),
    ...ours.slice(index, index + 2).map((line) => `  + ${cut(line)}`),
    ...(index >= ours.length ? ['  + (end)'] : []),
  ].join('\n');
}

function documents(text: string): JsonObject[] {
  return readYaml(text, { dialect: 'kubernetes', duplicates: 'last' })
    .map(({ value }) => value)
    .filter(isObject);
}

function identity(object: JsonObject): string {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return [object['apiVersion'], object['kind'], metadata['namespace'], metadata['name']]
    .map((part) => (typeof part === 'string' ? part : ''))
    .join(' ');
}

/** The same objects, wherever they stand, with the same content but for what is chance. */
function sameDocuments(
  real: readonly JsonObject[],
  ours: readonly JsonObject[],
  again: readonly JsonObject[] | undefined,
): boolean {
  const [mine, second] = [byIdentity(ours), byIdentity(again ?? real)];
  if (real.length !== ours.length) return false;
  return [...byIdentity(real)].every(([key, object]) => {
    const found = mine.get(key);
    return found !== undefined && sameBut(object, found, second.get(key) ?? object);
  });
}

function byIdentity(objects: readonly JsonObject[]): Map<string, JsonObject> {
  const map = new Map<string, JsonObject>();
  for (const object of objects) {
    let key = identity(object);
    while (map.has(key)) key += ' again';
    map.set(key, object);
  }
  return map;
}

function sameBut(real: Json | undefined, ours: Json | undefined, again: Json | undefined): boolean {
  if (isDeepStrictEqual(real, ours)) return true;
  if (isObject(real) && isObject(ours) && isObject(again)) {
    const entries = {
      real: new Map(Object.entries(real)),
      ours: new Map(Object.entries(ours)),
      again: new Map(Object.entries(again)),
    };
    return [...new Set([...entries.real.keys(), ...entries.ours.keys()])].every((key) =>
      sameBut(entries.real.get(key), entries.ours.get(key), entries.again.get(key)),
    );
  }
  if (Array.isArray(real) && Array.isArray(ours) && Array.isArray(again)) {
    return real.length === ours.length && real.every((each, index) => sameBut(each, ours[index], again[index]));
  }
  return typeof real === typeof ours && !isDeepStrictEqual(real, again);
}
