import { createHash } from 'node:crypto';
import { Fault } from '../faults/index.js';

/** A public key of PGP, as far as people tell it apart by. */
export interface PgpKey {
  /** 40 hexadecimal digits. */
  readonly fingerprint: string;
  /** The last 16 of them. */
  readonly keyId: string;
  /** Such as `Ada <ada@example.com>`; empty where it names nobody. */
  readonly owner: string;
  /** Such as rsa2048 or ed25519, as gpg calls it; empty for an algorithm that is not known. */
  readonly algorithm: string;
}

const PUBLIC_KEY = 6;
const USER_ID = 13;

/** Reads the first key of a text in PGP's own armour. */
export function readPgpKey(text: string): PgpKey {
  const packets = packetsOf(bytesOf(text));
  const key = packets.find(({ tag }) => tag === PUBLIC_KEY)?.body;
  if (key === undefined) throw new Fault('VALUE_INVALID', 'this is no public key in the armour of PGP');
  if (key[0] !== 4)
    throw new Fault('VALUE_INVALID', `a PGP key of version ${String(key[0])} is not known; version 4 is`);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(key.length);
  const fingerprint = createHash('sha1').update(Buffer.of(0x99)).update(length).update(key).digest('hex').toUpperCase();
  return {
    fingerprint,
    keyId: fingerprint.slice(-16),
    owner: packets.find(({ tag }) => tag === USER_ID)?.body.toString('utf8') ?? '',
    algorithm: algorithmOf(key),
  };
}

/** The object identifiers of curves, RFC 9580 section 9.2. */
const CURVES: Readonly<Record<string, string>> = {
  '2b06010401da470f01': 'ed25519',
  '2a8648ce3d030107': 'nistp256',
  '2b81040022': 'nistp384',
  '2b81040023': 'nistp521',
  '2b8104000a': 'secp256k1',
};
/** Version, time and algorithm stand before the numbers of a key. */
const BEFORE_NUMBERS = 6;

function algorithmOf(key: Buffer): string {
  const algorithm = key[5] ?? 0;
  const numbers = key.subarray(BEFORE_NUMBERS);
  if (numbers.length < 2) return '';
  if (algorithm <= 3) return `rsa${numbers.readUInt16BE(0)}`;
  if (algorithm === 17) return `dsa${numbers.readUInt16BE(0)}`;
  if (algorithm === 27) return 'ed25519';
  if (algorithm !== 19 && algorithm !== 22) return '';
  return CURVES[numbers.subarray(1, 1 + (numbers[0] ?? 0)).toString('hex')] ?? '';
}

/** What stands in the armour: after its headers and an empty line, before the checksum. */
function bytesOf(text: string): Buffer {
  const lines = text.split('\n').map((line) => line.trim());
  const [begin, end] = [
    lines.indexOf('-----BEGIN PGP PUBLIC KEY BLOCK-----'),
    lines.indexOf('-----END PGP PUBLIC KEY BLOCK-----'),
  ];
  const empty = lines.indexOf('', begin);
  if (begin < 0 || empty < 0 || end < empty) return Buffer.alloc(0);
  return Buffer.from(
    lines
      .slice(empty, end)
      .filter((line) => !line.startsWith('='))
      .join(''),
    'base64',
  );
}

interface Packet {
  readonly tag: number;
  readonly body: Buffer;
}

function packetsOf(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; ) {
    const head = headOf(bytes, at);
    if (head === undefined || head.from + head.length > bytes.length) return packets;
    packets.push({ tag: head.tag, body: bytes.subarray(head.from, head.from + head.length) });
    at = head.from + head.length;
  }
  return packets;
}

/** Both forms of a header, RFC 9580 section 4.2; lengths that are not known beforehand do not stand before keys. */
function headOf(
  bytes: Buffer,
  at: number,
): { readonly tag: number; readonly from: number; readonly length: number } | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
  if ((first & 0x80) === 0) return undefined;
  if ((first & 0x40) === 0) {
    const size = first & 3;
    if (size === 3 || at + 1 + (1 << size) > bytes.length) return undefined;
    return { tag: (first >> 2) & 15, from: at + 1 + (1 << size), length: bytes.readUIntBE(at + 1, 1 << size) };
  }
  const tag = first & 63;
  if (second < 192) return { tag, from: at + 2, length: second };
  if (second < 224) return { tag, from: at + 3, length: ((second - 192) << 8) + third + 192 };
  return second === 255 && at + 6 <= bytes.length
    ? { tag, from: at + 6, length: bytes.readUInt32BE(at + 2) }
    : undefined;
}
