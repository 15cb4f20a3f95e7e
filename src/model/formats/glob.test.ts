import { describe, expect, it } from 'vitest';
import { matchesGlob } from './glob.js';

const FITS: readonly [pattern: string, text: string, fits: boolean, separators?: string][] = [
  ['*/*', 'apps/Deployment', true],
  ['*/*', 'Pod', false],
  ['*.crossplane.io/*', 'iam.aws.crossplane.io/Role', true],
  ['argoproj.io/Ro*', 'argoproj.io/Rollout', true],
  ['argoproj.io/?ollout', 'argoproj.io/Rollout', true],
  ['{apps,batch}/*', 'batch/Job', true],
  ['{apps,batch}/*', 'policy/PodDisruptionBudget', false],
  ['[a-c]pps/*', 'apps/Deployment', true],
  ['[!a]pps/*', 'apps/Deployment', false],
  ['a\\*b', 'a*b', true],
  ['a\\*b', 'axb', false],
  ['*', 'a/b', false, '/'],
  ['**', 'a/b', true, '/'],
  ['a.b', 'axb', false],
  ['[', 'anything', false],
  ['{a', 'a', false],
  ['', '', true],
];

describe('matchesGlob', () => {
  it.each(FITS)('%s and %s: %s', (pattern, text, fits, separators) => {
    expect(matchesGlob(pattern, text, separators)).toBe(fits);
  });
});
