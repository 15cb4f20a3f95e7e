import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '../../src/apiserver/index.js';
import { openBeneath } from '../../src/apiserver/runtime/process/resolve-beneath.js';
import { ProcessLab, stateOf } from '../../src/apiserver/testing/process-lab.js';
import { isObject, objectIn, textAt, type JsonObject } from '../../src/model/json/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import { processesWith } from '../real/processes-with.js';

const ATTEMPTS = readFileSync(join(import.meta.dirname, 'escape-attempts.py'), 'utf8');
const CONTENT = 'kept-apart-7f';
const SECRET = 'value-of-a-secret-0b7d';
/** One name is a folder, then a link that leads out, then a folder again, as fast as it can. */
const RACE = `
import os, sys
os.chdir(sys.argv[1])
os.makedirs('folder/deep', exist_ok=True)
os.path.lexists('link') or os.symlink(sys.argv[2], 'link')
print('swapping', flush=True)
while True:
    for name in ('folder', 'link'):
        os.rename(name, 'place')
        os.rename('place', name)
`;

/** Of a pod that mounts: each is a try of its own, and they start at the same time. */
const CONTAINERS = 20;

const FORKS = `
import os, sys, time
made = 0
try:
    while made < 5000:
        os.fork() or time.sleep(60)
        made += 1
except OSError:
    pass
print('made', made, flush=True)
`;

/** What was tried, and what it got. */
export interface Attempts {
  readonly tried: number;
  readonly escaped: readonly string[];
  /** Of the tries of a race, those that got the folder; the others came upon a link or nothing, and were refused. */
  readonly mounted?: number;
}

/** Where hostile pods run. */
export interface EscapeServer {
  readonly kubeconfig: string;
  /** Who it is on this machine. */
  readonly user: number;
  close(): Promise<void>;
}

async function startHere(data: string): Promise<EscapeServer> {
  const server = await startApiServer({
    data,
    port: 0,
    controllers: true,
    log: NO_LOG,
    processes: { images: [{ image: 'here:*' }] },
  });
  return { ...server, user: process.getuid?.() ?? 0 };
}

/** A server with hostile pods, and things of this machine that they must not reach. */
export class EscapeLab {
  #next = 0;

  private constructor(
    readonly lab: ProcessLab,
    readonly scratch: string,
    readonly given: JsonObject,
    readonly contacts: string[],
    readonly close: () => Promise<void>,
  ) {}

