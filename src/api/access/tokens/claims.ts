import { isArray, isObject, own, type JsonObject } from '../../../model/json/index.js';

/** What a token says of who holds it. */
export type Claims = JsonObject;

/** Who signed a token of ours. */
export const OUR_ISSUER = 'argocd';

export function textClaim(claims: Claims, name: string): string {
  const value = own(claims, name);
  return typeof value === 'string' ? value : '';
}

/** Seconds since 1970; undefined where the claim is absent or no number. */
export function timeClaim(claims: Claims, name: string): number | undefined {
  const value = own(claims, name);
  return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : undefined;
}

/** The name that rights are given to: `sub`, or the user behind it where Dex stands between. */
export function userOf(claims: Claims): string {
  const federated = own(claims, 'federated_claims');
  const user = isObject(federated) ? textClaim(federated, 'user_id') : '';
  return user === '' ? textClaim(claims, 'sub') : user;
}

/** What people are called: the address where a provider gives one. */
export function userNameOf(claims: Claims): string {
  const email = textClaim(claims, 'iss') === OUR_ISSUER ? '' : textClaim(claims, 'email');
  return email === '' ? userOf(claims) : email;
}

/** The values of the claims that `scopes` names: a text, or the texts of a list. */
export function groupsOf(claims: Claims, scopes: readonly string[]): string[] {
  return scopes.flatMap((scope) => {
    const value = own(claims, scope);
    if (typeof value === 'string') return [value];
    return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  });
}
