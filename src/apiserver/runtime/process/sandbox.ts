import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENTER_SANDBOX } from './enter-sandbox.js';

/** One thing that a process finds in its root. */
export interface SandboxMount {
  readonly kind: 'read' | 'write' | 'copy' | 'folder' | 'link' | 'empty' | 'proc' | 'devices';
  /** On this machine; of a link, what it points at. */
  readonly source: string;
  readonly target: string;
}

/** A program with the root that it is to see. */
export interface SandboxedProgram {
  /** An empty folder, where the root is put together. */
  readonly root: string;
  readonly mounts: readonly SandboxMount[];
  readonly workingDirectory: string;
  readonly command: readonly string[];
}

/** A way to confine processes, or why there is none here. */
export type Sandbox =
  /** `depth`: how many generations the program is below the process that is started. */
  | { readonly kind: 'bwrap' | 'unshare'; readonly depth: number; wrap(program: SandboxedProgram): string[] }
  | { readonly kind: 'none'; readonly why: string };

/** For the programs that build a sandbox; nothing that a pod says is in it. */
export const CLEAN_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What of /etc programs need to run and to reach the network; the rest of it is nobody's business. */
const SETTINGS = [
  'alternatives',
  'ca-certificates',
  'crypto-policies',
  'fonts',
  'group',
  'host.conf',
  'hosts',
  'jupyter',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'pki',
  'protocols',
  'resolv.conf',
  'services',
  'ssl',
  'timezone',
];
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/** This machine as every process sees it: programs and libraries, read-only, and places of its own to write. */
export function systemMounts(): SandboxMount[] {
  const mounts: SandboxMount[] = [];
  const add = (kind: SandboxMount['kind'], target: string, source = target): unknown =>
    mounts.push({ kind, source, target });
  for (const path of SYSTEM.filter((each) => existsSync(each))) {
    if (lstatSync(path).isSymbolicLink()) add('link', path, readlinkSync(path));
    else add('read', path);
  }
  add('folder', '/etc');
  for (const name of SETTINGS.filter((each) => existsSync(`/etc/${each}`))) {
    const source = realpathSync(`/etc/${name}`);
    add(statSync(source).isDirectory() ? 'read' : 'copy', `/etc/${name}`, source);
  }
  if (existsSync('/etc/ssl/private')) add('empty', '/etc/ssl/private');
  if (existsSync('/opt'))
    for (const name of readdirSync('/opt')) add('read', `/opt/${name}`, realpathSync(`/opt/${name}`));
  add('proc', '/proc');
  add('devices', '/dev');
  for (const path of ['/tmp', '/run', '/dev/shm']) add('empty', path);
  for (const path of ['/root', '/home', '/mnt', '/var/run', '/var/tmp', '/sys']) add('folder', path);
  return mounts;
}

/** Sandboxes are made by programs of this machine: bubblewrap where it is installed, else util-linux alone. */
export function findSandbox(): Sandbox {
  if (process.platform !== 'linux')
    return { kind: 'none', why: `processes can be confined on Linux only, and this is ${process.platform}` };
  const reasons: string[] = [];
  for (const sandbox of [bubblewrap, namespaces]) {
    const refused = sandboxError(sandbox);
    if (refused === undefined) return sandbox;
    if (refused !== '') reasons.push(`${sandbox.kind}: ${refused}`);
  }
  return {
    kind: 'none',
    why:
      `processes cannot be confined on this machine (${reasons.join('; ')}); allow user namespaces, or ` +
      'install bubblewrap',
  };
}

type Usable = Extract<Sandbox, { wrap: unknown }>;

const bubblewrap: Usable = {
  kind: 'bwrap',
  // Between them its own first process, which alone ends with ours.
  depth: 2,
  wrap({ mounts, workingDirectory, command }) {
    const words = mounts.flatMap(({ kind, source, target }): string[] => {
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
          return ['--tmpfs', target];
        case 'proc':
          return ['--proc', target];
        case 'devices':
          return ['--dev', target];
        default:
          return kind satisfies never;
      }
    });
    return [
      'bwrap',
      '--die-with-parent',
      '--unshare-user',
      '--unshare-pid',
      '--unshare-ipc',
      '--uid',
      '0',
      '--gid',
      '0',
      '--cap-drop',
      'ALL',
      ...words,
      '--dir',
      workingDirectory,
      '--chdir',
      workingDirectory,
      '--',
      ...command,
    ];
  },
};

const namespaces: Usable = {
  kind: 'unshare',
  depth: 1,
  wrap({ root, mounts, workingDirectory, command }) {
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
      ...mounts.flatMap(({ kind, source, target }) => [kind, source, target]),
      '--',
      workingDirectory,
      ...command,
    ];
  },
};

/** Undefined: it works here; empty: it is not installed. */
function sandboxError(sandbox: Usable): string | undefined {
  const root = mkdtempSync(join(tmpdir(), 'argosy-sandbox-'));
  try {
    mkdirSync(join(root, 'root'));
    const [program = '', ...words] = sandbox.wrap({
      root: join(root, 'root'),
      mounts: systemMounts(),
      workingDirectory: '/',
      command: ['true'],
    });
    const { error, status, stderr } = spawnSync(program, words, {
      env: { PATH: CLEAN_PATH },
      encoding: 'utf8',
      timeout: 20_000,
    });
    if (error !== undefined)
      return (error as NodeJS.ErrnoException).code === 'ENOENT' && sandbox.kind === 'bwrap' ? '' : error.message;
    return status === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `exit code ${String(status)}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
