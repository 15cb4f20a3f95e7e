import type { CallContext, GoFunctions } from '../template/value/go-function.js';
import { fromBytes } from '../template/value/go-text.js';
import { INT, LIST, STRING, type GoType } from '../template/value/go-type.js';
import { functionError, type TemplateError } from '../template/template-error.js';
import { GoStruct, type GoValue } from '../template/value/go-value.js';
import { createCertificate, readCertificate, type Issuer, type KeyPair, type Subject } from './crypto/certificate.js';
import { readPem } from '../../../model/formats/index.js';
import { failure, generateRsa, parseKey, type PrivateKey } from './crypto/keys.js';
import { define, type Arguments } from './define.js';
import { decodeBase64 } from './encoding.js';
import { hostOf } from './host.js';
import { parseIp } from './network/ip-address.js';
import { displayText } from './text.js';

const CERTIFICATE: GoType = {
  name: 'sprig.certificate',
  kind: 'struct',
  fields: [
    { name: 'Cert', type: STRING },
    { name: 'Key', type: STRING },
  ],
};

function certificate({ certificate: cert, key }: KeyPair): GoStruct {
  return new GoStruct(CERTIFICATE, { Cert: cert, Key: key });
}

function addressOf(value: GoValue): readonly number[] {
  if (typeof value !== 'string') throw functionError(`error parsing ip: ${displayText(value)} is not a string`);
  const address = value.includes('%') ? undefined : parseIp(value);
  if (address === undefined || 'problem' in address) throw functionError(`error parsing ip: ${value}`);
  return address.bytes;
}

function hostNameOf(value: GoValue): string {
  if (typeof value !== 'string')
    throw functionError(`error processing alternate dns name: ${displayText(value)} is not a string`);
  return value;
}

/** Arguments name, addresses, hosts, days. */
function subjectOf(args: Arguments): Subject {
  return {
    name: args.text(0),
    addresses: args.items(1).map(addressOf),
    hosts: args.items(2).map(hostNameOf),
    days: args.count(3),
    isAuthority: false,
  };
}

function authorityOf(args: Arguments): Subject {
  return { name: args.text(0), addresses: [], hosts: [], days: args.count(1), isAuthority: true };
}

/** Finding primes costs about this many steps. */
const KEY_COST = 200_000;

function newKey(context: CallContext): PrivateKey {
  context.charge(KEY_COST);
  return generateRsa(hostOf(context), 2048);
}

function givenKey(pem: string): PrivateKey {
  return parseKey(pem, failure('parsing private key: '));
}

function issuerOf(value: GoValue): Issuer {
  const fields = value instanceof GoStruct ? value.fields : {};
  const block = readPem(textField(fields['Cert']));
  if (block === undefined) throw functionError('unable to decode certificate');
  const found = readCertificate(block.bytes);
  if (found === undefined)
    throw functionError('error parsing certificate: decodedSignerCert.Bytes: x509: malformed certificate');
  return { ...found, key: parseKey(textField(fields['Key']), failure('error parsing private key: ')) };
}

function textField(value: GoValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The issuer is read before the new certificate's own arguments are looked at. */
function signed(args: Arguments, key: () => PrivateKey, context: CallContext): GoStruct {
  const issuer = issuerOf(args.any(4));
  return certificate(createCertificate(subjectOf(args), key(), issuer, hostOf(context)));
}

function selfSigned(subject: Subject, key: PrivateKey, context: CallContext): GoStruct {
  return certificate(createCertificate(subject, key, undefined, hostOf(context)));
}

function decoded(text: string, failed: TemplateError): string {
  const found = decodeBase64(text);
  if (!('bytes' in found)) throw failed;
  return fromBytes(found.bytes);
}

function customCertificate(encodedCertificate: string, encodedKey: string): GoStruct {
  const cert = decoded(encodedCertificate, functionError('unable to decode base64 certificate'));
  const key = decoded(encodedKey, functionError('unable to decode base64 private key'));
  const block = readPem(cert);
  if (block === undefined) throw functionError('unable to decode certificate');
  if (readCertificate(block.bytes) === undefined)
    throw functionError('error parsing certificate: decodedCert.Bytes: x509: malformed certificate');
  parseKey(key, failure('error parsing private key: '));
  return certificate({ certificate: cert, key });
}

export const CERTIFICATES: GoFunctions = {
  buildCustomCert: define([STRING, STRING], CERTIFICATE, (args) => customCertificate(args.text(0), args.text(1))),
  genCA: define([STRING, INT], CERTIFICATE, (args, context) => selfSigned(authorityOf(args), newKey(context), context)),
  genCAWithKey: define([STRING, INT, STRING], CERTIFICATE, (args, context) =>
    selfSigned(authorityOf(args), givenKey(args.text(2)), context),
  ),
  genSelfSignedCert: define([STRING, LIST, LIST, INT], CERTIFICATE, (args, context) =>
    selfSigned(subjectOf(args), newKey(context), context),
  ),
  genSelfSignedCertWithKey: define([STRING, LIST, LIST, INT, STRING], CERTIFICATE, (args, context) => {
    const key = givenKey(args.text(4));
    return selfSigned(subjectOf(args), key, context);
  }),
  genSignedCert: define([STRING, LIST, LIST, INT, CERTIFICATE], CERTIFICATE, (args, context) =>
    signed(args, () => newKey(context), context),
  ),
  genSignedCertWithKey: define([STRING, LIST, LIST, INT, CERTIFICATE, STRING], CERTIFICATE, (args, context) => {
    const key = givenKey(args.text(5));
    return signed(args, () => key, context);
  }),
};
