import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAppProject, type SyncWindow } from '../../model/argo/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { evaluateSyncWindows, type SyncWindowsDecision } from './sync-windows.js';

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'cases', name), 'utf8');

interface Ask {
  readonly now: string;
  readonly isManual?: boolean;
  readonly startedAt?: string;
  readonly isAllowed: boolean;
  readonly active: number;
  readonly matching?: number;
  readonly nextChange?: string | null;
  readonly problem?: string;
}

interface Case {
  readonly name: string;
  readonly windows: JsonObject[];
  readonly asks: readonly Ask[];
}

interface Recorded extends Ask {
  readonly windows: JsonObject[];
  readonly destination: { readonly server?: string; readonly name?: string; readonly namespace?: string };
}

const SHOP = { server: 'https://prod.example', name: 'prod', namespace: 'shop' };

function readWindows(raw: JsonObject[]): readonly SyncWindow[] {
  const spec: JsonObject = { syncWindows: raw };
  return parseAppProject({ apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name: 'p' }, spec })
    .syncWindows;
}

function ask(
  windows: readonly SyncWindow[],
  { now, isManual = false, startedAt }: Pick<Ask, 'now' | 'isManual' | 'startedAt'>,
  destination = SHOP,
): SyncWindowsDecision {
  return evaluateSyncWindows(
    windows,
    { name: 'cart', destination },
    { now: new Date(now), isManual, ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt) }) },
  );
}

describe('sync windows', () => {
  it.each(readOneYaml(read('sync-windows.yaml'), { dialect: 'kubernetes' }) as unknown as Case[])(
    '$name',
    ({ windows, asks }) => {
      for (const question of asks) {
        const verdict = ask(readWindows(windows), question);
        expect({ ...question, isAllowed: verdict.isAllowed, active: verdict.active.length }).toEqual(question);
        expect(verdict.problem).toBe(question.problem);
        if (question.nextChange !== undefined)
          expect(verdict.nextChange?.toISOString() ?? null, question.now).toBe(question.nextChange);
      }
    },
  );

  const recorded = JSON.parse(read('recorded-windows.json')) as Recorded[];

  // The table was recorded from Argo CD 3.5.6, for windows and moments drawn at random.
  it(`decide ${recorded.length} random cases as Argo CD does`, () => {
    for (const given of recorded) {
      const { server = '', name = '', namespace = '' } = given.destination;
      const verdict = ask(readWindows(given.windows), given, { server, name, namespace });
      expect(
        { isAllowed: verdict.isAllowed, matching: verdict.matching.length, active: verdict.active.length },
        JSON.stringify(given),
      ).toEqual({ isAllowed: given.isAllowed, matching: given.matching, active: given.active });
    }
  });

  it('never change their mind before the moment they name', () => {
    for (const [index, given] of recorded.slice(0, 60).entries()) {
      const windows = readWindows(given.windows);
      const { startedAt: _, ...question } = given;
      const verdict = ask(windows, question);
      const [start, end] = [
        Date.parse(given.now),
        verdict.nextChange?.getTime() ?? Date.parse(given.now) + 400 * 86_400_000,
      ];
      expect(end).toBeGreaterThan(start);
      const moments = [
        end - 1,
        ...Array.from({ length: 8 }, (_each, step) => start + ((end - start) * ((step * 37 + index) % 100)) / 100),
      ];
      for (const moment of moments.map(Math.floor))
        expect(
          ask(windows, { ...question, now: new Date(moment).toISOString() }).isAllowed,
          `${JSON.stringify(given)} ${moment}`,
        ).toBe(verdict.isAllowed);
    }
  });
});
