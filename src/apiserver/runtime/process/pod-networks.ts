import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { Clock } from '../../rest/index.js';
import { PodNetwork, type OutsidePlaces } from './pod-network.js';
import type { PodDialer } from './proxy-handlers.js';

/** Milliseconds for which a pod keeps its network while none of its containers runs. */
const KEEP = 10_000;

/** The networks of all pods, and the way into them. */
export class PodNetworks {
  readonly #byPod = new Map<string, { readonly network: Promise<PodNetwork>; users: number; end: () => void }>();
  readonly #byAddress = new Map<string, string>();
  #loopback: ((podIp: string) => string) | undefined;

  /** From now on pods have the network of this machine, each with an address of its loopback network. */
  useLoopback(data: string): void {
    this.#loopback = (podIp) => loopbackOf(data, podIp);
  }

  /** The network of a pod, made where it has none. Whoever takes it gives it back. */
  take(uid: string, podIp: string, outside: OutsidePlaces, isRoot: boolean): Promise<PodNetwork> {
    const known = this.#byPod.get(uid) ?? { network: PodNetwork.open(outside, isRoot), users: 0, end: () => undefined };
    known.end();
    known.users++;
    this.#byPod.set(uid, known);
    this.#byAddress.set(podIp, uid);
    known.network.catch(() => {
      if (this.#byPod.get(uid) === known) this.#byPod.delete(uid);
    });
    return known.network;
  }

  give(uid: string, clock: Clock): void {
    const known = this.#byPod.get(uid);
    if (known === undefined || --known.users > 0) return;
    known.end = clock.after(KEEP, () => {
      if (known.users === 0) this.forget(uid);
    });
  }

  forget(uid: string): void {
    const known = this.#byPod.get(uid);
    this.#byPod.delete(uid);
    for (const [address, user] of this.#byAddress) if (user === uid) this.#byAddress.delete(address);
    known?.end();
    known?.network.then(
      (network) => network.close(),
      () => undefined,
    );
  }

  close(): void {
    for (const uid of [...this.#byPod.keys()]) this.forget(uid);
  }

  readonly dial: PodDialer = (podIp, port) => {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return Promise.reject(new Error(`${port} is not a port`));
    const network = this.#byPod.get(this.#byAddress.get(podIp) ?? '')?.network;
    if (network !== undefined) return network.then((found) => found.connect(port));
    return this.#loopback === undefined ? undefined : connected(this.#loopback(podIp), port);
  };
}

function connected(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/**
 * Where pods have no network of their own, their processes are reached at an address of this machine's loopback
 * network, one for each pod, so that all of them can have the same port. Clusters of one machine differ in the second
 * number.
 */
export function loopbackOf(data: string, podIp: string): string {
  const cluster = 64 + ((createHash('sha256').update(data).digest()[0] ?? 0) % 190);
  const [, , third = '0', fourth = '1'] = podIp.split('.');
  return `127.${cluster}.${third}.${fourth}`;
}
