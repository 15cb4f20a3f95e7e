import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';

/** A chart with all its versions. */
export interface ListedChart {
  readonly name: string;
  readonly versions: readonly string[];
}

/** Every chart of an index.yaml. */
export function listIndex(text: string, where: string): ListedChart[] {
  const index = readWhole(text, where);
  const entries = isObject(index) ? index.entries : undefined;
  return Object.keys(isObject(entries) ? entries : {}).map((name) => ({
    name,
    versions: (entriesOf(index, name, where) ?? []).map(({ version }) => version),
  }));
}

/** One version of a chart, as an index lists it. */
export interface IndexEntry {
  readonly version: string;
  readonly urls: readonly string[];
  /** sha256 in hex; empty where the index does not say. */
  readonly digest: string;
}

/** The versions of one chart out of an index.yaml; undefined where the index does not have the chart. */
export function readIndex(text: string, chart: string, where: string): IndexEntry[] | undefined {
  const part = sliceChart(text, chart);
  const versions = part === undefined ? undefined : tryRead(part, chart);
  return versions ?? entriesOf(readWhole(text, where), chart, where);
}

/**
 * The lines of one chart. An index of 30 MB takes seconds to read as a whole; its usual form, two or no spaces in front
 * of each chart below `entries:`, can be cut by lines, since nothing inside a chart stands as far left.
 */
function sliceChart(text: string, chart: string): string | undefined {
  const start = text.startsWith('entries:') ? 0 : text.indexOf('\nentries:') + 1;
  if (start === 0 && !text.startsWith('entries:')) return undefined;
  const [, indent] =
    /^entries:[ \t]*\r?\n(?:[ \t]*#.*\r?\n|\r?\n)*( +)[^ \n]/.exec(text.slice(start, start + 10_000)) ?? [];
  if (indent === undefined) return undefined;
  for (const key of [chart, `"${chart}"`, `'${chart}'`]) {
    const line = `\n${indent}${key}:`;
    const at = text.indexOf(line, start);
    if (at < 0) continue;
    const from = at + line.length;
    const end = endOfChart(text, from, indent.length);
    return `entries:\n${indent}${key}:${text.slice(from, end)}\n`;
  }
  return undefined;
}

/** The next line that stands as far left and is no item of the list. */
function endOfChart(text: string, from: number, indent: number): number {
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) {
    let column = 0;
    while (text.charAt(at + 1 + column) === ' ') column++;
    const first = text.charAt(at + 1 + column);
    if (first === '' || first === '\n' || first === '\r') continue;
    if (column < indent || (column === indent && first !== '-')) return at;
  }
  return text.length;
}

function tryRead(part: string, chart: string): IndexEntry[] | undefined {
  try {
    return entriesOf(readOneYaml(part, { dialect: 'kubernetes' }), chart, '');
  } catch {
    // An unusual form, such as an alias to another chart: the whole index is read.
    return undefined;
  }
}

function readWhole(text: string, where: string): Json {
  try {
    return readOneYaml(text, { dialect: 'kubernetes', file: 'index.yaml' });
  } catch (cause) {
    throw new Fault(
      'SOURCE_INVALID',
      `the index of the chart repository cannot be read: ${cause instanceof Error ? cause.message : 'unknown'}`,
      { where, cause },
    );
  }
}

function entriesOf(index: Json, chart: string, where: string): IndexEntry[] | undefined {
  const entries = isObject(index) ? index.entries : undefined;
  if (!isObject(index) || (entries !== undefined && entries !== null && !isObject(entries)))
    throw new Fault('SOURCE_INVALID', 'the address leads to something that is no chart index', { where });
  const versions = isObject(entries) ? own(entries, chart) : undefined;
  if (versions === undefined) return undefined;
  return isArray(versions) ? versions.map(entryOf).filter((entry) => entry !== undefined) : [];
}

function entryOf(value: Json): IndexEntry | undefined {
  if (!isObject(value) || typeof value.version !== 'string' || !isArray(value.urls)) return undefined;
  const digest = typeof value.digest === 'string' ? value.digest.replace(/^sha256:/, '').toLowerCase() : '';
  return { version: value.version, urls: value.urls.filter((url) => typeof url === 'string'), digest };
}

/** Where an archive is: an address of its own, or one that continues the repository's, query included. */
export function archiveUrl(repository: string, url: string): string {
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(url)) return url;
  const base = new URL(repository);
  const query = base.search;
  base.search = '';
  base.pathname = `${base.pathname.replace(/\/$/, '')}/`;
  const resolved = new URL(url, base);
  resolved.search = query;
  return resolved.href;
}
