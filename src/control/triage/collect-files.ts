import { readdir, readFile, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { readManifest, SnapshotBuilder, type Snapshot } from '../../triage/index.js';
import { fileBytes } from './file-bytes.js';
import { DumpFiles, unknownDump, unreadable } from './dump-files.js';

export interface CollectFilesOptions {
  /** When the snapshot was taken, where nothing in it says so: milliseconds since 1970. */
  readonly now: number;
  /** Adds what somebody else knows of that time. */
  readonly measure?: (builder: SnapshotBuilder, now: number) => Promise<void>;
}

/**
 * Reads dumps: lists of kubectl, a support bundle, a must-gather folder, archives of them, texts of describe and get;
 * `-` is the standard input.
 */
export async function collectFiles(paths: readonly string[], { now, measure }: CollectFilesOptions): Promise<Snapshot> {
  const builder = new SnapshotBuilder();
  const files = new DumpFiles(builder, now);
  let taken: number | undefined;
  for (const path of paths) {
    const info = path === '-' ? undefined : await statPath(path);
    if (info?.isDirectory() === true) taken = (await readFolder(path, builder, files)) ?? taken;
    else if (info?.isSocket() === true) throw unknownDump('is a socket', path);
    else if (!(await files.readNamed(fileBytes(path), path === '-' ? 'standard input' : basename(path), path)))
      throw unknownDump('not a dump', path);
  }
  if (builder.hasLogsOnly) throw unknownDump('only logs found, without their pods', paths.join(', '));
  if (builder.size === 0 && builder.hasMeasures)
    throw unknownDump('only measurements found, without the objects that they are about', paths.join(', '));
  const time = taken ?? builder.latest ?? now;
  await measure?.(builder, time);
  const snapshot = builder.build(time);
  if (builder.size === 0 && snapshot.problems.length > 0)
    throw unknownDump(`nothing could be read (${snapshot.problems.slice(0, 3).join('; ')})`, paths.join(', '));
  return snapshot;
}

/**
 * A folder with a manifest keeps its objects and logs apart from what else belongs to it; it says when it was taken.
 */
async function readFolder(path: string, builder: SnapshotBuilder, files: DumpFiles): Promise<number | undefined> {
  const names = await filesUnder(path);
  const manifest = names.includes('snapshot.yaml')
    ? readManifest(await readFile(join(path, 'snapshot.yaml'), 'utf8'), 'snapshot.yaml')
    : undefined;
  for (const listing of manifest?.listings ?? []) builder.listing(listing);
  let known = 0;
  for (const name of names)
    if (manifest === undefined || /^(objects|logs)\//.test(name))
      known += (await files.read(fileBytes(join(path, name)), name)) ? 1 : 0;
  if (known === 0) throw unknownDump('no dump found in this folder', path);
  return manifest?.time;
}

async function statPath(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    throw unreadable(error, path);
  }
}

/** Files only: what is a link, a socket or a device inside of a folder is none of a dump. */
async function filesUnder(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .sort();
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw unreadable(error, folder);
  }
}
