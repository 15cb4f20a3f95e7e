import { fstatSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PodNetwork } from './pod-network.js';
import { CLEAN_PATH, isRoot, type Sandbox } from './sandbox.js';
import type { SandboxMount } from './sandbox-mount.js';
import {
  bubblewrapMount,
  dropWords,
  innerWords,
  namespaceWords,
  STAGE,
  stageFolders,
  stageWords,
} from './sandbox-words.js';
import { seccompFilter } from './seccomp.js';
import { START } from './start-script.js';

/** What a child of the server is started with. */
export interface Launch {
  readonly words: readonly string[];
  readonly environment: Record<string, string>;
  /** What it finds from descriptor 3 on: bytes that it reads, or something that is open here. */
  readonly inputs: readonly (Buffer | number | 'status')[];
  /** How many generations the program is below the process that is started. */
  readonly depth: number;
}

/** Descriptors of a child, as they are handed out. */
class Inputs {
  readonly all: (Buffer | number | 'status')[] = [];

  add(input: Buffer | number | 'status'): string {
    return String(this.all.push(input) + 2);
  }

  addWords(words: readonly string[]): string {
    return this.add(Buffer.from(words.map((word) => `${word}\0`).join('')));
  }
}

export interface ConfinedProgram {
  /** An empty folder of the container on this machine. */
  readonly folder: string;
  readonly hostname: string;
  readonly mounts: readonly SandboxMount[];
  /** What the first shell of the container runs. */
  readonly script: string;
  /** Files that put whoever is written there under the limits of the container. */
  readonly processFiles: readonly string[];
  readonly network: PodNetwork | undefined;
  /** Who the container is on this machine; undefined where it cannot be somebody else. */
  readonly user: number | undefined;
}

/** Becomes a program under the limits of a container. */
const JOIN = 'set -e; while [ "$1" != -- ]; do echo $$ > "$1"; shift; done; shift; exec "$@"';

export function joinWords(processFiles: readonly string[]): string[] {
  return processFiles.length === 0 ? [] : ['/bin/sh', '-c', JOIN, 'sh', ...processFiles, '--'];
}

/** How a container starts behind the walls that this machine has. */
export function launchOf(
  kind: Exclude<Sandbox['kind'], 'none'>,
  program: ConfinedProgram,
): { readonly launch: Launch; readonly again: readonly string[] } {
  return kind === 'bwrap' ? behindAllWalls(program) : { launch: behindNamespaces(program), again: [] };
}

/** The mounts of both steps: everything that only the server may open is put on the stage first. */
export interface StagedMounts {
  readonly stage: readonly string[];
  readonly inner: readonly string[];
  /** For whoever comes later: what is in the places of the container is there already. */
  readonly again: readonly string[];
}

function stagedMounts(mounts: readonly SandboxMount[], inputs: Inputs): StagedMounts {
  const stage: string[] = [];
  const placed = mounts.map((mount, index): SandboxMount => {
    if (mount.descriptor === undefined) return mount;
    const source = `${STAGE}/${index}`;
    stage.push('--bind-fd', inputs.add(mount.descriptor), source);
    return { ...mount, source };
  });
  const root = ['--bind', `${STAGE}/root`, '/'];
  return {
    stage,
    inner: [...root, ...placed.flatMap(bubblewrapMount)],
    again: [...root, ...placed.filter(({ kind }) => kind !== 'link').flatMap(bubblewrapMount)],
  };
}

function filter(): Buffer {
  const found = seccompFilter();
  if (found === undefined) throw new Error(`there is no seccomp filter for ${process.arch}`);
  return found;
}

const CLEAN = ['--clearenv', '--setenv', 'PATH', CLEAN_PATH];