  /** `start`: a server with the images `here:*`, in a data directory that is not there yet. */
  static async open(start: (data: string) => Promise<EscapeServer> = startHere): Promise<EscapeLab> {
    const scratch = mkdtempSync(join(tmpdir(), 'argosy-escapes-'));
    const contacts: string[] = [];
    const listeners = [await listener(contacts, { host: '::', port: 0 })];
    const port = (listeners[0]?.address() as { port: number }).port;
    const [abstract, socket] = [`argosy-${process.pid}`, join(scratch, 'socket')];
    // Node knows abstract sockets by their first byte.
    listeners.push(await listener(contacts, { path: `\0${abstract}` }), await listener(contacts, { path: socket }));
    const data = join(scratch, 'data');
    const server = await start(data);
    const canary = join(scratch, 'canary');
    writeFileSync(canary, CONTENT);
    const given = {
      canary: '@escapes ',
      files: [canary, join(data, 'pki', 'admin.key'), join(data, 'kubeconfig')],
      port,
      abstract,
      socket,
      user: server.user,
      pids: [process.pid, process.ppid],
      shm: 0x41724730,
      addresses: Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address)),
    };
    const lab = new ProcessLab(server.kubeconfig);
    const made = new EscapeLab(lab, scratch, given, contacts, async () => {
      await server.close();
      for (const each of listeners) each.close();
      rmSync(scratch, { recursive: true, force: true });
    });
    await lab.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret' }, stringData: { key: SECRET } });
    await lab.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'shared' },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    });
    return made;
  }

  /** Tries everything once. */
  async everything(): Promise<Attempts> {
    const found = [await this.fromWithin(), await this.fromSpecs(), await this.withBombs()];
    const touched = readFileSync(join(this.scratch, 'canary'), 'utf8') === CONTENT ? [] : ['the canary was changed'];
    return {
      tried: found.reduce((sum, { tried }) => sum + tried, 0),
      escaped: [...found.flatMap(({ escaped }) => escaped), ...this.contacts.splice(0), ...touched],
    };
  }

  name(of: string): string {
    return `${of}-${++this.#next}`;
  }

  /** Runs a container to its end; gives what it wrote. */
  async run(name: string, container: JsonObject, spec: JsonObject = {}): Promise<{ status: JsonObject; log: string }> {
    await this.lab.pod(name, container, spec);
    const status = await this.lab.until(
      name,
      (each) => isEnded(each) || textAt(stateOf(each), 'waiting', 'reason') === 'CreateContainerError',
    );
    const log = await this.lab.log(name);
    await this.lab.ask('DELETE', `/api/v1/namespaces/default/pods/${name}?gracePeriodSeconds=0`);
    return { status, log };
  }

  /** All system calls, files and addresses, by a pod that asks for all rights, and by a program that joins it. */
  async fromWithin(): Promise<Attempts> {
    const { log } = await this.run(
      this.name('tries'),
      {
        command: ['python3', '-c', ATTEMPTS, JSON.stringify(this.given)],
        securityContext: { privileged: true, runAsUser: 0, capabilities: { add: ['SYS_ADMIN', 'NET_ADMIN'] } },
      },
      { hostNetwork: true, hostPID: true, hostIPC: true },
    );
    return readAttempts(log);
  }

  /** What the spec of a pod may ask for. */
  async fromSpecs(): Promise<Attempts> {
    const escaped: string[] = [];
    for (const [name, container, volumes] of specs(this.scratch)) {
      const { status, log } = await this.run(this.name(name), container, { volumes }).catch((error: unknown) => {
        // The API server itself may refuse it.
        if (String(error).includes('"reason":"Invalid"')) return { status: {}, log: '' };
        throw error;
      });
      const text = `${log}${JSON.stringify(status)}`;
      if (/kept-apart-7f|BEGIN .*PRIVATE KEY|root:[*!$]/.test(text)) escaped.push(`${name}: ${text.slice(0, 300)}`);
    }
    escaped.push(...(await this.#commandLines()));
    return { tried: specs(this.scratch).length + 1, escaped };
  }

  /** A Secret in a command, a variable or a file is in no command line of this machine while the pod runs. */
  async #commandLines(): Promise<string[]> {
    const name = this.name('words');
    await this.lab.pod(name, {
      command: ['sh', '-c', 'echo up; sleep 300; true $(KEY)'],
      env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'secret', key: 'key' } } }],
    });
    while (!(await this.lab.log(name)).includes('up')) await pause();
    const seen = processesWith(SECRET);
    await this.lab.ask('DELETE', `/api/v1/namespaces/default/pods/${name}?gracePeriodSeconds=0`);
    return seen.map((pid) => `the command line of process ${pid} has a Secret`);
  }

  /** Memory, processes and places in memory without end: they end in their pod. */
  async withBombs(): Promise<Attempts> {
    const escaped: string[] = [];
    const limits = { resources: { limits: { memory: '96Mi' } } };
    const memory = await this.run(this.name('memory'), {
      command: ['python3', '-c', 'kept = []\nwhile True: kept.append(bytearray(1 << 20))'],
      ...limits,
    });
    const reason = textAt(stateOf(memory.status), 'terminated', 'reason');
    if (reason !== 'OOMKilled') escaped.push(`a memory bomb ends with ${reason}`);
    const disk = await this.run(this.name('disk'), {
      command: ['sh', '-c', 'for d in /tmp /run /dev/shm /; do head -c 4G /dev/zero > $d/large; done; du -sm /tmp'],
      ...limits,
    });
    if (textAt(stateOf(disk.status), 'terminated', 'exitCode') === '0') escaped.push('places in memory have no limit');
    const mark = `argosy-fork-${process.pid}-${this.#next}`;
    const forks = await this.run(this.name('forks'), {
      command: ['python3', '-c', FORKS, mark],
    });
    const [, made = '5000'] = /made (\d+)/.exec(forks.log) ?? [];
    if (Number(made) > 1000) escaped.push(`a pod made ${made} processes`);
    for (let turn = 0; turn < 200 && processesWith(mark).length > 0; turn++) await pause();
    if (processesWith(mark).length > 0) escaped.push('processes of a bomb outlive their pod');
    return { tried: 3, escaped };
  }

  /**
   * Paths in a volume are resolved while somebody swaps its folders and links, so many times, in the code that mounts
   * them: what is opened lies in the volume.
   */
  async raceOnPaths(tries: number): Promise<Attempts> {
    const [root, outside] = [join(this.scratch, 'race'), join(this.scratch, 'outside')];
    mkdirSync(join(root, 'a', 'folder'), { recursive: true });
    mkdirSync(join(outside, 'deep'), { recursive: true });
    const swapper = spawn('python3', ['-c', RACE, join(root, 'a'), outside], { stdio: ['ignore', 'pipe', 'ignore'] });
    await new Promise((resolve) => swapper.stdout.once('data', resolve));
    const escaped: string[] = [];
    for (let turn = 0; turn < tries; turn++) {
      try {
        const descriptor = openBeneath(root, 'a/place/deep', () => undefined);
        const found = readlinkSync(`/proc/self/fd/${descriptor}`);
        closeSync(descriptor);
        if (!found.startsWith(root)) escaped.push(`a path led to ${found}`);
      } catch {
        // Refused: it was a link, or nothing, at that moment.
      }
    }
    swapper.kill('SIGKILL');
    return { tried: tries, escaped };
  }

  /** The same by whole pods: one swaps, and each container of the others mounts, so many times in all. */
  async raceOfPods(tries: number): Promise<Attempts> {
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'shared' } }];
    const swapper = this.name('swaps');
    await this.lab.pod(
      swapper,
      { command: ['python3', '-c', RACE, '/mnt/v', '/'], volumeMounts: [{ name: 'v', mountPath: '/mnt/v' }] },
      { volumes },
    );
    while (!(await this.lab.log(swapper)).includes('swapping')) await pause();
    const escaped: string[] = [];
    let [tried, mounted] = [0, 0];
    while (tried < tries) {
      const count = Math.min(CONTAINERS, tries - tried);
      for (const log of await this.#mount(count, volumes)) {
        if (/^(?:etc|boot|home)$|^root:/m.test(log))
          escaped.push(`a pod mounted the root of the machine: ${log.slice(0, 100)}`);
        if (/^deep$/m.test(log)) mounted++;
      }
      tried += count;
    }
    await this.lab.ask('DELETE', `/api/v1/namespaces/default/pods/${swapper}?gracePeriodSeconds=0`);
    return { tried, escaped, mounted };
  }

  /** A pod of so many containers, each with a mount of the place that is swapped; gives what each of them wrote. */
  async #mount(count: number, volumes: JsonObject[]): Promise<readonly string[]> {
    const name = this.name('mounts');
    const containers = Array.from(
      { length: count },
      (_, index): JsonObject => ({
        name: `c${index}`,
        image: 'here:v1',
        command: ['sh', '-c', 'ls -a /mnt/v; cat /mnt/v/etc/shadow'],
        volumeMounts: [{ name: 'v', mountPath: '/mnt/v', subPath: 'place' }],
      }),
    );
    await this.lab.pod(name, {}, { containers, volumes });
    const isOver = (status: JsonObject): boolean =>
      containers.every((container) => {
        const state = stateOf(status, textAt(container, 'name'));
        return isObject(state['terminated']) || textAt(state, 'waiting', 'reason') === 'CreateContainerError';
      });
    await this.lab.until(name, isOver);
    const logs: string[] = [];
    for (const container of containers) logs.push(await this.lab.log(name, `?container=${textAt(container, 'name')}`));
    await this.lab.ask('DELETE', `/api/v1/namespaces/default/pods/${name}?gracePeriodSeconds=0`);
    return logs;
  }
}

