import { describe, expect, it } from 'vitest';
import { clearTokenCookies, readCookies, tokenCookies, tokenInCookies } from './cookies.js';

const sent = (headers: readonly string[]): string => headers.map((header) => header.split(';')[0]).join('; ');

describe('the cookie of a session', () => {
  it.each([1, 4000, 4093, 9000, 70_000])('carries a token of %i characters', (length) => {
    const token = Array.from({ length }, (_, index) => 'abcdefghij'[index % 10]).join('');
    const headers = tokenCookies(token, { isSecure: true }) ?? [];
    expect(headers.every((header) => header.length <= 4096)).toBe(true);
    expect(tokenInCookies(readCookies(`other=1; ${sent(headers)}`))).toBe(token);
  });

  it('is rejected if no browser would store it', () => {
    expect(tokenCookies('x'.repeat(90_000), { isSecure: false })).toBeUndefined();
  });

  it('is for this server only, and Secure if TLS is used', () => {
    expect(tokenCookies('t', { isSecure: false })).toEqual(['argocd.token=t; path=/; SameSite=lax; httpOnly']);
    expect(tokenCookies('t', { isSecure: true })).toEqual(['argocd.token=t; path=/; SameSite=lax; httpOnly; Secure']);
  });

  it('is cleared with all its parts', () => {
    expect(
      sent(
        clearTokenCookies(readCookies('argocd.token=2:a; argocd.token-1=b; argocd.tokenx=c; argocd.token-x=d'), {
          isSecure: false,
        }),
      ),
    ).toBe('argocd.token=; argocd.token-1=');
  });

  it.each([
    ['', undefined],
    ['a=b', undefined],
    ['argocd.token=', undefined],
    ['argocd.token=a:b', 'a:b'],
    ['argocd.token=99:a', 'a'],
    ['argocd.token="q"', 'q'],
    ['argocd.token=1; argocd.token=2', '1'],
  ])('%j holds %j', (header, token) => {
    expect(tokenInCookies(readCookies(header))).toBe(token);
  });
});
