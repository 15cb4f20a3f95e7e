import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clusterControllers, RESOURCE_QUOTA, WORKLOAD_CONTROLLERS } from '../controllers/index.js';
import type { Controller } from '../controller-runtime/index.js';
import { ContainerLogs } from '../runtime/index.js';
import { readWorld, type WorldController } from '../stages/index.js';
import { linesIn, playStageCase } from './play-stage-case.js';

/** In with.txt: the controllers of Kubernetes itself, three nodes and their kubelets. */
const KUBERNETES = 'kubernetes';

/**
 * One test for each folder in DIRECTORY/controllers/NAME/cases: given.yaml, steps.yaml, expect.yaml, log.txt. The
 * controller's own files are loaded, and those of the controllers that with.txt names, one a line.
 */
export function runWorldCases(directory: string): void {
  const home = join(directory, 'controllers');
  const read = new Map<string, Promise<WorldController | undefined>>();
  const controllerOf = (name: string): Promise<WorldController | undefined> => {
    const known = read.get(name) ?? readWorld(directory, [name]).then(([controller]) => controller);
    read.set(name, known);
    return known;
  };
  for (const name of existsSync(home) ? readdirSync(home).sort() : []) {
    const cases = join(home, name, 'cases');
    describe(name, () => {
      it('can be read', async () => {
        expect((await controllerOf(name))?.name).toBe(name);
      });
      for (const sentence of existsSync(cases) ? readdirSync(cases).sort() : []) {
        it(sentence.replaceAll('-', ' '), async () => {
          const folder = join(cases, sentence);
          const more = linesIn(join(folder, 'with.txt'));
          const loaded = await Promise.all([name, ...more.filter((each) => each !== KUBERNETES)].map(controllerOf));
          const controllers = loaded.filter((controller) => controller !== undefined);
          await playStageCase(
            folder,
            {
              stages: controllers.flatMap(({ stages }) => stages),
              crds: controllers.flatMap(({ crds }) => crds),
              views: controllers.flatMap(({ views }) => views),
              objects: controllers.flatMap(({ objects }) => objects),
              ...(more.includes(KUBERNETES) ? { builtIn: kubernetes() } : {}),
            },
            (actual, expected, about) => expect(actual, about).toEqual(expected),
          );
        });
      }
    });
  }
}

function kubernetes(): Controller[] {
  return [...clusterControllers({ logs: new ContainerLogs(), authority: '' }), ...WORKLOAD_CONTROLLERS, RESOURCE_QUOTA];
}
