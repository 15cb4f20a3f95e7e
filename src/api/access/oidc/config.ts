import { isArray, isObject, own, put, type Json, type JsonObject } from '../../../model/json/index.js';
import { parseDuration } from '../../../model/formats/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';

/** `oidc.config` of argocd-cm, with what it refers to. */
export interface OidcConfig {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The client that `argosy login --sso` uses; empty for the same. */
  readonly cliClientId: string;
  readonly scopes: readonly string[];
  /** `claims` of the request, as the provider wants them; undefined for none. */
  readonly idTokenClaims: JsonObject | undefined;
  /** With `{{token}}` and `{{logoutRedirectURL}}`; empty: only our own session ends. */
  readonly logoutUrl: string;
  /** PEM; empty for the authorities of this machine. */
  readonly rootCA: string;
  /** Whose tokens are taken. */
  readonly audiences: readonly string[];
  readonly skipsAudienceWhereNone: boolean;
  readonly domainHint: string;
  /** Seconds before the end of an ID token from which on it is renewed; 0 for never. */
  readonly refreshThreshold: number;
  /** Where groups are read from the provider's user info; undefined where the ID token has them. */
  readonly userInfo: UserInfoConfig | undefined;
}

export interface UserInfoConfig {
  /** Below the issuer; empty for the endpoint that the provider names. */
  readonly path: string;
  /** Seconds for which groups are taken as they were read; 0 for as long as the ID token is valid. */
  readonly cacheSeconds: number;
}

/** Looks a reference up: `key` of argocd-secret, or `secret:key` of another Secret of Argo CD. */
export type FindSecret = (reference: string) => string | undefined;

export type OidcSettings = { readonly config: OidcConfig } | { readonly problem: string } | undefined;

/** Where `refreshTokenThreshold` says nothing: short enough for tokens of a few minutes. */
const DEFAULT_THRESHOLD = 30;
const DEFAULT_SCOPES: readonly string[] = ['openid', 'profile', 'email', 'groups'];

/** Undefined where nobody configured it. A problem names the field, never its value. */
export function readOidcConfig(text: string, findSecret: FindSecret): OidcSettings {
  if (text.trim() === '') return undefined;
  let value: Json;
  try {
    value = readOneYaml(text, { dialect: 'kubernetes', file: 'argocd-cm oidc.config' });
  } catch {
    // The text may hold a secret, so the parse error is not passed on.
    return { problem: 'oidc.config of argocd-cm is not YAML' };
  }
  if (!isObject(value)) return { problem: 'oidc.config of argocd-cm is not an object' };
  const missing: string[] = [];
  const resolved = resolve(value, findSecret, missing) as JsonObject;
  if (missing.length > 0)
    return { problem: `oidc.config of argocd-cm refers to ${missing.join(', ')}, which no Secret of Argo CD has` };
  const invalid = ['refreshTokenThreshold', 'userInfoCacheExpiration'].find(
    (key) => secondsOf(own(resolved, key)) === 'invalid',
  );
  if (invalid !== undefined) return { problem: `${invalid} in oidc.config of argocd-cm is not a duration such as 5m` };
  const path = own(resolved, 'userInfoPath') ?? '';
  if (typeof path !== 'string' || !/^(?:\/[^?#\\\s]*)?$/.test(path.trim()))
    return { problem: 'userInfoPath in oidc.config of argocd-cm is not a path such as /userinfo' };
  const config = configOf(resolved);
  if (config.issuer === '') return { problem: 'oidc.config of argocd-cm has no issuer' };
  if (config.clientId === '') return { problem: 'oidc.config of argocd-cm has no clientID' };
  return isTrustworthy(config.issuer)
    ? { config }
    : { problem: 'issuer in oidc.config of argocd-cm must be an https address; http is for loopback only' };
}

function configOf(value: JsonObject): OidcConfig {
  const textOf = (key: string): string => {
    const found = own(value, key);
    return typeof found === 'string' ? found.trim() : '';
  };
  const seconds = (key: string, fallback: number): number => {
    const found = secondsOf(own(value, key));
    return typeof found === 'number' ? found : fallback;
  };
  const [clientId, cliClientId] = [textOf('clientID'), textOf('cliClientID')];
  const scopes = textsOf(own(value, 'requestedScopes'));
  const audiences = textsOf(own(value, 'allowedAudiences'));
  const claims = own(value, 'requestedIDTokenClaims');
  return {
    name: textOf('name') || 'SSO',
    issuer: textOf('issuer'),
    clientId,
    clientSecret: textOf('clientSecret'),
    cliClientId,
    scopes: scopes.length === 0 ? DEFAULT_SCOPES : scopes,
    idTokenClaims: isObject(claims) && Object.keys(claims).length > 0 ? claims : undefined,
    logoutUrl: textOf('logoutURL'),
    rootCA: textOf('rootCA'),
    audiences: audiences.length > 0 ? audiences : [clientId, cliClientId].filter((each) => each !== ''),
    skipsAudienceWhereNone: own(value, 'skipAudienceCheckWhenTokenHasNoAudience') === true,
    domainHint: textOf('domainHint'),
    refreshThreshold: seconds('refreshTokenThreshold', DEFAULT_THRESHOLD),
    userInfo:
      own(value, 'enableUserInfoGroups') === true
        ? { path: textOf('userInfoPath'), cacheSeconds: seconds('userInfoCacheExpiration', 0) }
        : undefined,
  };
}

/** Undefined for nothing. */
function secondsOf(value: Json | undefined): number | undefined | 'invalid' {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') return 'invalid';
  try {
    const seconds = Number(parseDuration(typeof value === 'number' ? String(value) : value) / 1_000_000_000n);
    return seconds < 0 ? 'invalid' : seconds;
  } catch {
    // Reported with the name of the field.
    return 'invalid';
  }
}

function textsOf(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/**
 * Every text that begins with `$` stands for what a Secret has; looked up anew each time, so a rotated secret counts at
 * once.
 */
function resolve(value: Json, findSecret: FindSecret, missing: string[]): Json {
  if (typeof value === 'string') {
    if (!value.startsWith('$')) return value;
    const found = findSecret(value.slice(1).trim());
    if (found === undefined) missing.push(value);
    return found?.trim() ?? '';
  }
  if (isArray(value)) return value.map((item) => resolve(item, findSecret, missing));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) put(copy, key, resolve(own(value, key) ?? null, findSecret, missing));
  return copy;
}

/** Encrypted, or on this machine. */
export function isTrustworthy(address: string): boolean {
  try {
    const { protocol, hostname, username, password } = new URL(address);
    if (username !== '' || password !== '') return false;
    return (
      protocol === 'https:' ||
      (protocol === 'http:' &&
        (['localhost', '127.0.0.1', '[::1]'].includes(hostname) || hostname.endsWith('.localhost')))
    );
  } catch {
    // No address at all.
    return false;
  }
}
