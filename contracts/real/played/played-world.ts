import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { connect as connectTo } from 'node:net';
import type { Duplex } from 'node:stream';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceAccountTokens } from '../../../src/apiserver/access/index.js';
import { firstStorageClass } from '../../../src/apiserver/controllers/volumes/first-storage-class.js';
import { provision } from '../../../src/apiserver/controllers/volumes/provision.js';
import { ownKey, reconciler, type Controller } from '../../../src/apiserver/controller-runtime/index.js';
import { ApiError } from '../../../src/apiserver/errors/index.js';
import {
  ContainerLogs,
  kubelet,
  PodNetworks,
  processRuntime,
  processSetup,
  RunningContainers,
  type ProcessOptions,
} from '../../../src/apiserver/runtime/index.js';
import { SIMULATED } from '../../../src/apiserver/scheduler/index.js';
import { systemClock } from '../../../src/apiserver/server.js';
import { readWorld, stageControllers, type Probes, type WorldController } from '../../../src/apiserver/stages/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import type { Logger } from '../../../src/model/logging/index.js';
import { NAMESPACES, PERSISTENT_VOLUME_CLAIMS } from '../../../src/model/resources/index.js';
import { computedKind, definitionOf, isDefinable } from './computed-views.js';
import { startKubeletEndpoint, type NodeContainers } from './kubelet-endpoint.js';
import { Mirror } from './mirror.js';
import { NODE_KINDS, remoteClient } from './remote-client.js';
import { startWebhook } from './webhook.js';

const SERVED_WITHIN = 60_000;

export interface PlayedWorldOptions {
  /** A server with its controller manager and scheduler. */
  readonly kubeconfigPath: string;
  readonly url: string;
  /** A folder of its own, for volumes and logs. */
  readonly data: string;
  /** A folder with `controllers/`. */
  readonly world: string;
  /** Signs the tokens of pods that run as processes; the server accepts it too. */
  readonly accountKey: string;
  readonly processes?: ProcessOptions;
  readonly probes: Probes;
  readonly log: Logger;
}

/**
 * Nodes, pods and the third-party controllers of a world on an API server that somebody else started: what the embedded
 * server plays in its own process, over HTTP.
 */
export async function startPlayedWorld(options: PlayedWorldOptions): Promise<{ close(): Promise<void> }> {
  const { kubeconfigPath, data, world, log, probes } = options;
  mkdirSync(data, { recursive: true });
  const mirror = await Mirror.open(kubeconfigPath);
  const controllers = await readWorld(world);
  await installKinds(
    mirror,
    controllers.flatMap(({ crds, views, name }) =>
      [...crds, ...views.filter(isDefinable).map(definitionOf)].map((crd) => ({ crd, name })),
    ),
  );
  for (const view of controllers.flatMap(({ views }) => views)) mirror.compute(computedKind(view));
  await Promise.all(NODE_KINDS.map((of) => mirror.follow(of)));
  const containers = { logs: new ContainerLogs(join(data, 'pods')), running: new RunningContainers() };
  const webhook = await startWebhook(
    mirror,
    controllers.flatMap(({ stages }) => stages).filter(({ admission }) => admission),
  );
  for (const controller of controllers) await install(mirror, controller);
  const networks = new PodNetworks();
  const endpoint = await startKubeletEndpoint(mirror, containers);
  const running = [
    firstStorageClass,
    provisioner,
    nodes(options, mirror, containers, networks),
    ...stageControllers(
      controllers.flatMap(({ stages }) => stages),
      probes,
    ),
  ].map((controller) => controller.start({ client: remoteClient(mirror, controller.name), clock: systemClock, log }));
  return {
    async close() {
      for (const each of running) each.close();
      networks.close();
      await endpoint.close();
      await webhook.close();
      await mirror.close();
    },
  };
}

/** A key pair whose public half the server must accept for accounts. */
export function accountKeys(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

function nodes(
  { data, url, accountKey, processes }: PlayedWorldOptions,
  mirror: Mirror,
  containers: NodeContainers,
  networks: PodNetworks,
): Controller {
  const read = (plural: string, namespace: string, name: string): KubeObject | undefined =>
    mirror.get({ group: '', plural }, namespace, name);
  const tokens = new ServiceAccountTokens(accountKey, () => new Date(), read);
  const { hostname, port } = new URL(url);
  const accept = (connection: Duplex): void => {
    const server = connectTo(Number(port), hostname);
    for (const end of [connection, server]) end.on('error', () => undefined);
    connection.pipe(server).pipe(connection);
  };
  return kubelet({
    ...containers,
    ...(processes === undefined
      ? {}
      : {
          runtime: (host) =>
            processRuntime(
              processSetup(processes, { data, url, tokens, networks, accept }, (namespace, name) =>
                read('serviceaccounts', namespace, name),
              ),
              host,
            ),
        }),
  });
}

/** The volumes of the simulated storage class; claims and volumes are brought together by the real binder. */
const provisioner = reconciler({
  name: SIMULATED,
  watches: [{ of: PERSISTENT_VOLUME_CLAIMS, keys: ownKey }],
  async reconcile({ namespace, name }, { client }) {
    const claim = client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name);
    if (claim?.metadata.annotations?.['volume.kubernetes.io/storage-provisioner'] !== SIMULATED) return;
    await provision(client, claim);
  },
});

async function installKinds(
  mirror: Mirror,
  crds: readonly { readonly crd: KubeObject; readonly name: string }[],
): Promise<void> {
  await Promise.all(crds.map(({ crd, name }) => remoteClient(mirror, name).apply(crd)));
  const isServed = ({ crd }: { readonly crd: KubeObject }): boolean => {
    const [plural = '', ...group] = (crd.metadata.name ?? '').split('.');
    try {
      return mirror.kindOf({ group: group.join('.'), plural }).kind !== '';
    } catch {
      return false;
    }
  };
  for (const end = performance.now() + SERVED_WITHIN; !crds.every(isServed); await pause(100)) {
    const missing = crds.filter((each) => !isServed(each)).map(({ crd }) => crd.metadata.name);
    if (performance.now() > end) throw new Error(`not served: ${missing.join(', ')}`);
    await mirror.discover();
  }
}

/** What an installation brings, where it is missing, with the namespace that it needs. */
async function install(mirror: Mirror, { name, objects }: WorldController): Promise<void> {
  const client = remoteClient(mirror, name);
  for (const object of objects) {
    const [group] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : [''];
    const kind = mirror.byKind(group ?? '', object.kind);
    if (kind === undefined) continue;
    const { namespace } = object.metadata;
    if (kind.namespaced && namespace !== undefined)
      await ignoreExisting(
        client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
      );
    await ignoreExisting(client.create(kind, object));
  }
}

async function ignoreExisting(creation: Promise<KubeObject>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
  }
}
