import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../faults/fault.js';
import { parseFieldSelector } from './field-selector.js';
import type { JsonObject } from '../json/json.js';
import {
  EVERYTHING,
  labelSelectorFromMap,
  labelSelectorOf,
  labelSelectorText,
  matchesLabels,
  NOTHING,
  parseLabelSelector,
} from './selector.js';

const load = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, 'cases', name), 'utf8'));

interface LabelCase {
  selector?: string;
  object?: JsonObject;
  error?: string;
  text?: string;
  on?: { labels: Record<string, string>; matches: boolean }[];
}

interface FieldCase {
  selector: string;
  error?: string;
  text?: string;
  requirements?: object[];
}

// Both tables are recorded from apimachinery v0.34.4.
const LABEL_CASES = load('label-selectors.json') as LabelCase[];
const FIELD_CASES = load('field-selectors.json') as FieldCase[];

describe('label selectors', () => {
  it.each(LABEL_CASES.map((given) => ({ ...given, title: given.selector ?? JSON.stringify(given.object) })))(
    '$title',
    (given) => {
      const read = () =>
        given.selector === undefined ? labelSelectorOf(given.object) : parseLabelSelector(given.selector);
      if (given.error !== undefined) {
        expect(read).toThrow(new Fault('VALUE_INVALID', given.error));
        return;
      }
      const selector = read();
      expect(labelSelectorText(selector)).toBe(given.text);
      expect(labelSelectorText(parseLabelSelector(labelSelectorText(selector)))).toBe(given.text);
      for (const { labels, matches } of given.on ?? [])
        expect(matchesLabels(selector, labels), JSON.stringify(labels)).toBe(matches);
    },
  );

  it('that are missing match nothing, and empty ones everything', () => {
    expect(labelSelectorOf(undefined)).toBe(NOTHING);
    expect(matchesLabels(NOTHING, {})).toBe(false);
    expect(matchesLabels(EVERYTHING, undefined)).toBe(true);
  });

  it('made from a map ask for each of its labels', () => {
    expect(labelSelectorText(labelSelectorFromMap({ b: '2', a: '1' }))).toBe('a=1,b=2');
  });

  it('never see labels that an object only inherits', () => {
    expect(matchesLabels(parseLabelSelector('constructor'), {})).toBe(false);
    expect(matchesLabels(parseLabelSelector('!toString'), {})).toBe(true);
  });
});

describe('field selectors', () => {
  it.each(FIELD_CASES)('$selector', (given) => {
    if (given.error !== undefined) {
      expect(() => parseFieldSelector(given.selector)).toThrow(new Fault('VALUE_INVALID', given.error));
      return;
    }
    expect(parseFieldSelector(given.selector)).toEqual(given.requirements);
  });
});
