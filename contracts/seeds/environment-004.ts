import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollDelays } from '../harness/poll-delays.js';
import { startApiServer } from '../../src/apiserver/index.js';
import type { Cluster } from '../../src/cluster/index.js';
import { isObject } from '../../src/model/json/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import { readYaml } from '../../src/model/yaml/index.js';
import { splitApiVersion, type KubeObject } from '../../src/model/kubernetes/index.js';
import { Connection } from '../apiserver/connection.js';
import { Api } from '../deliver/api.js';
import { startControllerProcess } from '../deliver/controller.js';
import { connectCluster } from '../harness/in-process-controller.js';
import type { ShellEnvironment } from './shell-environment.js';
import { PODS } from '../../src/model/resources/index.js';

const FOLDER = join(import.meta.dirname, 'world-004');
const WORLD = { directory: join(import.meta.dirname, '../../world'), only: ['vault', 'external-secrets'] };
const WITHIN = 60_000;
/** How each Vault is found. */
const VAULTS = [
  ['ameide-dev', 'foundation-vault-core-0', 'ready'],
  ['ameide-staging', 'vault-core-staging-0', 'sealed'],
  ['ameide-prod', 'vault-core-prod-0', 'ready'],
] as const;

/**
 * Three environments with a Vault and a store each, of which two do not work, some pods that cannot start, and our
 * controller with its log.
 */
export async function openEnvironment(): Promise<ShellEnvironment> {
  const data = mkdtempSync(join(tmpdir(), 'argosy-seed-004-'));
  const server = await startApiServer({
    data: join(data, 'data'),
    port: 0,
    controllers: true,
    log: NO_LOG,
    world: WORLD,
  });
  const [cluster, connection] = [await connectCluster(server.kubeconfig), new Connection(server.kubeconfig)];
  const controller = await startControllerProcess(
    {
      name: 'embedded',
      kubeconfigPath: server.kubeconfig,
      api: new Api(connection),
      rewrite: (text) => text,
      stop: () => Promise.resolve(),
    },
    'argocd',
    {},
  );
  await applyAll(cluster, join(FOLDER, 'objects.yaml'));
  for (const [namespace, name, state] of VAULTS) {
    await untilRunning(cluster, { namespace, name });
    await cluster.patch(
      PODS,
      { namespace, name },
      { type: 'merge', body: { metadata: { annotations: { 'world.argosy.dev/vault': state } } } },
    );
  }
  copyFileSync(join(FOLDER, 'argocd.yaml'), join(data, 'argocd.yaml'));
  symlinkSync(controller.logPath, join(data, 'controller.log'));
  return {
    kubeconfig: server.kubeconfig,
    folder: data,
    close: async () => {
      await controller.stop();
      await connection.close();
      await cluster.close();
      await server.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function applyAll(cluster: Cluster, file: string): Promise<void> {
  const { kinds } = await cluster.discover();
  const objects = readYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file })
    .map(({ value }) => value)
    .filter(isObject) as unknown as KubeObject[];
  for (const object of objects) {
    const { group, version } = splitApiVersion(object.apiVersion);
    const kind = kinds.find((each) => each.group === group && each.version === version && each.kind === object.kind);
    if (kind === undefined) throw new Error(`nobody serves ${object.apiVersion} ${object.kind}`);
    await cluster.apply(kind, object, { force: true });
  }
}

async function untilRunning(
  cluster: Cluster,
  id: { readonly namespace: string; readonly name: string },
): Promise<void> {
  for (const end = Date.now() + WITHIN, next = pollDelays(); ; await next()) {
    const status = (await cluster.get(PODS, id))?.status;
    if (isObject(status) && status.phase === 'Running') return;
    if (Date.now() > end) throw new Error(`${id.name} never ran: ${JSON.stringify(status)}`);
  }
}
