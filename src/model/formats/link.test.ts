import { describe, expect, it } from 'vitest';
import { HOSTILE_LINKS } from '../testing/hostile-links.js';
import { addressOfLink, isHarmlessLink } from './link.js';

describe('a link', () => {
  it.each(HOSTILE_LINKS)('S15: %j is none, nor behind a title', (payload) => {
    expect([
      isHarmlessLink(payload),
      isHarmlessLink(`https://${payload}`) && !/^https:\/\//.test(`https://${payload}`),
    ]).toEqual([payload.startsWith('https://example.com/|'), false]);
    for (const text of [payload, `title|${payload}`, `${payload}|x|${payload}`]) {
      const address = addressOfLink(text);
      expect([text, address === undefined || new URL(address).protocol === 'https:']).toEqual([text, true]);
    }
  });

  it.each([
    ['https://example.com/a?b=c#d', true],
    ['http://127.0.0.1:8080', true],
    ['HTTPS://EXAMPLE.COM', true],
    ['/applications/argocd/web', true],
    ['//example.com', false],
    ['example.com', false],
    ['', false],
    ['https://', false],
    ['https://exa mple.com', false],
    ['ftp://example.com', false],
  ])('%j: %s', (link, isHarmless) => {
    expect(isHarmlessLink(link)).toBe(isHarmless);
  });

  it('has its address behind one stroke', () => {
    expect([
      addressOfLink('https://a.example.com'),
      addressOfLink('Dashboard|https://a.example.com'),
      addressOfLink('a|b|https://a.example.com'),
      addressOfLink('/path'),
    ]).toEqual(['https://a.example.com', 'https://a.example.com', undefined, undefined]);
  });
});
