import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCgroups } from './cgroups.js';
import { bubblewrapMount, dropWords, innerWords, namespaceWords, stageFolders, stageWords } from './sandbox-words.js';
import type { SandboxMount } from './sandbox-mount.js';
import { seccompFilter } from './seccomp.js';

/** A way to confine processes, or why there is none here. */
export type Sandbox =
  /** `missing`: the walls that it has not, in words. */
  | { readonly kind: 'bwrap' | 'unshare'; readonly missing: readonly string[] }
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

/**
 * Sandboxes are made by programs of this machine: bubblewrap where it is installed, else util-linux alone, which has
 * fewer walls.
 */
export function findSandbox(): Sandbox {
  return (found ??= tryAll());
}

/** Machines do not change while a server runs. */
let found: Sandbox | undefined;

function tryAll(): Sandbox {
  if (process.platform !== 'linux')
    return { kind: 'none', why: `processes can be confined on Linux only, and this is ${process.platform}` };
  const limits = findCgroups('probe').missing;
  const unlimited = limits.length === 0 ? [] : [`limits of ${limits.join(', ')} (no cgroup that this user may make)`];
  const withBubblewrap = tryIn((folder) => tryBubblewrap(folder));
  if (withBubblewrap === undefined)
    return { kind: 'bwrap', missing: [...(isRoot() ? [] : ['user (the server is not root)']), ...unlimited] };
  const withNamespaces = tryIn((folder) => tryNamespaces(folder));
  if (withNamespaces === undefined)
    return { kind: 'unshare', missing: [`network, seccomp, user (${withBubblewrap})`, ...unlimited] };
  return {
    kind: 'none',
    why:
      `processes cannot be confined on this machine (bwrap: ${withBubblewrap}; unshare: ${withNamespaces}); allow ` +
      'user namespaces, or install bubblewrap',
  };
}

/** The walls that untrusted pods need and this machine does not give, in words. */
export function missingWalls(sandbox: Sandbox = findSandbox()): readonly string[] {
  return sandbox.kind === 'none' ? [sandbox.why] : sandbox.missing;
}

/** Who has no files. */
const NOBODY = 65_534;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function tryIn(attempt: (folder: string) => string | undefined): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-sandbox-'));
  try {
    return attempt(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Undefined: it works here, with all that pods are started with. */
function tryBubblewrap(folder: string): string | undefined {
  const filter = seccompFilter();
  if (filter === undefined) return `there is no seccomp filter for ${process.arch}`;
  writeFileSync(join(folder, 'filter'), filter);
  const [seccomp, volume] = [openSync(join(folder, 'filter'), 'r'), openSync(folder, 'r')];
  try {
    const stage = ['--bind-fd', '4', '/tmp/volume', ...(isRoot() ? ['--unshare-net'] : [])];
    const inner = [...systemMounts().flatMap(bubblewrapMount), '--seccomp', '3'];
    const words = stageWords(
      [
        ...(isRoot() ? [] : ['--unshare-user', '--uid', '0', '--gid', '0', '--unshare-net']),
        ...stageFolders(),
        ...stage,
      ],
      isRoot(),
    );
    return failureOf(
      [
        ...words,
        ...dropWords(isRoot() ? NOBODY : undefined),
        ...innerWords(['--unshare-user', '--unshare-pid', ...inner]),
        'true',
      ],
      [seccomp, volume],
    );
  } finally {
    closeSync(seccomp);
    closeSync(volume);
  }
}

function tryNamespaces(folder: string): string | undefined {
  mkdirSync(join(folder, 'root'));
  return failureOf(namespaceWords(join(folder, 'root'), systemMounts(), '/', ['true']), []);
}

function failureOf([program = '', ...words]: readonly string[], descriptors: readonly number[]): string | undefined {
  const { error, status, stderr } = spawnSync(program, words, {
    env: { PATH: CLEAN_PATH },
    encoding: 'utf8',
    timeout: 20_000,
    stdio: ['ignore', 'ignore', 'pipe', ...descriptors],
  });
  if (error !== undefined) return notInstalled(program, error);
  return status === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `exit code ${String(status)}`);
}

function notInstalled(program: string, error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT' ? `${program} is not installed` : error.message;
}
