import { createHash, sign, type KeyObject } from 'node:crypto';
import { functionError } from '../../template/template-error.js';
import { GoTime } from '../time/go-time.js';
import type { FunctionHost } from '../host.js';
import { UTC } from '../time/zone.js';
import {
  bits,
  boolean,
  der,
  integer,
  octets,
  oid,
  readDer,
  sequence,
  setOf,
  TAG,
  writePem,
  type DerNode,
} from '../../../../model/formats/index.js';
import { keyPem, publicKeyOf, type PrivateKey } from './keys.js';
import { randomBits } from './numbers.js';

/** What a new certificate says. */
export interface Subject {
  readonly name: string;
  readonly addresses: readonly (readonly number[])[];
  readonly hosts: readonly string[];
  readonly days: number;
  readonly isAuthority: boolean;
}

/** Who signs it: the raw name and key id of its certificate, and its key. Undefined for one that signs itself. */
export interface Issuer {
  readonly name: Buffer;
  readonly keyId: Buffer | undefined;
  readonly publicKey: Buffer;
  readonly key: PrivateKey;
}

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** As Go's x509.CreateCertificate with sprig's template: server and client, from now on for some days. */
export function createCertificate(
  subject: Subject,
  key: PrivateKey,
  issuer: Issuer | undefined,
  host: FunctionHost,
): KeyPair {
  const signingKey = (issuer ?? { key }).key;
  if (signingKey.kind === 'dsa' || key.kind === 'dsa')
    throw certificateError('x509: certificate private key does not implement crypto.Signer');
  const publicKey = publicKeyOf(key);
  if (issuer !== undefined && !publicKeyOf(signingKey).equals(issuer.publicKey))
    throw certificateError("x509: provided PrivateKey doesn't match parent's PublicKey");
  const name = distinguishedName(subject.name);
  const issuerName = issuer?.name ?? name;
  const authority = issuer?.keyId !== undefined && !issuerName.equals(name) ? issuer.keyId : undefined;
  const { identifier, digest } = algorithmOf(signingKey);
  const content = sequence(
    der(0xa0, integer(2n)),
    integer(randomBits(host, 128)),
    identifier,
    issuerName,
    validity(subject.days, host),
    name,
    publicKey,
    der(0xa3, sequence(...extensions(subject, publicKey, authority))),
  );
  const signature = sign(digest, content, signingKey.key);
  return { certificate: writePem('CERTIFICATE', sequence(content, identifier, bits(signature))), key: keyPem(key) };
}

function certificateError(message: string): Error {
  return functionError(`error creating certificate: ${message}`);
}

/** A name with a common name only; without one it is empty. */
function distinguishedName(name: string): Buffer {
  if (name === '') return sequence();
  const isPrintable = /^[A-Za-z0-9 '()+,./:=?-]*$/.test(name);
  const value = der(isPrintable ? TAG.printable : TAG.utf8, Buffer.from(name, 'utf8'));
  return sequence(setOf(sequence(oid('2.5.4.3'), value)));
}

const SECOND = 1_000_000_000n;

function validity(days: number, host: FunctionHost): Buffer {
  const now = host.now();
  return sequence(timeOf(now), timeOf(now + BigInt.asIntN(64, 86_400n * SECOND * BigInt(days))));
}

function timeOf(nanoseconds: bigint): Buffer {
  const time = GoTime.of(nanoseconds, UTC);
  const { year } = time.local.civil;
  if (year < 0 || year > 9999)
    throw certificateError('asn1: structure error: cannot represent time as GeneralizedTime');
  const isShort = year >= 1950 && year < 2050;
  return der(
    isShort ? TAG.utcTime : TAG.generalizedTime,
    Buffer.from(time.format(isShort ? '060102150405Z' : '20060102150405Z')),
  );
}

interface Algorithm {
  readonly identifier: Buffer;
  /** Undefined where the key hashes by itself. */
  readonly digest: string | undefined;
}

const CURVES: Readonly<Record<string, readonly [string, string]>> = {
  prime256v1: ['1.2.840.10045.4.3.2', 'sha256'],
  secp384r1: ['1.2.840.10045.4.3.3', 'sha384'],
  secp521r1: ['1.2.840.10045.4.3.4', 'sha512'],
};

function algorithmOf({ kind, key }: { readonly kind: 'rsa' | 'ec' | 'ed25519'; readonly key: KeyObject }): Algorithm {
  if (kind === 'rsa') return { identifier: sequence(oid('1.2.840.113549.1.1.11'), der(TAG.null)), digest: 'sha256' };
  if (kind === 'ed25519') return { identifier: sequence(oid('1.3.101.112')), digest: undefined };
  const [id, digest] = CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? [];
  if (id === undefined) throw certificateError('x509: unsupported elliptic curve');
  return { identifier: sequence(oid(id)), digest };
}

function extension(id: string, value: Uint8Array, isCritical = false): Buffer {
  return sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octets(value));
}

