import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { clearFolder, endOfLog, scratchFolder, type Child } from '../real/child.js';
import { makeCgroups, removeCgroups, sweepCgroups } from './cgroups.js';

const run = promisify(execFile);

/**
 * Namespaces of processes, mounts and network that nothing leaves: what is started in them ends with them, and with the
 * process that made them, however that ends, because their first process waits for the end of its standard input.
 */
export interface Sandbox {
  /** Its files, outside as inside. */
  readonly dir: string;
  /** Below which its containers are in every hierarchy of cgroups. */
  readonly cgroup: string;
  /** Of its network, reached from outside over a pair of virtual links. */
  readonly address: string;
  /** Of the outer end of that pair: where it reaches servers of the test. */
  readonly hostAddress: string;
  /** Starts a program in it that runs on. */
  start(program: string, args: readonly string[], logPath: string): Child;
  /** Runs a program in it to its end. */
  run(program: string, args: readonly string[], input?: string): Promise<string>;
  stop(): Promise<void>;
}

/** Below this only a sandbox has addresses. The third number is its own. */
const NETWORK = '10.213';
const MAX_SANDBOXES = 250;
const LINK = 'argosy-node';
/** kubelet demands these values and would set them for the whole machine: it finds them in files of its own instead. */
const KERNEL_SETTINGS = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};
/** Where programs write outside the folders that they are given. */
const PRIVATE = ['/run', '/var/lib/cni', '/var/log', '/var/lib/kubelet', '/etc/cni'];

export async function openSandbox(): Promise<Sandbox> {
  sweep();
  const dir = scratchFolder(`argosy-node-${process.pid}-`);
  const first = spawn(
    'unshare',
    ['--fork', '--kill-child', '--pid', '--mount', '--net', '--mount-proc', 'bash', '-c', script(dir)],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  // Before the files are cleared.
  process.prependOnceListener('exit', () => first.kill('SIGKILL'));
  try {
    await isPrepared(first);
    const inner = childOf(first.pid ?? 0);
    const { link, number } = await connect(inner);
    const cgroup = makeCgroups(inner);
    return sandbox({ first, inner, dir, link, cgroup, prefix: `${NETWORK}.${number}` });
  } catch (error) {
    first.kill('SIGKILL');
    clearFolder(dir);
    throw error;
  }
}

/** Clears what nodes left whose test was killed: their processes have ended with it. */
function sweep(): void {
  sweepCgroups();
  for (const name of readdirSync(tmpdir())) {
    const owner = /^argosy-node-(\d+)-/.exec(name)?.[1];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) clearFolder(join(tmpdir(), name));
  }
}

/** Runs as process 1 of the sandbox; bash, because that reaps what containers leave to it. */
function script(dir: string): string {
  mkdirSync(join(dir, 'kernel'));
  const binds = Object.entries(KERNEL_SETTINGS).map(([name, value]) => {
    const file = join(dir, 'kernel', name.replaceAll('/', '.'));
    writeFileSync(file, `${value}\n`);
    return `mount --bind ${file} /proc/sys/${name}`;
  });
  mkdirSync(join(dir, 'claims'));
  writeFileSync(join(dir, 'resolv.conf'), '');
  return [
    'set -e',
    ...binds,
    ...PRIVATE.map((path) => `mkdir -p ${path}; mount -t tmpfs tmpfs ${path}`),
    // Where the hostPath provisioner of kube-controller-manager makes volumes.
    `mkdir -p /tmp/hostpath_pv; mount --bind ${join(dir, 'claims')} /tmp/hostpath_pv`,
    `mount --bind ${join(dir, 'resolv.conf')} /etc/resolv.conf`,
    'mount --make-rshared /',
    'ip link set lo up',
    'echo 1 > /proc/sys/net/ipv4/ip_forward',
    '[ ! -e /proc/sys/net/bridge/bridge-nf-call-iptables ] || echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables',
    'echo prepared',
    'read -r _ || true',
  ].join('\n');
}

