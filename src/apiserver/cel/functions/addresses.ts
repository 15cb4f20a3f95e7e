import { BOOL, INT, STRING, opaque, type CelType } from '../types.js';
import { CelError, Opaque } from '../values.js';
import { func, method, type Overload } from '../overload.js';
import { addressText, parseAddress, type Address } from '../ip-address.js';

const IP: CelType = opaque('net.IP');
const CIDR: CelType = opaque('net.CIDR');

interface Network {
  readonly address: Address;
  readonly bits: number;
}

function toIp(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined)
    throw new CelError(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ` +
        `ParseAddr(${JSON.stringify(text)}): unable to parse IP`,
    );
  if (address.mapped) throw new CelError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return address;
}

const ipValue = (address: Address): Opaque => new Opaque('net.IP', addressText(address), address);

function parseNetwork(text: string): Network | undefined {
  const slash = text.lastIndexOf('/');
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash));
  const bits = text.slice(slash + 1);
  if (address === undefined || address.mapped || !/^(0|[1-9]\d{0,2})$/.test(bits)) return undefined;
  return Number(bits) <= address.width ? { address, bits: Number(bits) } : undefined;
}

function toNetwork(text: string): Network {
  const network = parseNetwork(text);
  if (network === undefined)
    throw new CelError(
      'network address parse error during conversion from string: ' +
        `netip.ParsePrefix(${JSON.stringify(text)}): no '/' or bad address`,
    );
  return network;
}

const networkText = ({ address, bits }: Network): string => `${addressText(address)}/${bits}`;
const networkValue = (network: Network): Opaque => new Opaque('net.CIDR', networkText(network), network);
const addressOf = (value: Opaque): Address => value.content as Address;
const networkOf = (value: Opaque): Network => value.content as Network;

/** The leading bits of an address; the rest is zero. */
function masked(value: bigint, width: number, bits: number): bigint {
  const rest = BigInt(width - bits);
  return (value >> rest) << rest;
}

function holds(network: Network, address: Address): boolean {
  const { width, value } = network.address;
  return width === address.width && masked(value, width, network.bits) === masked(address.value, width, network.bits);
}

function inside(value: Address, v4: readonly [bigint, number], v6: readonly [bigint, number]): boolean {
  const [prefix, bits] = value.width === 32 ? v4 : v6;
  return masked(value.value, value.width, bits) === prefix << BigInt(value.width - bits);
}

const TESTS: readonly (readonly [string, (address: Address) => boolean])[] = [
  ['isUnspecified', (address) => address.value === 0n],
  ['isLoopback', (address) => inside(address, [127n, 8], [1n, 128])],
  ['isLinkLocalMulticast', (address) => inside(address, [0xe00000n, 24], [0xff02n, 16])],
  ['isLinkLocalUnicast', (address) => inside(address, [0xa9fen, 16], [0x3fan, 10])],
  ['isGlobalUnicast', isGlobalUnicast],
];

function isGlobalUnicast(address: Address): boolean {
  const multicast = inside(address, [0xen, 4], [0xffn, 8]);
  const broadcast = address.width === 32 && address.value === 0xffffffffn;
  return (
    address.value !== 0n &&
    !broadcast &&
    !multicast &&
    !inside(address, [127n, 8], [1n, 128]) &&
    !inside(address, [0xa9fen, 16], [0x3fan, 10])
  );
}

export const ADDRESSES: readonly Overload[] = [
  func('ip', [STRING], IP, ([text]: [string]) => ipValue(toIp(text))),
  func('isIP', [STRING], BOOL, ([text]: [string]) => parseAddress(text)?.mapped === false),
  func('ip.isCanonical', [STRING], BOOL, ([text]: [string]) => addressText(toIp(text)) === text),
  method('family', [IP], INT, ([ip]: [Opaque]) => (addressOf(ip).width === 32 ? 4n : 6n)),
  ...TESTS.map(([name, test]) => method(name, [IP], BOOL, ([ip]: [Opaque]) => test(addressOf(ip)))),
  func('string', [IP], STRING, ([ip]: [Opaque]) => ip.key),
  func('cidr', [STRING], CIDR, ([text]: [string]) => networkValue(toNetwork(text))),
  func('isCIDR', [STRING], BOOL, ([text]: [string]) => parseNetwork(text) !== undefined),
  method('containsIP', [CIDR, STRING], BOOL, ([cidr, text]: [Opaque, string]) => holds(networkOf(cidr), toIp(text))),
  method('containsIP', [CIDR, IP], BOOL, ([cidr, ip]: [Opaque, Opaque]) => holds(networkOf(cidr), addressOf(ip))),
  method('containsCIDR', [CIDR, STRING], BOOL, ([cidr, text]: [Opaque, string]) =>
    holdsNetwork(networkOf(cidr), toNetwork(text)),
  ),
  method('containsCIDR', [CIDR, CIDR], BOOL, ([cidr, other]: [Opaque, Opaque]) =>
    holdsNetwork(networkOf(cidr), networkOf(other)),
  ),
  method('ip', [CIDR], IP, ([cidr]: [Opaque]) => ipValue(networkOf(cidr).address)),
  method('prefixLength', [CIDR], INT, ([cidr]: [Opaque]) => BigInt(networkOf(cidr).bits)),
  method('masked', [CIDR], CIDR, ([cidr]: [Opaque]) => {
    const { address, bits } = networkOf(cidr);
    return networkValue({ address: { ...address, value: masked(address.value, address.width, bits) }, bits });
  }),
  func('string', [CIDR], STRING, ([cidr]: [Opaque]) => cidr.key),
];

function holdsNetwork(outer: Network, inner: Network): boolean {
  return inner.bits >= outer.bits && holds(outer, inner.address);
}
