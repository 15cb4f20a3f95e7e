import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { isIP } from 'node:net';
import {
  TAG,
  bits,
  boolean,
  der,
  integer,
  octets,
  oid,
  sequence,
  setOf,
  tagged,
  utf8,
  writePem,
} from '../formats/index.js';

/** A certificate and its private key, both PEM. */
export interface KeyedCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly use: 'authority' | 'server' | 'client';
  /** DNS names and IP addresses of a server certificate. */
  readonly hosts?: readonly string[];
  readonly notBefore: Date;
  readonly days: number;
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const OIDS = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  subjectAltName: '2.5.29.17',
  subjectKeyId: '2.5.29.14',
  authorityKeyId: '2.5.29.35',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
};
const KEY_USAGE = { authority: [0x06, 1], server: [0x80, 7], client: [0x80, 7] } as const;

/** Issues an EC P-256 certificate, signed by `authority` or, without one, by itself. */
export function issueCertificate(
  request: CertificateRequest,
  authority?: KeyedCertificate & { readonly commonName: string },
): KeyedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const signer = authority ? createPrivateKey(authority.key) : privateKey;
  const signerPublic = authority ? createPublicKey(authority.key) : publicKey;
  const body = sequence(
    tagged(0, true, integer(2n)), // version 3
    integer(BigInt(`0x${randomBytes(16).toString('hex')}`)),
    ECDSA_SHA256,
    distinguishedName(authority?.commonName ?? request.commonName, authority ? [] : (request.organizations ?? [])),
    sequence(time(request.notBefore), time(new Date(request.notBefore.getTime() + request.days * 86_400_000))),
    distinguishedName(request.commonName, request.organizations ?? []),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, true, sequence(...extensions(request, publicKey, signerPublic))),
  );
  const certificate = sequence(body, ECDSA_SHA256, bits(sign('sha256', body, signer)));
  return {
    certificate: writePem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const part = (type: string, text: string): Buffer => setOf(sequence(oid(type), utf8(text)));
  return sequence(...organizations.map((text) => part(OIDS.organization, text)), part(OIDS.commonName, commonName));
}

function extensions({ use, hosts = [] }: CertificateRequest, key: KeyObject, signer: KeyObject): Buffer[] {
  const extension = (type: string, value: Buffer, critical = false): Buffer =>
    sequence(oid(type), ...(critical ? [boolean(true)] : []), octets(value));
  const [usage, unused] = KEY_USAGE[use];
  const list = [
    extension(OIDS.basicConstraints, sequence(...(use === 'authority' ? [boolean(true)] : [])), true),
    extension(OIDS.keyUsage, bits(Buffer.from([usage]), unused), true),
    extension(OIDS.subjectKeyId, octets(keyId(key))),
    extension(OIDS.authorityKeyId, sequence(tagged(0, false, keyId(signer)))),
  ];
  if (use !== 'authority')
    list.push(extension(OIDS.extendedKeyUsage, sequence(oid(use === 'server' ? OIDS.serverAuth : OIDS.clientAuth))));
  if (hosts.length > 0) list.push(extension(OIDS.subjectAltName, sequence(...hosts.map(hostName))));
  return list;
}

function hostName(host: string): Buffer {
  if (isIP(host) === 4) return tagged(7, false, Buffer.from(host.split('.').map(Number)));
  if (isIP(host) === 6) return tagged(7, false, ipv6Bytes(host));
  return tagged(2, false, Buffer.from(host));
}

function ipv6Bytes(host: string): Buffer {
  const [head = '', tail] = host.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const all = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return Buffer.from(all.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]));
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }).subarray(26))
    .digest();
}

/** UTCTime up to 2049, GeneralizedTime after, as RFC 5280 wants. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return date.getUTCFullYear() < 2050
    ? der(TAG.utcTime, Buffer.from(`${digits.slice(2)}Z`))
    : der(TAG.generalizedTime, Buffer.from(`${digits}Z`));
}
