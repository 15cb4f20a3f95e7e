import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { connect as connectSocket, isIP, Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { inheritedDescriptors } from './inherited-descriptors.js';
import { NETWORK_HELPER } from './network-helper.js';
import { CLEAN_PATH } from './sandbox.js';

/** Where something listens: `127.0.0.1:6443`, `git.example.com:443`. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** What pods reach besides themselves. */
export interface OutsidePlaces {
  /** The API server; connections to it are handed over as they are. */
  readonly api: Place;
  accept(connection: Duplex): void;
  /** What whoever starts the server lists. */
  readonly others: readonly Place[];
}

/** Pods know nobody else's names; each of these has an address of the pod's own loopback network. */
const NAMED = '127.0.1.';
/** Milliseconds that the making of a network, or a connection in one, may take. */
const PATIENCE = 30_000;
const CONNECT_PATIENCE = 10_000;

/** A network that has itself and what the server puts into it. All containers of a pod are in the same. */
export class PodNetwork {
  #helper: ChildProcess | undefined;
  #next = 0;
  readonly #waiting = new Map<number, (error: Error | undefined, socket?: Socket) => void>();
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  #closed = false;

  private constructor(
    /** Descriptors of its namespaces: they live as long as these are open. */
    readonly namespaces: { readonly net: number; readonly ipc: number; readonly user: number | undefined },
  ) {}

  /** Makes one, with servers in it for what is outside. `isRoot`: without a user namespace of its own. */
  static async open(outside: OutsidePlaces, isRoot: boolean): Promise<PodNetwork> {
    const network = new PodNetwork(await makeNamespaces(isRoot));
    try {
      await network.#listen(outside);
      return network;
    } catch (error) {
      network.close();
      throw error;
    }
  }

  /** How a program of this machine gets in. */
  enterWords(): string[] {
    const { net, ipc, user } = this.namespaces;
    const path = (descriptor: number): string => `/proc/${process.pid}/fd/${descriptor}`;
    return [
      'nsenter',
      // Only root may change groups, and who made the namespace is root in it already.
      ...(user === undefined ? [] : ['--preserve-credentials', `--user=${path(user)}`]),
      `--net=${path(net)}`,
      `--ipc=${path(ipc)}`,
      '--',
    ];
  }

  /** A connection to a program in it. */
  connect(port: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error('the pod has ended'));
      const id = this.#next++;
      const timer = setTimeout(() => {
        this.#settle(id, new Error('i/o timeout'));
      }, CONNECT_PATIENCE).unref();
      this.#waiting.set(id, (error, socket) => {
        clearTimeout(timer);
        if (socket === undefined) reject(error ?? new Error('no connection'));
        else resolve(this.#kept(socket));
      });
      this.#startHelper().send({ connect: port, id });
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#helper?.kill('SIGKILL');
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const id of [...this.#waiting.keys()]) this.#settle(id, new Error('the pod has ended'));
    for (const descriptor of Object.values(this.namespaces)) if (descriptor !== undefined) closeSync(descriptor);
  }

  #kept(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  #settle(id: number, error: Error | undefined, socket?: Socket): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting === undefined) socket?.destroy();
    else waiting(error, socket);
  }

  #startHelper(): ChildProcess {
    if (this.#helper !== undefined) return this.#helper;
    const words = [...this.enterWords(), process.execPath, '-e', NETWORK_HELPER];
    const helper = spawn(words[0] ?? '', words.slice(1), {
      env: { PATH: CLEAN_PATH },
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', ...inheritedDescriptors(4)],
    });
    this.#helper = helper;
    // A server that stops does not wait for pods.
    helper.unref();
    helper.channel?.unref();
    helper.on('message', (message: Readonly<Record<string, unknown>>, handle) => {
      if (typeof message['id'] !== 'number') return;
      const error = Object.assign(new Error(String(message['failed'] ?? 'no connection')), { code: message['code'] });
      this.#settle(message['id'], error, handle instanceof Socket ? handle : undefined);
    });
    const lost = (): void => {
      if (this.#helper === helper) this.#helper = undefined;
      for (const id of [...this.#waiting.keys()]) this.#settle(id, new Error('the network of the pod was lost'));
    };
    helper.once('error', lost);
    helper.once('exit', lost);
    return helper;
  }

  async #listen({ api, accept, others }: OutsidePlaces): Promise<void> {
    const helper = this.#startHelper();
    const places = [[api.host, api.port], ...others.map((place, index) => [inside(place, index), place.port])];
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error('the network of the pod is not made in time'));
      }, PATIENCE).unref();
      const end = (error?: Error): void => {
        clearTimeout(timer);
        if (error === undefined) resolve();
        else reject(error);
      };
      helper.on('message', (message: Readonly<Record<string, unknown>>, handle) => {
        if (message['listening'] === true) end();
        if (typeof message['failed'] === 'string' && message['id'] === undefined) end(new Error(message['failed']));
        if (typeof message['place'] !== 'number' || !(handle instanceof Server)) return;
        const other = message['place'] === 0 ? undefined : others[message['place'] - 1];
        this.#serve(handle, other === undefined ? accept : (connection) => passOn(connection, other));
      });
      helper.once('exit', () => {
        end(new Error('the network of the pod was lost'));
      });
      helper.once('error', end);
      helper.send({ listen: places });
    });
    // Most pods are never connected to; the next who does starts another one.
    this.#helper = undefined;
    helper.disconnect();
  }

  #serve(server: Server, accept: (connection: Socket) => void): void {
    this.#servers.push(server);
    server.unref();
    server.on('error', () => undefined);
    server.on('connection', (socket) => {
      this.#kept(socket);
      socket.on('error', () => undefined);
      accept(socket);
    });
  }
}

