import type { KubeObject } from '../../model/kubernetes/index.js';
import { maybe, text } from '../resources/index.js';

/** Addresses that pods have, by node: each node's come from its own range. */
export class PodAddresses {
  readonly #taken = new Map<string, string>();
  readonly #next = new Map<string, number>();

  /** A pod that already has an address. */
  keep(uid: string, address: string): void {
    if (address !== '') this.#taken.set(address, uid);
  }

  /** A free address of the node's range, one behind the last one given; undefined where all are taken. */
  take(uid: string, node: KubeObject): string | undefined {
    const range = /^(\d+\.\d+\.\d+)\.0\/24$/.exec(text(maybe(node, 'spec'), 'podCIDR'));
    const prefix = range?.[1];
    if (prefix === undefined) return undefined;
    const start = this.#next.get(prefix) ?? 2;
    for (let step = 0; step < 253; step++) {
      const host = 2 + ((start - 2 + step) % 253);
      const address = `${prefix}.${host}`;
      if (this.#taken.has(address)) continue;
      this.#taken.set(address, uid);
      this.#next.set(prefix, host + 1);
      return address;
    }
    return undefined;
  }

  release(uid: string): void {
    for (const [address, owner] of this.#taken) if (owner === uid) this.#taken.delete(address);
  }
}
