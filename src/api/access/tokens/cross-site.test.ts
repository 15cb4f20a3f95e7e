import { describe, expect, it } from 'vitest';
import { crossSiteViolation } from './cross-site.js';

const host = 'argocd.example.com';

describe('a write request with a cookie', () => {
  it.each([
    [{ 'sec-fetch-site': 'same-origin' }],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://argocd.example.com' }],
    [{ origin: 'https://argocd.example.com' }],
    [{ origin: 'http://argocd.example.com' }],
    [{ origin: 'https://other.example.com' }],
  ])('is taken with %j', (headers) => {
    expect(crossSiteViolation('POST', { host, ...headers }, ['other.example.com'])).toBeUndefined();
  });

  it.each([
    [{}],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site', origin: 'https://argocd.example.com' }],
    [{ 'sec-fetch-site': 'none' }],
    [{ origin: 'null' }],
    [{ origin: 'https://evil.example.com' }],
    [{ origin: 'https://sub.argocd.example.com' }],
    [{ origin: 'https://argocd.example.com.evil.org' }],
    [{ origin: 'https://argocd.example.com:8443' }],
    [{ origin: 'javascript://argocd.example.com' }],
    [{ origin: '' }],
  ])('is refused with %j', (headers) => {
    expect(crossSiteViolation('DELETE', { host, ...headers }, [])).toBeTypeOf('string');
  });

  it.each(['GET', 'HEAD'])('%s changes nothing', (method) => {
    expect(crossSiteViolation(method, { host }, [])).toBeUndefined();
  });
});