/** Lines of /etc/hosts: where a pod finds what is outside. */
export function hostsFile(others: readonly Place[], hostname: string): string {
  const named = others.flatMap((place, index) => (isIP(place.host) ? [] : [`${inside(place, index)} ${place.host}`]));
  return ['127.0.0.1 localhost', `127.0.0.1 ${hostname}`, ...named, ''].join('\n');
}

/** An address of the loopback network is the same inside; others have one of their own. */
function inside({ host }: Place, index: number): string {
  return /^127\./.test(host) ? host : `${NAMED}${index + 1}`;
}

function passOn(connection: Socket, { host, port }: Place): void {
  const outer = connectSocket({ host, port });
  outer.on('error', () => connection.destroy());
  connection.on('error', () => outer.destroy());
  outer.on('close', () => connection.destroy());
  connection.on('close', () => outer.destroy());
  connection.pipe(outer);
  outer.pipe(connection);
}

/** A process that makes the namespaces and ends as soon as they are held from here. */
async function makeNamespaces(isRoot: boolean): Promise<PodNetwork['namespaces']> {
  const words = [
    '--die-with-parent',
    ...(isRoot ? [] : ['--unshare-user', '--uid', '0', '--gid', '0']),
    '--unshare-net',
    '--unshare-ipc',
    '--cap-drop',
    'ALL',
    '--dev-bind',
    '/',
    '/',
    '--',
    'sh',
    '-c',
    'echo $$; exec sleep infinity',
  ];
  const holder = spawn('bwrap', words, {
    env: { PATH: CLEAN_PATH },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe', ...inheritedDescriptors(3)],
  });
  try {
    const pid = await firstLine(holder);
    const open = (kind: string): number => openSync(`/proc/${pid}/ns/${kind}`, 'r');
    return { net: open('net'), ipc: open('ipc'), user: isRoot ? undefined : open('user') };
  } finally {
    holder.kill('SIGKILL');
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let [out, refused] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      out += piece;
      if (out.includes('\n')) resolve(out.trim());
    });
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      refused += piece;
    });
    child.once('error', reject);
    child.once('close', () => {
      reject(new Error(refused.trim() || 'bubblewrap ended'));
    });
  });
}
