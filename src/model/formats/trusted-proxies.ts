import { BlockList, isIP } from 'node:net';

/** The reverse proxies whose `X-Forwarded-For` is believed. What anybody else says in that header is only a claim. */
export class TrustedProxies {
  readonly #list = new BlockList();

  private constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = '', prefix] = entry.split('/');
      const family = familyOf(address);
      this.#list.addSubnet(address, prefix === undefined ? BITS[family] : Number(prefix), family);
    }
  }

  /** Addresses and networks, with commas between them; or the first entry that is neither. */
  static parse(text: string): TrustedProxies | { readonly wrong: string } {
    const entries = text.split(',').map((entry) => entry.trim());
    const wrong = entries.find((entry) => !isAddressOrNetwork(entry));
    return wrong === undefined ? new TrustedProxies(entries) : { wrong };
  }

  trusts(address: string): boolean {
    const plain = withoutMapping(address);
    return isIP(plain) !== 0 && this.#list.check(plain, familyOf(plain));
  }

  /**
   * Who sent a request: each proxy appends the address that it was asked by, so it is the last one that is no proxy of
   * ours. What stands before it was written by the client.
   */
  clientOf(peer: string, forwarded: string | readonly string[] | undefined): string {
    const hops = [forwarded ?? []].flat().join(',').split(',').reverse();
    let client = peer;
    for (const hop of hops) {
      const address = addressOf(hop.trim());
      if (!this.trusts(client) || address === undefined) break;
      client = address;
    }
    return client;
  }
}

const BITS = { ipv4: 32, ipv6: 128 } as const;

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

function isAddressOrNetwork(entry: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  return isIP(address) !== 0 && Number(prefix) <= BITS[familyOf(address)];
}

/** An IPv4 address as a socket for both families shows it. */
function withoutMapping(address: string): string {
  const [, inner = address] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  return inner;
}

/** Some proxies add the port. */
function addressOf(hop: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(hop) ?? [];
  const address = withoutMapping(bracketed ?? plain ?? hop);
  return isIP(address) === 0 ? undefined : address;
}
