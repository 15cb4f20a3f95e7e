import { join } from 'node:path';

/** The namespaces of the demo in which its images run for real: those of its pipeline and of the notebook guide. */
const NAMESPACES: readonly string[] = [
  'fraud-detection',
  'ml-experiments',
  'ml-pipeline',
  'ml-platform',
  'ml-training',
  'model-reload',
  'notebook-tiers',
];

interface ProcessImage {
  readonly image: string;
  readonly program?: readonly string[];
  readonly folders?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly withMissingWalls?: true;
}

/** The same in namespaces of the demo only, also where a machine cannot give them all walls. */
export function demoImages(world: string): ProcessImage[] {
  return processImages(world).map((each) => ({ ...each, namespaces: NAMESPACES, withMissingWalls: true }));
}

/** The images of the demo that run for real, as confined processes: those of the notebook guide, and model servers. */
export function processImages(world: string): ProcessImage[] {
  const folder = join(world, 'serving');
  const server = { program: ['python3', '-B', join(folder, 'serve.py')], folders: [folder] };
  return [
    { image: 'quay.io/jupyter/minimal-notebook:latest' },
    { image: 'quay.io/ml-platform/*-notebook:latest' },
    { image: 'quay.io/ml-platform/notebook-runtime:latest' },
    { image: 'quay.io/ml/*-notebook:latest' },
    { image: 'kserve/sklearnserver:*', ...server },
    { image: 'my-model-server:latest', ...server },
  ];
}