function specs(scratch: string): [name: string, container: JsonObject, volumes: JsonObject[]][] {
  const list = (path: string): JsonObject => ({
    command: ['sh', '-c', `ls -a ${path}; cat ${path}/canary ${path}/admin.key ${path}/shadow`],
  });
  const mounted = (more: JsonObject): JsonObject => ({
    ...list('/mnt/v'),
    volumeMounts: [{ name: 'v', mountPath: '/mnt/v', ...more }],
  });
  const empty = [{ name: 'v', emptyDir: {} }];
  return [
    ['host-path', mounted({}), [{ name: 'v', hostPath: { path: scratch } }]],
    ['sub-path-up', mounted({ subPath: 'a/../../../../pki' }), empty],
    [
      'sub-path-expression',
      { ...mounted({ subPathExpr: '$(UP)' }), env: [{ name: 'UP', value: '../../../pki' }] },
      empty,
    ],
    ['message-path', { ...list('/'), terminationMessagePath: `${'/..'.repeat(20)}${scratch}/canary` }, []],
    ['working-directory', { ...list('.'), workingDir: `/proc/self/cwd/../../..${scratch}` }, []],
    [
      'loader',
      {
        command: ['sh', '-c', 'cat /etc/shadow; id'],
        env: [{ name: 'LD_PRELOAD', value: '/mnt/v/x.so' }],
        volumeMounts: [{ name: 'v', mountPath: '/etc/ld.so.preload', subPath: 'x' }],
      },
      empty,
    ],
    [
      'own-programs',
      {
        command: ['/usr/bin/python3', '-c', 'print(open("/etc/shadow").read())'],
        volumeMounts: [{ name: 'v', mountPath: '/usr/sbin' }],
      },
      empty,
    ],
    [
      'shadow-file',
      { command: ['sh', '-c', 'cat /etc/shadow'], volumeMounts: [{ name: 'v', mountPath: '/etc/shadow' }] },
      empty,
    ],
  ];
}

function readAttempts(log: string): Attempts {
  const line = log.split('\n').find((each) => each.startsWith('@escapes '));
  if (line === undefined) return { tried: 0, escaped: [`no attempt ended: ${log.slice(-500)}`] };
  const results = objectIn(line.slice('@escapes '.length));
  const names = Object.keys(results);
  return {
    tried: names.length,
    escaped: Object.entries(results).flatMap(([name, result]) =>
      typeof result === 'string' ? [`${name}: ${result}`] : [],
    ),
  };
}

function isEnded(status: JsonObject): boolean {
  return isObject(stateOf(status)['terminated']);
}

function listener(contacts: string[], at: { path: string } | { host: string; port: number }): Promise<Server> {
  const server = createServer((socket) => {
    contacts.push(`somebody connected to ${JSON.stringify(at)}`);
    socket.destroy();
  });
  return new Promise((resolve) => {
    server.listen(at, () => resolve(server));
  });
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 25);
  });
}
