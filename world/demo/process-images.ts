import { join } from 'node:path';

/** The images of the demo that run for real, as confined processes: those of the notebook guide, and model servers. */
export function processImages(
  world: string,
): { readonly image: string; readonly program?: readonly string[]; readonly folders?: readonly string[] }[] {
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
