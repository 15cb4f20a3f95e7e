import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { equal, isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Compare } from './check-expectation.js';
import { partOf } from './compare-subset.js';
import { openMemoryCluster } from './memory-cluster.js';
import { playCase } from './play-case.js';
import type { CaseStep } from './case-steps.js';
import { putObject } from './put-object.js';
import type { Controller } from '../controller-runtime/index.js';
import { garbageCollector } from '../controllers/index.js';
import {
  type Probe,
  type Probes,
  type Stage,
  startAdmission,
  stageControllers,
  startViews,
  type View,
} from '../stages/index.js';

/** What a case of stages is played with. */
export interface StageCase {
  readonly stages: readonly Stage[];
  readonly crds: readonly Json[];
  readonly views?: readonly View[];
  /** Objects of installations; given.yaml may change them. */
  readonly objects?: readonly KubeObject[];
  /** Controllers of Kubernetes itself, beside the garbage collector. */
  readonly builtIn?: readonly Controller[];
}

export const textIn = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

export const linesIn = (path: string): string[] => (textIn(path) ?? '').split('\n').filter((line) => line !== '');

/**
 * The probes of a case: probes.yaml lists `{probe, with, answer}`, and the first whose `with` is part of the question
 * answers it. The step `answer` puts another one before them.
 */
class CaseAnswers {
  readonly #list: Json[];

  constructor(folder: string) {
    const file = join(folder, 'probes.yaml');
    const list = readOneYaml(textIn(file) ?? '[]', { dialect: 'kubernetes', file, duplicates: 'error' });
    if (!isArray(list)) throw new Error(`${file} is a list of {probe, with, answer}`);
    this.#list = list;
  }

  get probes(): Probes {
    const names = this.#list.map((entry) => (isObject(entry) && typeof entry.probe === 'string' ? entry.probe : ''));
    return Object.fromEntries(
      names.map((name) => [name, (input) => this.#answer(name, input)] satisfies [string, Probe]),
    );
  }

  add(entry: Json): void {
    this.#list.unshift(entry);
  }

  #answer(probe: string, input: JsonObject): Promise<JsonObject> {
    const entry = this.#list.find(
      (each) => isObject(each) && each.probe === probe && equal(partOf(input, each.with ?? {}), each.with ?? {}),
    );
    const answer = isObject(entry) ? entry.answer : undefined;
    return isObject(answer) ? Promise.resolve(answer) : Promise.reject(new Error('probes.yaml has none'));
  }
}

/**
 * Plays given.yaml, steps.yaml and expect.yaml of a folder as for built-in controllers; log.txt has the lines that must
 * be logged, probes.yaml the answers of probes.
 */
export async function playStageCase(
  folder: string,
  { stages, crds, views = [], objects = [], builtIn = [garbageCollector] }: StageCase,
  compare: Compare,
): Promise<void> {
  const answers = new CaseAnswers(folder);
  const cluster = await openMemoryCluster([...builtIn, ...stageControllers(stages, answers.probes)]);
  startAdmission(cluster.context, stages);
  const serving = startViews({ context: cluster.context, log: cluster.log }, views);
  try {
    for (const crd of crds) await putObject(cluster, crd);
    await cluster.waitUntilQuiet();
    for (const object of objects) await putObject(cluster, object);
    const answer: CaseStep = (_, entry) => Promise.resolve(answers.add(entry));
    await playCase(cluster, folder, compare, { answer });
    compare([...cluster.logged], linesIn(join(folder, 'log.txt')), 'the log');
  } catch (error) {
    // A stage that failed is the likeliest reason.
    if (error instanceof Error && cluster.logged.length > 0) error.message += `\nlogged:\n${cluster.logged.join('\n')}`;
    throw error;
  } finally {
    serving.close();
    await cluster.close();
  }
}
