import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../model/faults/index.js';

/** What stands in a data directory; nothing else in it is touched, since anybody may name any folder as one. */
const ENTRIES = [
  'store',
  'pki',
  'kubeconfig',
  'run.json',
  'git',
  'git/mirrors',
  'git/key',
  'cache',
  'cache/charts',
  'settled.json',
  'notified',
  'tools',
  'serve',
  'demo',
  'pods',
  'volumes',
];
/** One of these says that a folder is a data directory. */
const MARKS = ['store', 'pki', 'git/bin/askpass'];
const OTHERS = 0o077;
const STICKY = 0o1000;

/** Makes the data directory where it is not there; else takes from others what rights they have in it. */
export async function openPrivateDirectory(directory: string): Promise<void> {
  try {
    await createDirectory(directory);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault('DATA_UNUSABLE', `the data directory cannot be created: ${reason}`, {
      where: directory,
      cause: error,
    });
  }
  if (!(await hasMark(directory))) return;
  const found = await stat(directory);
  if ((found.mode & STICKY) === 0) await tighten(directory);
  for (const name of ENTRIES) await tighten(join(directory, name));
}

async function hasMark(directory: string): Promise<boolean> {
  for (const mark of MARKS) if ((await lstat(join(directory, mark)).catch(() => undefined)) !== undefined) return true;
  return false;
}

/** Links, sockets and what belongs to somebody else stay as they are. */
async function tighten(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || (found.mode & OTHERS) === 0 || found.uid !== process.getuid?.()) return;
  if (found.isDirectory() || found.isFile()) await chmod(path, found.mode & 0o777 & ~OTHERS);
}

/** Parents first. Node's own recursive mkdir never returns below /proc. */
async function createDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path || existsSync(dirname(path))) throw error;
    await createDirectory(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}
