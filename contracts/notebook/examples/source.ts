import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../../src/model/json/index.js';
import { readYaml } from '../../../src/model/yaml/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { guideObjects, hasGuide } from './guide.js';

export type ExampleName = 'training' | 'pipeline' | 'serving';

/** Where an example plays. */
interface Place {
  readonly application: string;
  readonly namespace: string;
  /** The repository of its notebooks, as its manifests name it. */
  readonly notebooks: string;
}

/** The manifests of the three examples, by whom they were written. */
export interface Source extends Readonly<Record<ExampleName, Place>> {
  readonly title: string;
  /** The last notebook of the pipeline has a slip at first. */
  readonly breaksFirst: boolean;
  objects(name: ExampleName): KubeObject[];
}

/** Says what the guide says, and is always here. */
const OWN: Source = {
  title: 'in our own words',
  breaksFirst: true,
  training: { application: 'payments-training', namespace: 'payments-training', notebooks: 'training-notebooks' },
  pipeline: { application: 'payments-pipeline', namespace: 'payments-pipeline', notebooks: 'pipeline-notebooks' },
  serving: { application: 'payments-serving', namespace: 'payments-serving', notebooks: 'serving-notebooks' },
  objects: (name) =>
    readYaml(readFileSync(join(import.meta.dirname, `own/${name}.yaml`), 'utf8'), { dialect: 'kubernetes' })
      .map(({ value }) => value)
      .filter(isObject) as unknown as KubeObject[],
};

const GUIDE: Source = {
  title: 'word for word',
  breaksFirst: false,
  training: { application: 'ml-training-pipeline', namespace: 'ml-platform', notebooks: 'ml-models' },
  pipeline: { application: 'ml-pipeline', namespace: 'ml-pipeline', notebooks: 'ml-pipeline' },
  serving: { application: 'model-serving', namespace: 'ml-platform', notebooks: 'models' },
  objects: (name) => (name === 'serving' ? withTrigger(guideObjects('serving')) : guideObjects(name)),
};

/** The guide shows the annotation of the trigger on its own, below the example that it belongs to. */
function withTrigger([job, ...others]: readonly KubeObject[]): KubeObject[] {
  const [trigger] = guideObjects('trigger');
  return job === undefined ? [] : [{ ...job, metadata: { ...job.metadata, ...trigger?.metadata } }, ...others];
}

export const SOURCES: readonly Source[] = hasGuide ? [OWN, GUIDE] : [OWN];

/** Why only ours is played. */
export const missingSource = hasGuide ? undefined : 'word for word (skipped: ../shared/seeds is not there)';
