import { homedir } from 'node:os';
import { delimiter, join, relative, resolve } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import type { CliHost } from '../host/index.js';

export const FILE_REPOS_VARIABLE = 'ARGOSY_ALLOW_FILE_REPOS';

/** The values of `--allow-file-repos`; the variable separates folders as PATH does. */
export function collectFolders(value: string, all: readonly string[] = []): readonly string[] {
  return [...all, ...value.split(delimiter).filter((folder) => folder !== '')];
}

/** Absolute folders; the data directory, with all that it holds, is none. */
export function checkFolders(folders: readonly string[], data: string): readonly string[] {
  return folders.map((folder) => {
    const path = resolve(folder);
    const below = relative(resolve(data), path);
    if (below === '' || (!below.startsWith('..') && !below.startsWith('/')))
      throw new Fault('USAGE', 'repositories are not read from the data directory', {
        where: '--allow-file-repos',
        hint: `choose a folder outside of ${data}`,
      });
    return path;
  });
}

/** Where the demo keeps its repositories. */
export function demoRepositories(data: string): string {
  return join(data, 'demo', 'git');
}

/** What a command without a server may read: the demo, and what the variable allows. */
export function commandRepositories({ environment }: Pick<CliHost, 'environment'>): {
  readonly fileRepositories: readonly string[];
  readonly privateFolders: readonly string[];
} {
  const data = environment['ARGOSY_DATA'] ?? join(homedir(), '.argosy');
  const folders = collectFolders(environment[FILE_REPOS_VARIABLE] ?? '');
  return { fileRepositories: [demoRepositories(data), ...checkFolders(folders, data)], privateFolders: [data] };
}
