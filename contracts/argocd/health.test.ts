import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSuite } from '../../src/cli/health/suite.js';
import { ourCatalogue, assessWithCatalogue } from './compare.js';
import { healthCases } from './health-cases.js';
import { resourceCustomizations } from './module.js';

const root = resourceCustomizations();

if (root === undefined) {
  it.skip('skipped: the Go module of Argo CD 3.5.6 (no Go toolchain, or no module proxy)', () => undefined);
} else {
  describe("Argo CD's own checks", () => {
    it('its scripts give on our engine what its suite expects, in status and message', () => {
      const results = runSuite(root, { sandbox: false, now: () => 1_700_000_000_000 });
      const of = (about: string): number => results.filter((result) => result.about === about).length;
      console.log(
        `Argo CD's suite: ${of('health')} health cases, ${of('discovery')} discoveries, ${of('action')} actions`,
      );
      expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
      expect(of('health')).toBeGreaterThan(1_100);
      expect(of('action')).toBeGreaterThan(80);
    });

    it('our catalogue gives the same status, except where docs/health-differences.md says why not', () => {
      const cases = healthCases(root);
      const catalogue = ourCatalogue();
      const different = cases
        .filter(({ object, status }) => (assessWithCatalogue(catalogue, object)?.status ?? '') !== status)
        .map(({ name }) => name);
      console.log(`our catalogue: ${cases.length - different.length} of ${cases.length} equal in status`);
      expect(different.sort()).toEqual(namedDifferences());
      expect(different.length).toBeLessThanOrEqual(cases.length / 100);
    });
  });
}

/** The cases that the page of differences names. */
function namedDifferences(): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/health-differences.md'), 'utf8');
  return [...page.matchAll(/^\| `([^`]+\/testdata\/[^`]+)`/gm)].map((match) => match[1] ?? '').sort();
}
