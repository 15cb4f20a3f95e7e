import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as names from './names.js';

const load = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, 'cases', name), 'utf8'));

// Recorded from apimachinery v0.34.4: for each value, the numbers of the messages each rule gives.
const MESSAGES = (load('name-messages.json') as { message: string }[]).map(({ message }) => message);
const CASES = load('names.json') as ({ value: string } & Record<string, number[]>)[];

const RULES: Record<string, (value: string) => string[]> = {
  dns1123Label: names.checkDns1123Label,
  dns1123Subdomain: names.checkDns1123Subdomain,
  dns1035Label: names.checkDns1035Label,
  wildcard: names.checkWildcardDns1123Subdomain,
  qualifiedName: names.checkQualifiedName,
  labelValue: names.checkLabelValue,
  pathSegment: (value) => names.checkObjectName(value, 'path'),
  pathSegmentPrefix: (value) => names.checkPathSegmentName(value, true),
  configMapKey: names.checkConfigMapKey,
  portName: names.checkPortName,
  percent: names.checkPercent,
  httpHeaderName: names.checkHttpHeaderName,
  subdomainPrefix: (value) => names.checkObjectName(value, 'subdomain', true),
  labelPrefix: (value) => names.checkObjectName(value, 'label', true),
  label1035Prefix: (value) => names.checkObjectName(value, 'label1035', true),
  annotationKey: names.checkAnnotationKey,
};

it.each(CASES)('$value is judged as the API server judges it', (given) => {
  for (const [rule, check] of Object.entries(RULES)) {
    expect(check(given.value), rule).toEqual((given[rule] ?? []).map((id) => MESSAGES[id]));
  }
});

describe('limits', () => {
  it('counts annotations in bytes of UTF-8', () => {
    expect(names.annotationsSize({ a: 'b', é: '😀' })).toBe(8);
    expect(names.ANNOTATIONS_SIZE_LIMIT).toBe(262_144);
  });

  it('counts bytes as an encoder does', () => {
    for (const text of ['', 'abc', 'é', '\u0800', '\uffff', '😀', 'a😀é\uffee']) {
      expect(names.utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }
  });

  it('refuses port numbers out of range', () => {
    expect(names.checkPortNumber(0)).toEqual(['must be between 1 and 65535, inclusive']);
    expect(names.checkPortNumber(65_535)).toEqual([]);
  });

  it('answers at once for long hostile names', () => {
    for (const text of ['a'.repeat(50_000), `${'a-'.repeat(25_000)}!`, `${'a.'.repeat(25_000)}!`, '-'.repeat(50_000)]) {
      for (const check of Object.values(RULES)) check(text);
    }
  });
});
