import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/index.js';
import { hasManySources, sourceFieldsOf, sourcesOf } from './sources.js';

const ONE = { repoURL: 'https://git.example/one' };
const TWO = { repoURL: 'https://git.example/two' };
const HYDRATOR = { drySource: { repoURL: 'https://git.example/dry' }, syncSource: { targetBranch: 'env', path: 'a' } };

const ROWS: readonly (readonly [string, JsonObject, readonly string[]])[] = [
  ['source alone', { source: ONE }, ['spec.source']],
  ['an empty list of sources beside source', { sources: [], source: ONE }, ['spec.source']],
  ['sources before source', { sources: [ONE, TWO], source: TWO }, ['spec.sources.0', 'spec.sources.1']],
  ['a sourceHydrator before both', { sourceHydrator: HYDRATOR, sources: [ONE] }, ['spec.sourceHydrator.syncSource']],
  ['sources that are no objects are skipped', { sources: ['x', ONE] }, ['spec.sources.1']],
  ['nothing', {}, []],
];

describe('sources of an Application', () => {
  it.each(ROWS)('%s', (_, spec, fields) => {
    expect(sourceFieldsOf({ spec }).map(({ path }) => path.join('.'))).toEqual(fields);
    expect(hasManySources({ spec })).toBe(fields[0]?.startsWith('spec.sources.') === true);
  });

  it('a hydrator delivers from the branch that it writes to, in the repository of the dry source', () => {
    expect(sourcesOf({ spec: { sourceHydrator: HYDRATOR } })).toEqual([
      { repoURL: 'https://git.example/dry', path: 'a', targetRevision: 'env' },
    ]);
  });

  it('an object without spec has none', () => {
    expect(sourcesOf(undefined)).toEqual([]);
  });
});
