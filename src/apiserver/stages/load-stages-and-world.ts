import { readWorld } from './read-world.js';
import type { Stage } from './stage.js';
import { readStageDirectory, startStages, type StageHost } from './start-stages.js';
import { startWorld } from './start-world.js';

/** Reads stages and world at once, so that a mistake fails before anything starts; gives what starts them. */
export async function loadStagesAndWorld(
  stages: string | readonly Stage[],
  world: string | { readonly directory: string; readonly only: readonly string[] } | undefined,
): Promise<(host: StageHost) => Promise<{ close(): void }>> {
  const list = typeof stages === 'string' ? await readStageDirectory(stages) : stages;
  const { directory, only } = typeof world === 'string' ? { directory: world, only: undefined } : (world ?? {});
  const controllers = directory === undefined ? [] : await readWorld(directory, only);
  return async (host) => {
    const running = [await startWorld(host, controllers), startStages(host, list)];
    return {
      close() {
        for (const each of running) each.close();
      },
    };
  };
}
