import { describe, expect, it } from 'vitest';
import { compareSemver, parseSemver, semverText } from './semver.js';
import { findRangeViolations, parseSemverRange, satisfies } from './semver-range.js';

describe('versions', () => {
  it.each([
    ['v1.2', '1.2.0'],
    ['1', '1.0.0'],
    ['1.2.3-rc.1+b.2', '1.2.3-rc.1+b.2'],
    ['01.02', '1.2.0'],
  ])('reads %s', (text, full) => {
    expect(semverText(parseSemver(text))).toBe(full);
  });

  it.each([
    '',
    'x',
    '1.2.3.4',
    '1.2.3-',
    '1.2.3-a..b',
    '1.2.3-01',
    '1.2.3+',
    '99999999999999999999.0.0',
    `1.0.0-${'a'.repeat(300)}`,
  ])('refuses %j', (text) => {
    expect(() => parseSemver(text)).toThrow();
  });

  it('orders releases after their prereleases, and numbers before words', () => {
    const sorted = ['1.0.0-1', '1.0.0-a', '1.0.0-a.1', '1.0.0-a.b', '1.0.0-b', '1.0.0', '1.0.1', '1.10.0', '2.0.0'];
    expect([...sorted].reverse().sort((a, b) => compareSemver(parseSemver(a), parseSemver(b)))).toEqual(sorted);
  });
});

describe('ranges', () => {
  it.each([
    ['1.2.x', '1.2.9', true],
    ['1.2.x', '1.3.0', false],
    ['*', '9.9.9', true],
    ['*', '1.0.0-rc', false],
    ['>0.0.0-0', '1.0.0-rc', true],
    ['^1.2.3', '1.9.0', true],
    ['^1.2.3', '2.0.0', false],
    ['^0.2.3', '0.2.9', true],
    ['^0.2.3', '0.3.0', false],
    ['^0.0.3', '0.0.4', false],
    ['~1.2.3', '1.2.9', true],
    ['~1', '1.9.9', true],
    ['~1.2', '1.3.0', false],
    ['1.2 - 1.4.5', '1.4.5', true],
    ['1.2 - 1.4.5', '1.4.6', false],
    ['>=1.2 <2', '1.5.0', true],
    ['>=1.2, <2', '2.0.0', false],
    ['1.x || 3.x', '3.1.0', true],
    ['!=1.2.x', '1.2.3', false],
    ['!=1.2.x', '1.3.0', true],
    ['>1.2', '1.2.9', false],
    ['>1.2', '1.3.0', true],
    ['<=1.2', '1.2.9', true],
    ['=1.2.3', 'v1.2.3', true],
    ['>= 1.25.0-0', '1.34.4', true],
    ['~0', '0.9.0', true],
  ])('%s and %s: %s', (range, version, expected) => {
    expect(satisfies(parseSemver(version), parseSemverRange(range))).toBe(expected);
    expect(findRangeViolations(parseSemver(version), parseSemverRange(range)).length === 0).toBe(expected);
  });

  it.each(['foo', '>>1', '1.2.3.4', '', ' '.repeat(600), `1${'||1'.repeat(40)}`])('refuses %j', (text) => {
    expect(() => parseSemverRange(text)).toThrow();
  });

  it('stays fast on text made to be slow', () => {
    const before = performance.now();
    expect(() => parseSemverRange(`${'1 '.repeat(250)}!`)).toThrow();
    expect(performance.now() - before).toBeLessThan(200);
  });
});