async function isPrepared(first: ChildProcess): Promise<void> {
  let said = '';
  first.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  if (first.stdout) for await (const line of createInterface(first.stdout)) if (line === 'prepared') return;
  throw new Error(`no namespaces of its own for a node: ${said.trim()}`);
}

/** The one child of a process, by its number outside. */
function childOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return Number(child ?? 0);
}

/** Takes the first free number: the name of a link can exist only once. */
async function connect(inner: number): Promise<{ readonly link: string; readonly number: number }> {
  for (let number = 1; number < MAX_SANDBOXES; number += 1) {
    const link = `${LINK}${number}`;
    try {
      await run('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(inner)]);
    } catch (error) {
      if (/File exists/.test(String(error))) continue;
      throw error;
    }
    const prefix = `${NETWORK}.${number}`;
    await run('ip', ['addr', 'add', `${prefix}.1/24`, 'dev', link]);
    await run('ip', ['link', 'set', link, 'up']);
    const inside = ['-t', String(inner), '--net'];
    await run('nsenter', [...inside, 'ip', 'addr', 'add', `${prefix}.2/24`, 'dev', 'eth0']);
    await run('nsenter', [...inside, 'ip', 'link', 'set', 'eth0', 'up']);
    await run('nsenter', [...inside, 'ip', 'route', 'add', 'default', 'via', `${prefix}.1`]);
    return { link, number };
  }
  throw new Error(`no free network ${NETWORK}.0.0/16 for a node`);
}

interface Opened {
  readonly first: ChildProcess;
  readonly inner: number;
  readonly dir: string;
  readonly link: string;
  readonly cgroup: string;
  readonly prefix: string;
}

function sandbox({ first, inner, dir, cgroup, prefix }: Opened): Sandbox {
  const enter = ['-t', String(inner), '--pid', '--mount', '--net'];
  return {
    dir,
    cgroup,
    address: `${prefix}.2`,
    hostAddress: `${prefix}.1`,
    start: (program, args, logPath) => startInside([...enter, program, ...args], program, logPath),
    async run(program, args, input) {
      const running = run('nsenter', [...enter, program, ...args], { maxBuffer: 64 << 20 });
      running.child.stdin?.end(input ?? '');
      return (await running).stdout;
    },
    async stop() {
      const gone = new Promise((resolve) => first.once('exit', resolve));
      if (first.exitCode === null && first.signalCode === null) {
        first.stdin?.end();
        await gone;
      }
      await removeCgroups(cgroup);
      clearFolder(dir);
    },
  };
}

const TERM_PATIENCE = 5_000;

/** nsenter stays as the parent of the program, which therefore has to get the signals itself. */
function startInside(args: readonly string[], program: string, logPath: string): Child {
  const log = openSync(logPath, 'a');
  const outer = spawn('nsenter', args, { stdio: ['ignore', log, log] });
  closeSync(log);
  let ended: string | undefined;
  const gone = new Promise<void>((resolve) => {
    outer.once('exit', (code, signal) => {
      ended = signal ?? `exit code ${String(code)}`;
      resolve();
    });
    outer.once('error', (error) => {
      ended = error.message;
      resolve();
    });
  });
  const pidOf = (): number => (ended === undefined ? childOf(outer.pid ?? 0) : 0);
  return {
    get pid() {
      return pidOf();
    },
    logPath,
    async stop(signal = 'SIGTERM') {
      const waiting = new AbortController();
      // nsenter may not have forked yet.
      while (ended === undefined && pidOf() === 0) await delay(5);
      if (ended === undefined) process.kill(pidOf(), signal);
      void delay(TERM_PATIENCE, undefined, { signal: waiting.signal }).then(
        () => (pidOf() > 0 ? process.kill(pidOf(), 'SIGKILL') : undefined),
        () => undefined,
      );
      await gone;
      waiting.abort();
    },
    assertAlive() {
      if (ended !== undefined) throw new Error(`${program} ended (${ended}); end of ${logPath}:\n${endOfLog(logPath)}`);
    },
  };
}
