import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePlatform } from './base-world.js';
import { fitTogether, planCases } from './cases.js';
import { DECOYS } from './decoys.js';
import { isHeldOut } from './held-out.js';
import { INJECTORS } from './injectors/index.js';
import { orderOf } from './injection/label.js';
import { Scene } from './injection/scene.js';
import { makeRenamer } from './make-renamer.js';

const { files } = makePlatform('file:///fleet.git');
const inject = (
  name: string,
  seed: number,
): { scene: Scene; injection: ReturnType<(typeof INJECTORS)[number]['inject']> } => {
  const scene = new Scene(seed, name, { files: new Map(files), taken: new Set(), programs: {} });
  const injection = INJECTORS.find((injector) => injector.name === name)?.inject(scene);
  if (injection === undefined) throw new Error(name);
  scene.commit();
  return { scene, injection };
};

describe('an injector', () => {
  it('has a name of its own that is no rule', () => {
    const names = [...INJECTORS, ...DECOYS].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z]+(-[a-z]+)+$/.test(name))).toEqual([]);
  });

  it('is in the table of the page, and nothing else is', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/fault-worlds.md'), 'utf8');
    const rows = [...page.matchAll(/^\| [A-Z]\d\d.*\|(.*)\|$/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name),
    );
    expect([...new Set(rows)].sort()).toEqual(INJECTORS.map(({ name }) => name).sort());
  });

  it.each(INJECTORS.map(({ name }) => name))('%s does something, and says where and what can be seen', (name) => {
    for (const seed of [1, 2, 3]) {
      const { scene, injection } = inject(name, seed);
      expect(scene.steps.length).toBeGreaterThan(0);
      expect(injection.roots.length).toBeGreaterThan(0);
      expect(injection.signs.length).toBeGreaterThan(0);
      const changed = scene.steps.flatMap((step) => (step.kind === 'commit' ? [...step.files.keys()] : []));
      for (const { file, field } of injection.roots) {
        expect(field).not.toBe('');
        if (file !== undefined) expect([...changed, ...files.keys()]).toContain(file);
      }
    }
  });

  it('chooses its place by the seed', () => {
    const places = new Set(
      [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => inject('toleration-that-is-missing', seed).injection.applications[0]),
    );
    expect(places.size).toBeGreaterThan(2);
    expect(inject('toleration-that-is-missing', 5).injection).toEqual(
      inject('toleration-that-is-missing', 5).injection,
    );
  });
});

describe('what is held out', () => {
  const written = JSON.parse(readFileSync(join(import.meta.dirname, 'held-out.json'), 'utf8')) as {
    readonly heldOut: readonly string[];
  };

  it('is a third of the injectors, by the hash of their names, as it was written', () => {
    expect(written.heldOut).toEqual(
      INJECTORS.map(({ name }) => name)
        .filter(isHeldOut)
        .sort(),
    );
    expect(written.heldOut.length / INJECTORS.length).toBeGreaterThan(0.25);
    expect(written.heldOut.length / INJECTORS.length).toBeLessThan(0.42);
  });
});

describe('a plan', () => {
  const plan = planCases(600, 1);

  it('has every fault alone, pairs, triples, cycles and worlds without a fault', () => {
    const count = (kind: string): number => plan.filter((each) => each.kind === kind).length;
    expect(count('control')).toBeGreaterThanOrEqual(100);
    expect(count('pair')).toBeGreaterThanOrEqual(120);
    expect(count('triple')).toBeGreaterThanOrEqual(50);
    expect(count('cycle')).toBeGreaterThanOrEqual(6);
    const alone = new Set(plan.filter(({ faults }) => faults.length === 1).map(({ faults }) => faults[0]?.name));
    expect(INJECTORS.filter(({ name }) => !alone.has(name))).toEqual([]);
    expect(plan.filter(({ decoys }) => decoys.length > 0).length).toBeGreaterThan(200);
    expect(plan.filter(({ seed, faults }) => !fitTogether(seed, faults))).toEqual([]);
  });

  it('begins as a shorter one does', () => {
    expect(planCases(30, 1)).toEqual(plan.slice(0, 30));
  });
});

describe('other names', () => {
  it('leave no word of the platform, and are the same for the same seed', () => {
    const text =
      'ameide-brook/purchases-db-0 of brook-apps-purchases, image ghcr.io/ameideio/graph:steady, ' +
      'orders.acme.cert-manager.io, ameide.io/pool';
    const told = makeRenamer(7)(text);
    expect(told).not.toMatch(/ameide|brook|purchases|graph/);
    expect(told).toContain('orders.acme.cert-manager.io');
    expect(told).toBe(makeRenamer(7)(text));
    expect(told).not.toBe(makeRenamer(8)(text));
  });

  it('are different from each other', () => {
    const tell = makeRenamer(3);
    expect(
      new Set(['ameide', 'brook', 'basket', 'tills', 'parcels', 'purchases', 'purchases-db'].map((word) => tell(word)))
        .size,
    ).toBe(7);
  });
});

describe('the order of mending', () => {
  it('begins with what heals most alone, then with the largest share', () => {
    expect(
      orderOf([
        { fault: 'a', applications: ['x'] },
        { fault: 'b', applications: ['y', 'z'] },
      ]),
    ).toEqual(['b', 'a']);
    expect(
      orderOf([
        { fault: 'a', applications: ['x', 'y'] },
        { fault: 'b', applications: ['x', 'y', 'z'] },
      ]),
    ).toEqual(['b', 'a']);
  });
});
