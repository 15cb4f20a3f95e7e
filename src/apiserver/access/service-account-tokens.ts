import { createPrivateKey, createPublicKey, randomUUID, sign, verify, type KeyObject } from 'node:crypto';
import { isObject, own, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { User } from './user.js';

export const ISSUER = 'https://kubernetes.default.svc.cluster.local';
/** Of tokens that live in Secrets, which have no end of their own. */
const SECRET_ISSUER = 'kubernetes/serviceaccount';
const CLAIM = 'kubernetes.io/serviceaccount/';
const ALGORITHM = 'ES256';

export interface TokenClaims {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly pod?: { readonly name: string; readonly uid: string };
}

/**
 * Issues and checks service-account tokens. One algorithm and one key, both ours: a token that names another algorithm
 * is rejected before its signature is checked.
 */
export class ServiceAccountTokens {
  readonly #private: KeyObject;
  readonly #public: KeyObject;

  constructor(
    keyPem: string,
    readonly now: () => Date,
    readonly lookUp: (
      plural: 'serviceaccounts' | 'secrets' | 'pods',
      namespace: string,
      name: string,
    ) => KubeObject | undefined,
  ) {
    this.#private = createPrivateKey(keyPem);
    this.#public = createPublicKey(keyPem);
  }

  issue(claims: TokenClaims, seconds: number): { token: string; expires: Date } {
    const issued = Math.floor(this.now().getTime() / 1000);
    const { namespace, name, uid, pod } = claims;
    const payload = {
      aud: claims.audiences,
      exp: issued + seconds,
      iat: issued,
      iss: ISSUER,
      jti: randomUUID(),
      nbf: issued,
      sub: `system:serviceaccount:${namespace}:${name}`,
      'kubernetes.io': { namespace, serviceaccount: { name, uid }, ...(pod ? { pod } : {}) },
    };
    return { token: this.#signed(payload), expires: new Date((issued + seconds) * 1000) };
  }

  /** A token for a Secret: good for as long as the Secret holds it. */
  issueForSecret({
    namespace,
    name,
    uid,
    secret,
  }: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly secret: string;
  }): string {
    return this.#signed({
      iss: SECRET_ISSUER,
      [`${CLAIM}namespace`]: namespace,
      [`${CLAIM}secret.name`]: secret,
      [`${CLAIM}service-account.name`]: name,
      [`${CLAIM}service-account.uid`]: uid,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  }

  #signed(payload: object): string {
    const head = `${encode({ alg: ALGORITHM, typ: 'JWT' })}.${encode(payload)}`;
    const signature = sign('sha256', Buffer.from(head), { key: this.#private, dsaEncoding: 'ieee-p1363' });
    return `${head}.${signature.toString('base64url')}`;
  }

  /**
   * The user of a valid token; undefined for one that is forged, expired, for someone else, or whose account is gone.
   */
  check(token: string, audiences: readonly string[] = [ISSUER]): { user: User; audiences: string[] } | undefined {
    const claims = this.#signedClaims(token);
    if (!claims) return undefined;
    if (own(claims, 'iss') === SECRET_ISSUER) return this.#checkSecret(token, claims, audiences);
    const accepted = listOf(own(claims, 'aud')).filter((audience) => audiences.includes(audience));
    const account = identity(claims);
    const seconds = this.now().getTime() / 1000;
    if (own(claims, 'iss') !== ISSUER || accepted.length === 0 || !account) return undefined;
    // We issue no token for later, so `nbf` in the future only says that the clock was set back since.
    if (Number(own(claims, 'exp') ?? 0) <= seconds) return undefined;
    if (this.lookUp('serviceaccounts', account.namespace, account.name)?.metadata.uid !== account.uid) return undefined;
    if (!this.#isPodThere(claims, account.namespace)) return undefined;
    return { user: userOf(account, String(own(claims, 'jti') ?? '')), audiences: accepted };
  }

  /** A token that belongs to a pod ends with that very pod. */
  #isPodThere(claims: JsonObject, namespace: string): boolean {
    const kubernetes = own(claims, 'kubernetes.io');
    const pod = isObject(kubernetes) ? own(kubernetes, 'pod') : undefined;
    if (pod === undefined) return true;
    if (!isObject(pod)) return false;
    return this.lookUp('pods', namespace, String(own(pod, 'name')))?.metadata.uid === own(pod, 'uid');
  }

  #checkSecret(
    token: string,
    claims: JsonObject,
    audiences: readonly string[],
  ): { user: User; audiences: string[] } | undefined {
    const part = (name: string): string => String(own(claims, `${CLAIM}${name}`) ?? '');
    const account = {
      namespace: part('namespace'),
      name: part('service-account.name'),
      uid: part('service-account.uid'),
    };
    const secret = this.lookUp('secrets', account.namespace, part('secret.name'));
    const data =
      secret === undefined || secret.metadata.deletionTimestamp !== undefined ? undefined : own(secret, 'data');
    const held = isObject(data) ? own(data, 'token') : undefined;
    if (
      !audiences.includes(ISSUER) ||
      typeof held !== 'string' ||
      Buffer.from(held, 'base64').toString('utf8') !== token
    )
      return undefined;
    if (this.lookUp('serviceaccounts', account.namespace, account.name)?.metadata.uid !== account.uid) return undefined;
    return { user: { ...userOf(account, ''), extra: {} }, audiences: [ISSUER] };
  }

  #signedClaims(token: string): JsonObject | undefined {
    const [head = '', payload = '', signature = '', ...more] = token.split('.');
    const header = decode(head);
    if (more.length > 0 || !header || own(header, 'alg') !== ALGORITHM) return undefined;
    const valid = verify(
      'sha256',
      Buffer.from(`${head}.${payload}`),
      { key: this.#public, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    return valid ? decode(payload) : undefined;
  }
}

function identity(claims: JsonObject): { namespace: string; name: string; uid: string } | undefined {
  const kubernetes = own(claims, 'kubernetes.io');
  const account = isObject(kubernetes) ? own(kubernetes, 'serviceaccount') : undefined;
  if (!isObject(kubernetes) || !isObject(account)) return undefined;
  return {
    namespace: String(own(kubernetes, 'namespace')),
    name: String(own(account, 'name')),
    uid: String(own(account, 'uid')),
  };
}

function userOf({ namespace, name, uid }: { namespace: string; name: string; uid: string }, tokenId: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${tokenId}`] },
  };
}

function listOf(value: JsonObject[string]): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not a token of ours
  }
}
