import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import type { Disk } from './disk.js';
import { sortFiles } from './file-header.js';

/** Changes a store directory from one format to the next; a crash in the middle must leave it possible to run again. */
type Migration = (disk: Disk, directory: string) => Promise<void>;

/** `MIGRATIONS[0]` leads from format 1 to 2, and so on: the newest format is one more than there are migrations. */
const MIGRATIONS: readonly Migration[] = [];

/** Checks which format a directory has, writes the newest into an empty one, and brings an older one up to date. */
export async function prepareFormat(
  disk: Disk,
  directory: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const path = join(directory, 'format');
  const newest = migrations.length + 1;
  const text = (await disk.read(path))?.toString('utf8');
  if (text === undefined) {
    const { segments, snapshots } = sortFiles(await disk.list(directory));
    if (segments.length + snapshots.length > 0)
      throw new Fault('STORE_CORRUPT', 'the format file of this store is missing', {
        where: path,
      });
    await writeFormat(disk, directory, newest);
    return;
  }
  if (!/^[1-9]\d{0,8}\n$/.test(text))
    throw new Fault(
      'STORE_CORRUPT',
      `the format file should hold one number, but holds ${JSON.stringify(text.slice(0, 40))}`,
      { where: path },
    );
  const found = Number(text);
  if (found > newest)
    throw new Fault('STORE_FORMAT', `this store has format ${found}; this version reads up to ${newest}`, {
      where: path,
    });
  for (let format = found; format < newest; format++) {
    await migrations[format - 1]?.(disk, directory);
    await writeFormat(disk, directory, format + 1);
  }
}

async function writeFormat(disk: Disk, directory: string, format: number): Promise<void> {
  const path = join(directory, 'format');
  const file = await disk.open(`${path}.tmp`, { durable: false, empty: true });
  try {
    await file.write(Buffer.from(`${format}\n`), 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(`${path}.tmp`, path);
  await disk.syncDirectory(directory);
}
