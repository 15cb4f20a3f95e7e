import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { isRunning, killGroup, startOf } from './processes.js';

const NAME = /^run-(\d+)-(\d*)-/;
const GROUP_FILE = 'group';

/** A folder that one run has for itself. */
export interface PrivateFolder {
  /** Where the tree goes. */
  readonly tree: string;
  /** Home and temporary files of the program. */
  readonly home: string;
  /** Remembers the process group, so that a later start can end it. */
  note(group: number): Promise<void>;
  remove(): Promise<void>;
}

/** Makes private folders below one directory, and removes those of processes that are gone. */
export class Scratch {
  constructor(readonly directory: string) {}

  /** Ends programs and removes folders that a crashed process left behind. */
  async clean(): Promise<void> {
    const names = await readdir(this.directory).catch(() => [] as string[]);
    if (names.length > 0) await checkOwner(this.directory);
    for (const name of names) {
      const [, pid = '', start = ''] = NAME.exec(name) ?? [];
      if (pid === '' || (await isRunning(Number(pid), start))) continue;
      const folder = join(this.directory, name);
      const [, group = '', began = ''] =
        /^(\d+) (\d*)/.exec(await readFile(join(folder, GROUP_FILE), 'utf8').catch(() => '')) ?? [];
      if (group !== '' && began !== '' && (await isRunning(Number(group), began))) killGroup(Number(group));
      await removeAll(folder);
    }
  }

  async open(): Promise<PrivateFolder> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    await checkOwner(this.directory);
    // Its name tells the next start whether its owner still lives.
    const folder = await mkdtemp(join(this.directory, `run-${process.pid}-${(await startOf(process.pid)) ?? ''}-`));
    const [tree, home] = [join(folder, 'tree'), join(folder, 'home')];
    await mkdir(tree, { mode: 0o700 });
    await mkdir(home, { mode: 0o700 });
    return {
      tree,
      home,
      note: async (group) =>
        writeFile(join(folder, GROUP_FILE), `${group} ${(await startOf(group)) ?? ''}\n`, { mode: 0o600 }),
      remove: () => removeAll(folder),
    };
  }
}

/** Where everybody may make folders, somebody may have made this one first. */
async function checkOwner(directory: string): Promise<void> {
  const facts = await lstat(directory);
  const isOurs =
    facts.isDirectory() &&
    (process.getuid === undefined || facts.uid === process.getuid()) &&
    (facts.mode & 0o022) === 0;
  if (!isOurs)
    throw new Fault('DATA_UNUSABLE', 'the directory belongs to somebody else, or others may write to it', {
      where: directory,
    });
}

/** Programs may take rights away from their own folders. */
async function removeAll(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || (error.code !== 'EACCES' && error.code !== 'EPERM'))
      throw error;
    await openFolders(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
}
