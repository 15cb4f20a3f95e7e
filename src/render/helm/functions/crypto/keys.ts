import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { functionError, type TemplateError } from '../../template/template-error.js';
import type { FunctionHost } from '../host.js';
import {
  bits,
  der,
  evenHex,
  integer,
  octets,
  oid,
  readDer,
  readPem,
  sequence,
  writePem,
} from '../../../../model/formats/index.js';
import {
  greatestCommonDivisor,
  inverseModulo,
  isPrime,
  noChance,
  powerModulo,
  randomBelowBig,
  randomBits,
  randomPrime,
} from './numbers.js';

/** A private key that can sign; DSA keys are only carried through. */
export type PrivateKey =
  | { readonly kind: 'rsa' | 'ec' | 'ed25519'; readonly key: KeyObject }
  | { readonly kind: 'dsa'; readonly bytes: Buffer };

const EXPONENT = 65537n;

export function generateRsa(host: FunctionHost, size: number): PrivateKey {
  for (;;) {
    const p = randomPrime(host, size / 2);
    const q = randomPrime(host, size / 2);
    if (p === q) throw noChance();
    const common = greatestCommonDivisor(p - 1n, q - 1n);
    const d = inverseModulo(EXPONENT, ((p - 1n) * (q - 1n)) / common);
    const inverse = inverseModulo(q, p);
    if (d === undefined || inverse === undefined) continue;
    const parts = [0n, p * q, EXPONENT, d, p, q, d % (p - 1n), d % (q - 1n), inverse];
    return {
      kind: 'rsa',
      key: createPrivateKey({ key: sequence(...parts.map(integer)), format: 'der', type: 'pkcs1' }),
    };
  }
}

const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

function generateEc(host: FunctionHost): PrivateKey {
  const scalar = Buffer.from(evenHex(randomBelowBig(host, P256_ORDER), false).padStart(64, '0'), 'hex');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(scalar);
  const key = sequence(
    integer(1n),
    octets(scalar),
    der(0xa0, oid('1.2.840.10045.3.1.7')),
    der(0xa1, bits(curve.getPublicKey())),
  );
  return { kind: 'ec', key: createPrivateKey({ key, format: 'der', type: 'sec1' }) };
}

function generateEd25519(host: FunctionHost): PrivateKey {
  const key = sequence(integer(0n), sequence(oid('1.3.101.112')), octets(octets(host.random(32))));
  return { kind: 'ed25519', key: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
}

/** 2048 bits with a subgroup of 256. */
function generateDsa(host: FunctionHost): PrivateKey {
  for (;;) {
    const q = randomPrime(host, 256);
    let before: bigint | undefined;
    for (let attempt = 0; attempt < 8192; attempt++) {
      const start = randomBits(host, 2048) | (1n << 2047n) | 1n;
      if (start === before) throw noChance();
      before = start;
      const p = start - (start % (2n * q)) + 1n;
      if (p >> 2047n === 0n || !isPrime(p)) continue;
      const g = powerModulo(2n, (p - 1n) / q, p);
      if (g === 1n) continue;
      const x = randomBelowBig(host, q);
      return { kind: 'dsa', bytes: sequence(...[0n, p, q, g, powerModulo(g, x, p), x].map(integer)) };
    }
  }
}

const GENERATORS: Readonly<Record<string, (host: FunctionHost) => PrivateKey>> = {
  '': (host) => generateRsa(host, 4096),
  rsa: (host) => generateRsa(host, 4096),
  dsa: generateDsa,
  ecdsa: generateEc,
  ed25519: generateEd25519,
};

export function generatePrivateKey(kind: string, host: FunctionHost): string {
  const generate = Object.hasOwn(GENERATORS, kind) ? GENERATORS[kind] : undefined;
  return generate === undefined ? `Unknown type ${kind}` : keyPem(generate(host));
}

/** In the form that sprig writes each kind in. */
export function keyPem(key: PrivateKey): string {
  switch (key.kind) {
    case 'rsa':
      return writePem('RSA PRIVATE KEY', key.key.export({ format: 'der', type: 'pkcs1' }));
    case 'ec':
      return writePem('EC PRIVATE KEY', key.key.export({ format: 'der', type: 'sec1' }));
    case 'ed25519':
      return writePem('PRIVATE KEY', key.key.export({ format: 'der', type: 'pkcs8' }));
    case 'dsa':
      return writePem('DSA PRIVATE KEY', key.bytes);
    default:
      return key satisfies never;
  }
}

/** `wrap` puts the words in front that each function adds to what Go says. */
export function parseKey(pem: string, wrap: (problem: string) => TemplateError): PrivateKey {
  const block = readPem(pem);
  if (block === undefined) throw wrap('no PEM data in input');
  const { label, bytes } = block;
  if (label === 'PRIVATE KEY') return signer(bytes, 'pkcs8', (problem) => wrap(`decoding PEM as PKCS#8: ${problem}`));
  if (!label.endsWith(' PRIVATE KEY')) throw wrap(`no private key data in PEM block of type ${label}`);
  if (label === 'RSA PRIVATE KEY')
    return signer(bytes, 'pkcs1', (problem) => wrap(`parsing RSA private key from PEM: ${problem}`));
  if (label === 'EC PRIVATE KEY')
    return signer(bytes, 'sec1', (problem) => wrap(`parsing EC private key from PEM: ${problem}`));
  if (label !== 'DSA PRIVATE KEY') throw wrap(`invalid private key type ${label}`);
  if (readDer(bytes) === undefined) throw wrap('parsing DSA private key from PEM: asn1: syntax error: data truncated');
  return { kind: 'dsa', bytes };
}

function signer(bytes: Buffer, type: 'pkcs1' | 'pkcs8' | 'sec1', wrap: (problem: string) => TemplateError): PrivateKey {
  try {
    const key = createPrivateKey({ key: bytes, format: 'der', type });
    const kind = key.asymmetricKeyType;
    if (kind === 'rsa' || kind === 'ec' || kind === 'ed25519') return { kind, key };
    throw wrap('x509: PKCS#8 wrapping contained private key with unknown algorithm');
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw wrap("asn1: structure error: tags don't match");
    throw error;
  }
}

/** SubjectPublicKeyInfo. */
export function publicKeyOf(key: Extract<PrivateKey, { key: KeyObject }>): Buffer {
  return createPublicKey(key.key).export({ format: 'der', type: 'spki' });
}

export function failure(prefix: string): (problem: string) => TemplateError {
  return (problem) => functionError(prefix + problem);
}
