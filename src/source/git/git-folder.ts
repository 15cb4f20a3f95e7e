import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Where git lives inside the data directory: mirrors, one for each repository and way to open it, two small programs
 * that git calls, an empty repository that readers start in, and a folder for what exists only during one call.
 */
export interface GitFolder {
  readonly root: string;
  readonly mirrors: string;
  /** Goes into the names of what is kept, so that they tell nothing about credentials. */
  readonly key: Buffer;
  readonly askpass: string;
  readonly ssh: string;
  /** A repository without remotes and settings: who starts here cannot talk to anyone. */
  readonly reader: string;
  readonly private: string;
  /** An empty home: no netrc, no settings, no keys of the person who runs us. */
  readonly home: string;
}

// Hands git's question to the process that started git, and its answer back. No secret is in it, none touches a disk.
const ASKPASS = `#!/bin/sh
printf '%s\\n' "$1" >&3 && IFS= read -r answer <&3 && printf '%s\\n' "$answer"
`;

const SSH = `#!/bin/sh
exec ssh -F "$ARGOSY_SSH_CONFIG" "$@"
`;

const READER_CONFIG = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';

export async function openGitFolder(data: string): Promise<GitFolder> {
  const root = join(data, 'git');
  const paths = {
    root,
    mirrors: join(root, 'mirrors'),
    askpass: join(root, 'bin/askpass'),
    ssh: join(root, 'bin/ssh'),
    reader: join(root, 'reader'),
    private: join(root, 'private'),
    home: join(root, 'home'),
  };
  // Keys of calls that were cut off by a kill.
  await rm(paths.private, { recursive: true, force: true });
  for (const path of [root, paths.mirrors, join(root, 'bin'), paths.private, paths.home])
    await mkdir(path, { recursive: true, mode: 0o700 });
  const folder = { ...paths, key: await readKey(join(root, 'key')) };
  await removeSharedMirrors(root);
  await writeProgram(folder.askpass, ASKPASS);
  await writeProgram(folder.ssh, SSH);
  for (const path of ['objects', 'refs']) await mkdir(join(folder.reader, path), { recursive: true, mode: 0o700 });
  await writeFile(join(folder.reader, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(folder.reader, 'config'), READER_CONFIG);
  return folder;
}

const KEY_BYTES = 32;

/** Made once; without it, or with a damaged one, everything is fetched anew. */
async function readKey(path: string): Promise<Buffer> {
  const known = await readFile(path).catch(() => undefined);
  if (known?.length === KEY_BYTES) return known;
  const key = randomBytes(KEY_BYTES);
  await rm(path, { force: true });
  await writeFile(path, key, { mode: 0o600, flag: 'wx' });
  return key;
}

/** Older versions kept one mirror for all who named an address. */
async function removeSharedMirrors(root: string): Promise<void> {
  for (const name of await readdir(root))
    if (/^[0-9a-f]{64}$/.test(name)) await rm(join(root, name), { recursive: true, force: true });
}

async function writeProgram(path: string, text: string): Promise<void> {
  // A new file: one that is being run cannot be written.
  await rm(path, { force: true });
  await writeFile(path, text, { mode: 0o700 });
  await chmod(path, 0o700);
}
