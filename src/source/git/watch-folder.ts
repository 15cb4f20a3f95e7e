import { readdirSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Branches may stand in folders; more of them than this are found by looking from time to time. */
const MAX_FOLDERS = 200;

/**
 * Tells at once of a commit in a repository on this machine: git writes a branch into `refs/heads`, or into
 * `packed-refs`. Where the system cannot watch, nothing is told, and whoever looks from time to time finds it a little
 * later.
 */
export function watchFolder(address: string, changed: () => void): () => void {
  const folder = folderOf(address);
  if (folder === undefined) return () => undefined;
  const watchers = new Map<string, FSWatcher>();
  const begin = (path: string, isTelling: (name: string) => boolean): void => {
    if (watchers.has(path) || watchers.size >= MAX_FOLDERS) return;
    try {
      const watcher = watch(path, { persistent: false }, (_, name) => {
        if (!isTelling(name ?? '')) return;
        beginBelow();
        changed();
      });
      // The folder is gone, or the system has no more watches to give.
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(path);
      });
      watchers.set(path, watcher);
    } catch {
      // There is no such folder: a repository is either bare or has `.git`.
    }
  };
  const beginBelow = (): void => {
    for (const git of [folder, join(folder, '.git')])
      for (const path of foldersOf(join(git, 'refs', 'heads'))) begin(path, (name) => !name.endsWith('.lock'));
  };
  for (const git of [folder, join(folder, '.git')]) begin(git, (name) => name === 'packed-refs' || name === 'HEAD');
  beginBelow();
  return () => {
    for (const watcher of watchers.values()) watcher.close();
  };
}

function folderOf(address: string): string | undefined {
  try {
    return address.startsWith('file://') ? fileURLToPath(address) : undefined;
  } catch {
    // No path of this machine.
    return undefined;
  }
}

/** The folder and all below it; none where it is not there. */
function foldersOf(folder: string): string[] {
  try {
    return [
      folder,
      ...readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .flatMap(({ name }) => foldersOf(join(folder, name))),
    ];
  } catch {
    return [];
  }
}
