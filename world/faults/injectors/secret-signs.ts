import type { JsonObject } from '../../../src/model/json/index.js';
import type { Injection } from '../injection/injector.js';
import type { Root, Sign } from '../injection/label.js';
import { SERVICES } from '../injection/names.js';
import { app, externalSecretRef, podRef, secretRef, STORE_CUSTOMERS, storeRef } from '../injection/object-refs.js';
import type { Scene } from '../injection/scene.js';

export const VAULT = podRef('foundation-vault-core-0');

export const STORE = storeRef('ameide-vault');

const STORE_CHART = 'sources/charts/foundation/vault-secret-store/templates/store.yaml';

const notReady = (reason: string): JsonObject => ({
  status: { conditions: [{ type: 'Ready', status: 'False', reason }] },
});

const failedSync = (name: string): Sign => ({ object: externalSecretRef(name), shows: notReady('SecretSyncedError') });

/** The store is of no use; then two services are made anew, and their pods lack their Secrets. */
export function storeFails(scene: Scene, root: Root, words: string, also: readonly string[] = []): Injection {
  scene.play(200);
  const [one = '', other = ''] = scene.pickSome(SERVICES, 2);
  for (const name of [one, other]) {
    scene.remove(secretRef(`${name}-token`));
    scene.remove(podRef(`${name}-*`));
  }
  return {
    roots: [root],
    applications: [...STORE_CUSTOMERS, ...also],
    signs: [
      { object: STORE, shows: notReady('InvalidProviderConfig') },
      { object: STORE, event: { reason: 'InvalidProviderConfig', words } },
      failedSync('secrets-smoke'),
      failedSync(`${one}-token`),
      {
        object: podRef(`${one}-*`),
        shows: {
          status: {
            containerStatuses: [
              {
                state: {
                  waiting: { reason: 'CreateContainerConfigError', message: `secret "${one}-token" not found` },
                },
              },
            ],
          },
        },
      },
    ],
  };
}

export const editStore = (scene: Scene, from: string, to: string): string => {
  scene.file(STORE_CHART, scene.text(STORE_CHART).replace(from, to));
  return STORE_CHART;
};

/** One ExternalSecret of an ordinary service goes wrong, and its Secret is not there when a new pod wants it. */
export function oneSecretFails(scene: Scene, name: string, root: Omit<Root, 'object'>, words: string): Injection {
  scene.play(60);
  scene.remove(secretRef(`${name}-token`));
  scene.remove(podRef(`${name}-*`));
  const object = externalSecretRef(`${name}-token`);
  return {
    roots: [{ object, ...root }],
    applications: [app(name)],
    signs: [
      failedSync(`${name}-token`),
      { object, event: { reason: 'UpdateFailed', words } },
      {
        object: podRef(`${name}-*`),
        shows: { status: { containerStatuses: [{ state: { waiting: { reason: 'CreateContainerConfigError' } } }] } },
      },
    ],
  };
}
