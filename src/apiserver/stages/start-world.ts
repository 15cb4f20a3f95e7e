import { splitApiVersion, type KubeObject } from '../../model/index.js';
import { ApiError } from '../api-error.js';
import { inProcessClient } from '../in-process-client.js';
import type { LocalClient } from '../local-client.js';
import type { WorldController } from './read-world.js';
import { startStages, type StageHost } from './start-stages.js';

/**
 * Installs the controllers of a world on a server and lets them play: their kinds by server-side apply under their own
 * names, what their installations bring where it is missing, and their stages.
 */
export async function startWorld(host: StageHost, world: readonly WorldController[]): Promise<{ close(): void }> {
  const installing: { close(): void }[] = [];
  for (const controller of world) {
    const client = inProcessClient(host.context, controller.name);
    await Promise.all(controller.crds.map((crd) => client.apply(crd)));
    installing.push(install(host, client, controller));
  }
  const stages = startStages(host, world.flatMap((controller) => controller.stages));
  return {
    close() {
      for (const part of [...installing, stages]) part.close();
    },
  };
}

/** Creates the objects of an installation in their order, each as soon as its kind is served. */
function install({ log }: StageHost, client: LocalClient, { name, objects }: WorldController): { close(): void } {
  let left = [...objects];
  const watching = client.onResources(({ group, kind }) => {
    const ready = left.filter((object) => object.kind === kind && splitApiVersion(object.apiVersion).group === group);
    left = left.filter((object) => !ready.includes(object));
    for (const object of ready) {
      createMissing(client, object).catch((error: unknown) => {
        log(`${name}: ${object.kind} ${object.metadata.name ?? ''} cannot be created: ${error instanceof ApiError ? error.message : String(error)}`);
      });
    }
  });
  return watching;
}

/** Makes an object, and the namespace that it needs, where they are missing; what is there is the user's. */
async function createMissing(client: LocalClient, object: KubeObject): Promise<void> {
  const of = client.served(splitApiVersion(object.apiVersion).group, object.kind);
  if (of === undefined) return;
  const { namespace = '', name = '' } = object.metadata;
  const namespaces = { group: '', plural: 'namespaces' };
  if (of.namespaced && client.get(namespaces, '', namespace) === undefined) {
    await unlessThere(client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
  }
  if (client.get(of, namespace, name) === undefined) await unlessThere(client.create(of, object));
}

async function unlessThere(creation: Promise<KubeObject>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
  }
}
