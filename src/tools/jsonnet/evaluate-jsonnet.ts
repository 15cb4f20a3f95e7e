import { mkdir, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import type { DirectorySettings, JsonnetVariable } from '../../model/argo/index.js';
import type { Tree } from '../../model/formats/index.js';
import type { PrivateFolder } from '../sandbox/index.js';
import type { Tools } from '../tools.js';
import { checkImports } from './check-imports.js';

type JsonnetSettings = DirectorySettings['jsonnet'];

export interface JsonnetRequest {
  readonly tree: Tree;
  /** Whose turn it is, of those who share the program. */
  readonly project: string;
  readonly path: string;
  readonly settings: JsonnetSettings;
}

/**
 * What the program jsonnet makes of a file of a tree, as JSON. Imports may not leave the tree: they are looked at
 * first, because jsonnet itself reads whatever the machine has. Values go through files, so that nobody sees them in a
 * list of processes.
 */
export async function evaluateJsonnet(
  tools: Tools,
  { tree, project, path, settings }: JsonnetRequest,
): Promise<Uint8Array> {
  const program = tools.pathOf('jsonnet');
  const libraries = settings.libs.map(libraryPath);
  checkImports(
    tree,
    path,
    libraries,
    [...settings.extVars, ...settings.tlas].filter(({ code }) => code).map(({ value }) => value),
  );
  const { output } = await tools.withTree(tree, project, (run) =>
    run({
      tool: 'jsonnet',
      program,
      path: '',
      args: async (folder) => [
        ...libraries.flatMap((library) => ['-J', join(folder.tree, library)]),
        ...(await variableArgs('ext', settings.extVars, folder)),
        ...(await variableArgs('tla', settings.tlas, folder)),
        '--',
        path,
      ],
    }),
  );
  return output;
}

/** As Argo CD: from the root of the repository. */
function libraryPath(written: string): string {
  const path = posix.normalize(written.replace(/^\/+/, ''));
  if (path === '..' || path.startsWith('../') || path.includes('\0'))
    throw new Fault('RENDER_PATH_ESCAPE', 'the jsonnet library lies outside of the repository', { where: written });
  return path;
}

async function variableArgs(
  kind: 'ext' | 'tla',
  variables: readonly JsonnetVariable[],
  folder: PrivateFolder,
): Promise<string[]> {
  const args: string[] = [];
  const directory = join(folder.home, kind);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const [index, { name, value, code }] of variables.entries()) {
    if (name === '' || /[=\0]/.test(name))
      throw new Fault('VALUE_INVALID', 'a jsonnet variable needs a name without "="', { where: name });
    const file = join(directory, String(index));
    await writeFile(file, value, { mode: 0o600 });
    args.push(`--${kind}-${code ? 'code' : 'str'}-file`, `${name}=${file}`);
  }
  return args;
}
