import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOneYaml } from '../../src/model/yaml/index.js';
import { IS_WHOLE } from '../../contracts/harness/sizes.js';
import { findViolations } from './find-violations.js';
import { applyFirstFix } from '../../scripts/prove/triage-fixes/apply-first-fix.js';
import { DECOYS } from './decoys.js';
import { FaultPlatform } from './fault-platform.js';
import { renamed, writeFaultWorld } from './fault-world.js';
import { INJECTORS } from './injectors/index.js';
import type { Injector } from './injection/injector.js';

const folder = mkdtempSync(join(tmpdir(), 'argosy-fault-world-'));
const named = (list: readonly Injector[], ...names: string[]): Injector[] =>
  list.filter(({ name }) => names.includes(name));

let stage: FaultPlatform;
beforeAll(async () => {
  stage = await FaultPlatform.open(join(folder, 'stage'));
}, 900_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a world', () => {
  // `npm run prove -- triage-accuracy` has 120 worlds without a fault.
  if (IS_WHOLE)
    it('without a fault shows nothing, whatever oddities it has', async () => {
      const world = await stage.runCase({
        seed: 11,
        faults: [],
        decoys: named(
          DECOYS,
          'warning-of-a-pod-that-is-gone',
          'schedule-that-is-suspended',
          'claim-that-nobody-uses',
          'pod-that-was-restarted-once',
        ),
      });
      expect(findViolations(world)).toEqual([]);
      expect(world.objects.length).toBeGreaterThan(300);
    }, 400_000);

  it('with two faults shows both, each where its label says, and nothing of how it was made', async () => {
    const faults = named(INJECTORS, 'tag-that-was-never-pushed', 'toleration-that-is-missing');
    const { world, mended } = await stage.withWorld({ seed: 12, faults, decoys: [] }, async (seen, going) => ({
      world: seen,
      mended: await applyFirstFix(seen, going),
    }));
    // The fix of the first cause ends it and leaves the other as it is.
    expect(mended).toMatchObject({ outcome: 'applied', isGone: true, fresh: [] });
    expect(findViolations(world)).toEqual([]);
    expect(world.label.order).toHaveLength(2);
    expect(world.label.faults.flatMap(({ roots }) => roots.map(({ object }) => object.kind))).toEqual([
      'Deployment',
      'Deployment',
    ]);
    expect(JSON.stringify({ ...world, label: undefined })).not.toMatch(
      /world\.argosy\.dev|argosy\.dev\/simulate|argosy-world/,
    );
    writeFaultWorld(join(folder, 'written'), renamed(world));
    expect(readdirSync(join(folder, 'written')).sort()).toEqual([
      'git',
      'label.yaml',
      'logs',
      'objects',
      'snapshot.yaml',
    ]);
    expect(readFileSync(join(folder, 'written/label.yaml'), 'utf8')).not.toMatch(/ameide|brook/);
    expect(
      readOneYaml(readFileSync(join(folder, 'written/objects/pod.core.yaml'), 'utf8'), {
        dialect: 'kubernetes',
        file: 'pod.core.yaml',
      }),
    ).toMatchObject({ kind: 'List' });
  }, 400_000);

  // `npm run prove -- triage-fixes` does it for every fault.
  const FIXED = [
    'selector-that-cannot-change',
    'empty-tolerations-in-shared-values',
    'secret-without-the-key-that-is-asked-for',
  ];
  if (IS_WHOLE)
    it.each(FIXED)(
      'is well again after the fix of its first cause: %s',
      async (name) => {
        const mended = await stage.withWorld({ seed: 13, faults: named(INJECTORS, name), decoys: [] }, applyFirstFix);
        expect(mended).toMatchObject({ outcome: 'applied', isGone: true, fresh: [] });
      },
      400_000,
    );
});
