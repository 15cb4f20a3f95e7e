import { createReadStream } from 'node:fs';
import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { createGunzip } from 'node:zlib';
import { Fault } from '../../model/index.js';
import { fileKindOf, jsonReader, logOf, readManifest, SnapshotBuilder, textReader, yamlReader, type DumpReader, type Snapshot } from '../../triage/index.js';

/** Beyond this a dump as YAML takes too long; JSON is streamed at any size. */
const LARGEST_YAML = 200 * 1024 * 1024;
const MOST_LOG = 2 * 1024 * 1024;

export interface CollectFilesOptions {
  /** When the snapshot was taken, where nothing in it says so: milliseconds since 1970. */
  readonly now: number;
}

/** Reads dumps: lists of kubectl, a support bundle, a must-gather folder, texts of describe and get. */
export async function collectFiles(paths: readonly string[], { now }: CollectFilesOptions): Promise<Snapshot> {
  const builder = new SnapshotBuilder();
  let taken: number | undefined;
  for (const path of paths) {
    const info = await look(path);
    if (info.isDirectory()) taken = await readFolder(path, builder) ?? taken;
    else if (!(await readDump(path, basename(path), builder))) throw unknownDump('this is no dump', path);
  }
  const snapshot = builder.build(taken ?? builder.latest ?? now);
  const [problem] = snapshot.problems;
  if (builder.size === 0 && problem !== undefined) throw unknownDump(`nothing could be read (${problem})`, paths.join(', '));
  return snapshot;
}

/** A folder with a manifest keeps its objects and logs apart from what else belongs to it; it says when it was taken. */
async function readFolder(path: string, builder: SnapshotBuilder): Promise<number | undefined> {
  const files = await filesUnder(path);
  const manifest = files.includes('snapshot.yaml') ? readManifest(await readFile(join(path, 'snapshot.yaml'), 'utf8'), 'snapshot.yaml') : undefined;
  for (const listing of manifest?.listings ?? []) builder.listing(listing);
  let known = 0;
  for (const file of files) if (manifest === undefined || /^(objects|logs)\//.test(file)) known += (await readDump(join(path, file), file, builder)) ? 1 : 0;
  if (known === 0) throw unknownDump('there is no dump in this folder', path);
  return manifest?.time;
}

/** Nothing that was looked at is no all-clear. */
function unknownDump(what: string, where: string): Fault {
  return new Fault('FILE_UNREADABLE', `${what}: triage reads JSON and YAML of kubectl, its describe and get texts, support bundles and must-gather folders`, { where });
}

async function look(path: string): Promise<Awaited<ReturnType<typeof stat>>> {
  try {
    return await stat(path);
  } catch (error) {
    throw unreadable(error, path);
  }
}

function unreadable(error: unknown, where: string): Fault {
  return new Fault('FILE_UNREADABLE', error instanceof Error ? error.message : String(error), { where, cause: error });
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
}

/** Whether it is something that triage knows. */
async function readDump(path: string, name: string, builder: SnapshotBuilder): Promise<boolean> {
  const log = logOf(name);
  if (log !== undefined) {
    builder.addLog({ ...log, lines: await lastLines(path) });
    return true;
  }
  const reader = await readerFor(path, name, builder);
  if (reader === undefined) return false;
  const raw = createReadStream(path, { highWaterMark: 1024 * 1024 });
  const stream = path.endsWith('.gz') ? raw.pipe(createGunzip()) : raw;
  try {
    for await (const chunk of stream) reader.push(chunk as Buffer);
  } catch (error) {
    builder.problem(`${name}: cannot be read to its end: ${error instanceof Error ? error.message : String(error)}`);
  }
  reader.end();
  return true;
}

async function readerFor(path: string, name: string, builder: SnapshotBuilder): Promise<DumpReader | undefined> {
  const plain = name.replace(/\.gz$/, '');
  const kind = fileKindOf(plain);
  if (/\.(json|jsonl|ndjson)$/.test(plain)) return jsonReader(builder, name, kind);
  if (/\.ya?ml$/.test(plain)) {
    const { size } = await stat(path);
    if (size > LARGEST_YAML) throw new Fault('SOURCE_TOO_LARGE', `a dump as YAML may have ${LARGEST_YAML / 1024 / 1024} MB, this one has ${Math.ceil(size / 1024 / 1024)} MB; take it with -o json, which has no limit`, { where: path });
    return yamlReader(builder, name, kind);
  }
  if (/\.(txt|out|describe)$/.test(plain) || !plain.includes('.')) return byContent(path, name, builder);
  return undefined;
}

/** A file that does not say what it is: its beginning does. */
async function byContent(path: string, name: string, builder: SnapshotBuilder): Promise<DumpReader | undefined> {
  const start = await beginning(path);
  if (/^\s*[[{]/.test(start)) return jsonReader(builder, name);
  if (/^(---|apiVersion:|kind:|items:)/m.test(start)) return yamlReader(builder, name);
  return /^(Name:|NAME\s|NAMESPACE\s|LAST SEEN\s)/m.test(start) ? textReader(builder, name) : undefined;
}

async function beginning(path: string): Promise<string> {
  try {
    for await (const chunk of createReadStream(path, { end: 4_095 })) return (chunk as Buffer).toString('utf8');
  } catch (error) {
    throw unreadable(error, path);
  }
  return '';
}

async function lastLines(path: string): Promise<string[]> {
  const { size } = await stat(path);
  if (size <= MOST_LOG) return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { start: size - MOST_LOG })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').split('\n').slice(1).filter((line) => line !== '');
}
