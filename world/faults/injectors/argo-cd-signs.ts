import type { JsonObject } from '../../../src/model/json/index.js';
import type { Injection } from '../injection/injector.js';
import type { Root, Sign } from '../injection/label.js';
import { ENVIRONMENT } from '../injection/names.js';
import { applicationRef } from '../injection/object-refs.js';
import type { Scene } from '../injection/scene.js';

export const CLUSTER_APPLICATION = 'cluster-serving-runtimes';

export const PROJECT = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  namespace: 'argocd',
  name: ENVIRONMENT.name,
};

export const condition = (type: string, words: string): JsonObject => ({
  status: { conditions: [{ type, message: `~${words}` }] },
});

const refused = (application: string, words: string): Sign => ({
  object: applicationRef(application),
  shows: {
    status: { operationState: { syncResult: { resources: [{ status: 'SyncFailed', message: `~${words}` }] } } },
  },
});

export const outOfSync = (application: string): Sign => ({
  object: applicationRef(application),
  shows: { status: { sync: { status: 'OutOfSync' } } },
});

/** The Application itself says something that cannot be. */
export function wrongApplication(
  scene: Scene,
  application: string,
  patch: JsonObject,
  root: Omit<Root, 'object'>,
  sign: JsonObject,
): Injection {
  const object = scene.application(application, patch);
  return { roots: [{ object, ...root }], applications: [application], signs: [{ object, shows: sign }] };
}

/** What git says is refused by the server at every sync. */
export function refusedBySync(application: string, root: Root, words: string): Injection {
  return { roots: [root], applications: [application], signs: [refused(application, words), outOfSync(application)] };
}
