import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, KubeObject } from '../../../model/index.js';
import type { Compare } from '../../controllers/case-runner/check-expectation.js';
import { openMemoryWorld } from '../../controllers/case-runner/memory-world.js';
import { playCase } from '../../controllers/case-runner/play-case.js';
import { putObject } from '../../controllers/case-runner/world-objects.js';
import type { Controller } from '../../controllers/controller.js';
import { garbageCollector } from '../../controllers/garbage-collector.js';
import type { Stage } from '../stage.js';
import { stageControllers } from '../start-stages.js';

/** What a case of stages is played with. */
export interface StageCase {
  readonly stages: readonly Stage[];
  readonly crds: readonly Json[];
  /** Objects of installations; given.yaml may change them. */
  readonly objects?: readonly KubeObject[];
  /** Controllers of Kubernetes itself, beside the garbage collector. */
  readonly builtIn?: readonly Controller[];
}

export const textIn = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

export const linesIn = (path: string): string[] => (textIn(path) ?? '').split('\n').filter((line) => line !== '');

/** Plays given.yaml, steps.yaml and expect.yaml of a folder as for built-in controllers; log.txt has the lines that must be logged. */
export async function playStageCase(folder: string, { stages, crds, objects = [], builtIn = [garbageCollector] }: StageCase, compare: Compare): Promise<void> {
  const world = await openMemoryWorld([...builtIn, ...stageControllers(stages)]);
  try {
    for (const crd of crds) await putObject(world, crd);
    await world.settle();
    for (const object of objects) await putObject(world, object);
    await playCase(world, folder, compare);
    compare([...world.logged], linesIn(join(folder, 'log.txt')), 'the log');
  } finally {
    await world.close();
  }
}
