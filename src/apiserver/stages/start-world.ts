import { Fault } from '../../model/faults/index.js';
import { splitApiVersion, type KubeObject } from '../../model/kubernetes/index.js';
import { ApiError } from '../errors/index.js';
import { inProcessClient } from '../controller-runtime/index.js';
import type { LocalClient } from '../rest/index.js';
import { maybe, text } from '../resources/index.js';
import type { WorldController } from './read-world.js';
import { startStages, type StageHost } from './start-stages.js';
import { startViews } from './start-views.js';
import { startSubresources } from './subresource.js';

/**
 * Milliseconds without a new kind after which nobody waits for the rest; generous, because a busy machine is slow and
 * clocks may run fast.
 */
const SERVE_TIMEOUT = 40_000;

/**
 * Installs the controllers of a world on a server and lets them play: their kinds by server-side apply under their own
 * names, what their installations bring where it is missing, their views and their stages.
 */
export async function startWorld(host: StageHost, world: readonly WorldController[]): Promise<{ close(): void }> {
  const clients = new Map(world.map((controller) => [controller, inProcessClient(host.context, controller.name)]));
  await Promise.all([...clients].flatMap(([{ crds, name }, client]) => crds.map((crd) => addKind(client, crd, name))));
  await untilServed(
    host,
    world.flatMap(({ crds }) => crds),
  );
  const views = startViews(
    host,
    world.flatMap((controller) => controller.views),
  );
  startSubresources(
    host,
    world.flatMap((controller) => controller.subresources),
  );
  for (const [controller, client] of clients) await install(host, client, controller);
  const stages = startStages(
    host,
    world.flatMap((controller) => controller.stages),
  );
  return {
    close() {
      views.close();
      stages.close();
    },
  };
}

async function addKind(client: LocalClient, crd: KubeObject, controller: string): Promise<void> {
  try {
    await client.apply(crd);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new Fault('VALUE_INVALID', `the kind ${crd.metadata.name ?? ''} is refused: ${error.message}`, {
      where: `${controller}/crds.yaml`,
      cause: error,
    });
  }
}

/** Waits for the kinds to be served; not for ever, because one whose names are taken never is. */
async function untilServed({ context: { types, clock } }: StageHost, crds: readonly KubeObject[]): Promise<void> {
  const isServed = (): boolean =>
    crds.every(
      (crd) =>
        types.preferred(text(maybe(crd, 'spec'), 'group'), text(maybe(crd, 'spec.names'), 'plural')) !== undefined,
    );
  if (isServed()) return;
  await new Promise<void>((resolve) => {
    let cancel = clock.after(SERVE_TIMEOUT, resolve);
    const watching = types.onChange(() => {
      cancel();
      if (!isServed()) {
        cancel = clock.after(SERVE_TIMEOUT, resolve);
        return;
      }
      watching.close();
      resolve();
    });
  });
}

/** Creates what an installation brings, in its order, where it is missing: what is there is the user's. */
async function install({ log }: StageHost, client: LocalClient, { name, objects }: WorldController): Promise<void> {
  for (const object of objects) {
    try {
      await createMissing(client, object);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.warn(`${name}: ${object.kind} ${object.metadata.name ?? ''} cannot be created: ${error.message}`);
    }
  }
}

/** With the namespace that the object needs. */
async function createMissing(client: LocalClient, object: KubeObject): Promise<void> {
  const { group } = splitApiVersion(object.apiVersion);
  const of = client.served(group, object.kind);
  if (of === undefined) throw new ApiError(404, 'NotFound', `nothing serves ${object.apiVersion} ${object.kind}`, {});
  const { namespace = '', name = '' } = object.metadata;
  const namespaces = { group: '', plural: 'namespaces' };
  if (of.namespaced && client.get(namespaces, '', namespace) === undefined) {
    await ignoreAlreadyExists(
      client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
    );
  }
  if (client.get(of, namespace, name) === undefined) await ignoreAlreadyExists(client.create(of, object));
}

async function ignoreAlreadyExists(creation: Promise<KubeObject>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
  }
}
