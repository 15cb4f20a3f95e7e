import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Limits of one container. */
export interface ContainerLimits {
  /** Bytes; all that it has in /tmp, / and other places in memory count, too. */
  readonly memory: number;
  readonly processes: number;
  /** How many processors it may keep busy. */
  readonly cpus: number;
}

export type CgroupController = 'memory' | 'pids' | 'cpu';

/** Where this server may limit processes, or what is in the way. */
export interface Cgroups {
  readonly missing: readonly CgroupController[];
  /** A place of its own for a container; it is made at once. */
  create(name: string, limits: ContainerLimits): ContainerCgroup;
  /** Ends everything that is left in any of them. */
  removeAll(): void;
}

export interface ContainerCgroup {
  /** Who writes the id of a process here puts it under the limits, with all that it starts. */
  readonly processFiles: readonly string[];
  /** Whether the kernel ended a process of it for want of memory. */
  ranOutOfMemory(): boolean;
  /** Ends what is left in it, and takes it away. */
  remove(): Promise<void>;
}

const MOUNT = '/sys/fs/cgroup';
const CONTROLLERS: readonly CgroupController[] = ['memory', 'pids', 'cpu'];
/** Of what the machine has, all pods together. */
const SHARE_OF_MEMORY = 0.75;
const ALL_PROCESSES = 8192;
/** Microseconds in which the share of a processor is counted. */
const PERIOD = 100_000;
/** Of version 1: all pods together count as eight other programs of this machine. */
const SHARES = 8 * 1024;
const REMOVE_TRIES = 200;
const REMOVE_PAUSE = 25;

/** What a container gets that asks for nothing. */
export const DEFAULT_LIMITS: ContainerLimits = {
  memory: Math.min(4 * 1024 ** 3, Math.floor(totalmem() / 2)),
  processes: 512,
  cpus: Math.max(1, cpus().length * SHARE_OF_MEMORY),
};

/** A folder of the file system of cgroups for each controller; `key` keeps servers of one machine apart. */
export function findCgroups(key: string, mount = MOUNT): Cgroups {
  const version = existsSync(join(mount, 'cgroup.controllers')) ? unified(mount) : separate(mount);
  const base = version.folders.map(([controller, folder]) => [controller, join(folder, `argosy-${key}`)] as const);
  const missing = CONTROLLERS.filter((each) => !base.some(([controller]) => controller.split(' ').includes(each)));
  const write = (values: ReturnType<typeof limitsOf>, name: string): void => {
    for (const [controllers, folder] of base) {
      mkdirSync(join(folder, name), { recursive: true });
      if (name === '' && version.isUnified) enable(folder, controllers);
      for (const [controller, file, value] of values)
        if (controllers.split(' ').includes(controller) && existsSync(join(folder, name, file)))
          writeFileSync(join(folder, name, file), value);
    }
  };
  return {
    missing,
    create(name, limits) {
      write(
        limitsOf({ memory: Math.floor(totalmem() * SHARE_OF_MEMORY), processes: ALL_PROCESSES, cpus: Infinity }),
        '',
      );
      write(limitsOf(limits), name);
      return containerCgroup(base.map(([, folder]) => join(folder, name)));
    },
    removeAll() {
      // Processes that were killed need a moment, and the server that stops has nothing else to do.
      for (const [, folder] of base)
        for (const each of [...foldersOf(folder).map((name) => join(folder, name)), folder])
          for (let turn = 0; turn < REMOVE_TRIES && !removeNow(each); turn++)
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REMOVE_PAUSE);
    },
  };
}

interface Version {
  readonly isUnified: boolean;
  /** By the controllers that they have, apart by spaces. */
  readonly folders: readonly (readonly [controllers: string, folder: string])[];
}

/** Version 1: a tree for each controller, in which this process has a place. */
function separate(mount: string): Version {
  const places = new Map(
    readText('/proc/self/cgroup')
      .split('\n')
      .map((line) => line.split(':'))
      .flatMap(([, controllers = '', ...path]) =>
        controllers.split(',').map((each) => [each, path.join(':')] as const),
      ),
  );
  const folders = CONTROLLERS.flatMap((controller) => {
    const own = join(mount, controller, places.get(controller) ?? '/');
    // In a container the path is that of the machine outside.
    const folder = [own, join(mount, controller)].find((each) => isWritable(each) && existsSync(join(each, 'tasks')));
    return folder === undefined ? [] : [[controller, folder] as const];
  });
  return { isUnified: false, folders };
}

/** Version 2: one tree; only a folder that hands controllers down, and has none but folders, can hold ours. */
function unified(mount: string): Version {
  const [, path = '/'] = /^0::(.*)$/m.exec(readText('/proc/self/cgroup')) ?? [];
  for (let folder = join(mount, path); folder.startsWith(mount); folder = dirname(folder)) {
    const handed = readText(join(folder, 'cgroup.subtree_control')).trim().split(' ');
    const known = CONTROLLERS.filter((each) => handed.includes(each));
    if (known.length > 0 && isWritable(folder) && isWritable(join(folder, 'cgroup.procs')))
      return { isUnified: true, folders: [[known.join(' '), folder]] };
  }
  return { isUnified: true, folders: [] };
}

function enable(folder: string, controllers: string): void {
  writeFileSync(
    join(folder, 'cgroup.subtree_control'),
    controllers
      .split(' ')
      .map((each) => `+${each}`)
      .join(' '),
  );
}

/** The files of both versions; those that a kernel has not are left out. */
function limitsOf({
  memory,
  processes,
  cpus: processors,
}: ContainerLimits): (readonly [controller: CgroupController, file: string, value: string])[] {
  return [
    ['memory', 'memory.limit_in_bytes', String(memory)],
    ['memory', 'memory.memsw.limit_in_bytes', String(memory)],
    ['memory', 'memory.max', String(memory)],
    ['memory', 'memory.swap.max', '0'],
    ['pids', 'pids.max', String(processes)],
    ...(processors === Infinity
      ? ([['cpu', 'cpu.shares', String(SHARES)]] as const)
      : ([
          ['cpu', 'cpu.cfs_period_us', String(PERIOD)],
          ['cpu', 'cpu.cfs_quota_us', String(Math.ceil(processors * PERIOD))],
          ['cpu', 'cpu.max', `${Math.ceil(processors * PERIOD)} ${PERIOD}`],
        ] as const)),
  ];
}

function containerCgroup(folders: readonly string[]): ContainerCgroup {
  return {
    processFiles: folders.map((folder) => join(folder, 'cgroup.procs')),
    ranOutOfMemory: () =>
      folders.some((folder) =>
        ['memory.oom_control', 'memory.events'].some((file) => /^oom_kill [1-9]/m.test(readText(join(folder, file)))),
      ),
    async remove() {
      for (const folder of folders)
        for (let turn = 0; turn < REMOVE_TRIES && !removeNow(folder); turn++)
          await delay(REMOVE_PAUSE, undefined, { ref: false });
    },
  };
}

/** False while processes of it end. */
function removeNow(folder: string): boolean {
  for (const pid of readText(join(folder, 'cgroup.procs')).split('\n').filter(Boolean)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

function foldersOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((each) => each.isDirectory())
      .map(({ name }) => name);
  } catch {
    return []; // there was never one
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // not on this machine
  }
}