function behindAllWalls(program: ConfinedProgram): { readonly launch: Launch; readonly again: readonly string[] } {
  const { hostname, mounts, script, processFiles, network, user } = program;
  if (network === undefined) throw new Error('a pod behind all walls has a network of its own');
  const inputs = new Inputs();
  const { stage, inner, again } = stagedMounts(mounts, inputs);
  const innerArguments = inputs.addWords([
    '--unshare-user',
    '--unshare-pid',
    '--unshare-uts',
    '--hostname',
    hostname,
    ...CLEAN,
    ...inner,
    '--perms',
    '0600',
    '--file',
    inputs.add(Buffer.from(script)),
    START,
    '--json-status-fd',
    inputs.add('status'),
    '--seccomp',
    inputs.add(filter()),
  ]);
  const words = [
    ...joinWords(processFiles),
    ...network.enterWords(),
    ...stageWords(['--args', inputs.addWords([...stageFolders(), ...stage])], isRoot()),
    ...dropWords(user),
    ...innerWords(['--args', innerArguments]),
    '/bin/sh',
    START,
  ];
  return { launch: { words, environment: { PATH: CLEAN_PATH }, inputs: inputs.all, depth: 4 }, again };
}

/** A container that runs, for programs that come later: its namespaces as descriptors. */
export interface RunningNamespaces {
  readonly stage: number;
  readonly user: number;
  readonly processes: number;
}

let later = 0;

/** Another program in a container that runs behind all walls, behind the same. */
export function laterLaunch(
  { processFiles, network, user }: Pick<ConfinedProgram, 'processFiles' | 'network' | 'user'>,
  again: readonly string[],
  namespaces: RunningNamespaces,
  script: string,
): Launch {
  if (network === undefined) throw new Error('a pod behind all walls has a network of its own');
  const inputs = new Inputs();
  const start = `${START}-${++later}`;
  const innerArguments = inputs.addWords([
    '--userns',
    inputs.add(namespaces.user),
    '--pidns',
    inputs.add(namespaces.processes),
    ...CLEAN,
    ...again,
    '--perms',
    '0600',
    '--file',
    inputs.add(Buffer.from(script)),
    start,
    '--seccomp',
    inputs.add(filter()),
  ]);
  const words = [
    ...joinWords(processFiles),
    ...network.enterWords(),
    'nsenter',
    `--mount=/proc/${process.pid}/fd/${namespaces.stage}`,
    '--',
    ...dropWords(user),
    ...innerWords(['--args', innerArguments]),
    '/bin/sh',
    start,
  ];
  return { words, environment: { PATH: CLEAN_PATH }, inputs: inputs.all, depth: 1 };
}

/** What a machine without bubblewrap gives: no network and no user of its own, and no filter. */
function behindNamespaces({ folder, mounts, script, processFiles }: ConfinedProgram): Launch {
  const [root, start] = [join(folder, 'root'), join(folder, 'start')];
  mkdirSync(root, { recursive: true });
  writeFileSync(start, script, { mode: 0o600 });
  const all = [
    ...mounts.map((mount) => {
      if (mount.descriptor === undefined) return mount;
      const { dev, ino } = fstatSync(mount.descriptor);
      return { ...mount, source: readlinkSync(`/proc/self/fd/${mount.descriptor}`), identity: `${dev}:${ino}` };
    }),
    { kind: 'folder', source: '', target: dirname(START) } as const,
    { kind: 'copy', source: start, target: START } as const,
  ];
  return {
    words: [...joinWords(processFiles), ...namespaceWords(root, all, '/', ['/bin/sh', START])],
    environment: { PATH: CLEAN_PATH },
    inputs: [],
    depth: 1,
  };
}

/** Base of the users that namespaces are on this machine; no other program hands them out. */
const FIRST_USER = 0x70000000;

/** Pods of one namespace share claims, so they are one user; those of another namespace or server are another. */
export function userOf(key: Buffer): number | undefined {
  return isRoot() ? FIRST_USER + (key.readUInt32LE(0) & 0xffffff) : undefined;
}
