import { writeYaml } from '../../../src/model/yaml/index.js';
import type { JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import type { Injection } from '../injection/injector.js';
import type { Root, Sign } from '../injection/label.js';
import { NAMESPACE } from '../injection/names.js';
import { app, applicationRef, deploymentRef, podRef, refOf } from '../injection/object-refs.js';
import { plainFile } from '../injection/plain-applications.js';
import type { Scene } from '../injection/scene.js';

/** How faults of many kinds show themselves. */
export const condition = (type: string, words: string): JsonObject => ({
  status: { conditions: [{ type, message: `~${words}` }] },
});
export const outOfSync = (application: string): Sign => ({
  object: applicationRef(application),
  shows: { status: { sync: { status: 'OutOfSync' } } },
});
export const crashing = (terminated: JsonObject): JsonObject => ({
  status: { containerStatuses: [{ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated } }] },
});
export const waiting = (reason: string, words = ''): JsonObject => ({
  status: { containerStatuses: [{ state: { waiting: { reason, message: `~${words}` } } }] },
});
export const unschedulable = (words: string): JsonObject => ({
  status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: `~${words}` }] },
});

/** What git says is refused by the server at every sync. */
export function refusedBySync(application: string, root: Root, words: string): Injection {
  return {
    roots: [root],
    applications: [application],
    signs: [
      {
        object: applicationRef(application),
        shows: {
          status: { operationState: { syncResult: { resources: [{ status: 'SyncFailed', message: `~${words}` }] } } },
        },
      },
      outOfSync(application),
    ],
  };
}

/** What git says cannot be rendered. */
export function cannotRender(application: string, root: Omit<Root, 'object'>, words: string): Injection {
  const object = applicationRef(application);
  return {
    roots: [{ object, ...root }],
    applications: [application],
    signs: [{ object, shows: condition('ComparisonError', words) }],
  };
}

/** One more object of a plain application; gives its file. */
export function addObject(scene: Scene, application: string, part: string, object: KubeObject): string {
  const file = plainFile(application, part);
  scene.file(file, writeYaml(object));
  return file;
}

export const inNamespace = (name: string, more: JsonObject = {}): KubeObject['metadata'] => ({
  name,
  namespace: NAMESPACE,
  ...more,
});

/** A service whose pods of the new template do as they are told. */
export function simulateProgram(scene: Scene, name: string, patch: JsonObject, behaviour: JsonObject): string {
  scene.program(name, { '*': behaviour });
  return scene.container(name, 'deployment', patch);
}

/** The Deployment of a plain application is wrong at one place, and its pods show it. */
export function wrongDeployment(
  name: string,
  root: Omit<Root, 'object'>,
  ...shows: readonly Omit<Sign, 'object'>[]
): Injection {
  return {
    roots: [{ object: deploymentRef(name), ...root }],
    applications: [app(name)],
    signs: shows.map((sign) => ({ object: podRef(`${name}-*`), ...sign })),
  };
}

/** An object of a plain application is wrong, and says so itself. */
export function wrongObject(
  application: string,
  object: KubeObject,
  root: Omit<Root, 'object'>,
  ...shows: readonly Omit<Sign, 'object'>[]
): Injection {
  return {
    roots: [{ object: refOf(object), ...root }],
    applications: [app(application)],
    signs: shows.map((sign) => ({ object: refOf(object), ...sign })),
  };
}