function extensions(subject: Subject, publicKey: Buffer, authority: Buffer | undefined): Buffer[] {
  const { isAuthority, addresses, hosts } = subject;
  const list = [
    // Digital signature and key encipherment, for an authority certificate signing as well.
    extension('2.5.29.15', isAuthority ? bits(Buffer.from([0xa4]), 2) : bits(Buffer.from([0xa0]), 5), true),
    extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2'))),
    extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), true),
  ];
  if (isAuthority)
    list.push(extension('2.5.29.14', octets(createHash('sha256').update(keyBits(publicKey)).digest().subarray(0, 20))));
  if (authority !== undefined) list.push(extension('2.5.29.35', sequence(der(0x80, authority))));
  if (hosts.length + addresses.length > 0) {
    const names = [
      ...hosts.map((host) => der(0x82, ia5(host))),
      ...addresses.map((bytes) => der(0x87, Buffer.from(shortAddress(bytes)))),
    ];
    list.push(extension('2.5.29.17', sequence(...names), subject.name === ''));
  }
  return list;
}

function ia5(host: string): Buffer {
  if (!/^[\x00-\x7f]*$/.test(host)) throw certificateError(`x509: "${host}" cannot be encoded as an IA5String`);
  return Buffer.from(host, 'latin1');
}

/** An IPv4 address that was written as IPv6 is four bytes again. */
function shortAddress(bytes: readonly number[]): readonly number[] {
  const isMapped =
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? bytes.slice(12) : bytes;
}

function keyBits(publicKey: Buffer): Buffer {
  const [info] = readDer(publicKey) ?? [];
  const [, key] = info === undefined ? [] : (readDer(info.content) ?? []);
  return key?.content.subarray(1) ?? Buffer.alloc(0);
}

/** The parts of a certificate that a signer needs; undefined where the bytes are no certificate. */
export function readCertificate(bytes: Uint8Array): Omit<Issuer, 'key'> | undefined {
  const [whole] = readDer(bytes) ?? [];
  const [content] = whole === undefined ? [] : (readDer(whole.content) ?? []);
  const fields = content === undefined ? undefined : readDer(content.content);
  if (fields === undefined) return undefined;
  const rest = fields[0]?.tag === 0xa0 ? fields.slice(1) : fields;
  const [, , , , name, publicKey] = rest;
  if (name?.tag !== TAG.sequence || publicKey?.tag !== TAG.sequence) return undefined;
  return { name: name.whole, publicKey: publicKey.whole, keyId: keyIdOf(rest.find(({ tag }) => tag === 0xa3)) };
}

function keyIdOf(node: DerNode | undefined): Buffer | undefined {
  const [list] = node === undefined ? [] : (readDer(node.content) ?? []);
  for (const { content } of list === undefined ? [] : (readDer(list.content) ?? [])) {
    const parts = readDer(content) ?? [];
    if (parts[0]?.whole.equals(oid('2.5.29.14')) === true)
      return readDer(parts.at(-1)?.content ?? Buffer.alloc(0))?.[0]?.content;
  }
  return undefined;
}
