import { ENTER_SANDBOX } from './enter-sandbox.js';
import type { SandboxMount } from './sandbox-mount.js';

/** Where the namespace that is made first has what the root of a container is put together of. */
export const STAGE = '/tmp';
/** Bytes of the places in memory: what is in them counts as memory of the container, too. */
const PLACES = { root: 1 << 30, tmp: 1 << 30, run: 64 << 20, shm: 512 << 20 } as const;

/** The places of a container that it may write to and that nobody else sees, by where it finds them. */
const OWN: Readonly<Record<string, keyof typeof PLACES>> = {
  '/': 'root',
  '/tmp': 'tmp',
  '/run': 'run',
  '/dev/shm': 'shm',
};

/**
 * The first of two steps, still with the rights of the server: a view of this machine in which the volumes of a
 * container lie side by side. Programs are this machine's own here; those of the pod are not yet to be seen. The
 * processes of a namespace end with its first one: nobody else here may end those of another user.
 */
export function stageWords(words: readonly string[], isRoot: boolean): string[] {
  // Who is not root is root of a namespace of its own by now, and hands that on to the next one: since Linux 5.12 that
  // takes a right of its own, in that namespace only.
  const names = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP', ...(isRoot ? [] : ['CAP_SETFCAP'])];
  const rights = names.flatMap((name) => ['--cap-add', name]);
  return ['bwrap', '--die-with-parent', '--unshare-pid', '--cap-drop', 'ALL', ...rights, ...words, '--'];
}

/** The stage itself, with the places of the container in it. */
export function stageFolders(): string[] {
  return [
    '--dev-bind',
    '/',
    '/',
    '--perms',
    '0755',
    '--tmpfs',
    STAGE,
    ...Object.entries(PLACES).flatMap(([name, size]) => [
      '--perms',
      name === 'tmp' || name === 'shm' ? '1777' : '0777',
      '--size',
      String(size),
      '--tmpfs',
      `${STAGE}/${name}`,
    ]),
  ];
}

/** The second step, as nobody: the root of the container, and all other walls. */
export function innerWords(words: readonly string[]): string[] {
  return ['bwrap', '--die-with-parent', '--uid', '0', '--gid', '0', '--cap-drop', 'ALL', ...words, '--'];
}

/** `setpriv` as an unprivileged user of this machine, with no way back. */
export function dropWords(user: number | undefined): string[] {
  return user === undefined
    ? []
    : [
        'setpriv',
        '--reuid',
        String(user),
        '--regid',
        String(user),
        '--clear-groups',
        '--inh-caps=-all',
        '--bounding-set=-all',
        '--',
      ];
}

/** One thing of the root, as the second step is told of it. */
export function bubblewrapMount({ kind, source, target }: SandboxMount): string[] {
  switch (kind) {
    case 'read':
    case 'copy':
      return ['--ro-bind', source, target];
    case 'write':
      return ['--bind', source, target];
    case 'folder':
      return ['--dir', target];
    case 'link':
      return ['--symlink', source, target];
    case 'empty':
      return OWN[target] === undefined ? ['--tmpfs', target] : ['--bind', `${STAGE}/${OWN[target]}`, target];
    case 'proc':
      return ['--proc', target];
    case 'devices':
      return ['--dev', target];
    default:
      return kind satisfies never;
  }
}

/** Without bubblewrap: namespaces of users, mounts, processes and IPC only. */
export function namespaceWords(
  root: string,
  mounts: readonly (SandboxMount & { readonly identity?: string })[],
  workingDirectory: string,
  command: readonly string[],
): string[] {
  return [
    // Ended with whoever started it, however that ended.
    'setpriv',
    '--pdeathsig',
    'KILL',
    '--',
    'unshare',
    '--user',
    '--map-root-user',
    '--mount',
    '--pid',
    '--ipc',
    '--fork',
    '--kill-child=KILL',
    '--',
    'sh',
    '-c',
    ENTER_SANDBOX,
    'sh',
    root,
    ...mounts.flatMap(({ kind, source, target, identity }) => [kind, identity ?? '', source, target]),
    '--',
    workingDirectory,
    ...command,
  ];
}
