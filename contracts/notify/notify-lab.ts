import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installCrds, readCrds } from '../../src/control/index.js';
import type { Api } from '../deliver/api.js';
import { Applications } from '../deliver/applications.js';
import { GitRepository } from '../harness/git-repository.js';
import type { DeliverCluster } from '../deliver/clusters.js';
import { connectCluster, CRDS } from '../harness/in-process-controller.js';
import { ControllerProcess } from '../faults/controller-process.js';
import { freePorts } from '../real/free-port.js';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.js';

/** Of a ConfigMap that says itself how it is. */
const LUA =
  "local a = obj.metadata.annotations or {}\nreturn {status = a.health or 'Healthy', message = a.words or ''}\n";
export const TOKEN = 'token-that-nobody-may-see';

/** A cluster with one application, a receiver, and a controller that can be killed. */
export interface NotifyLab {
  readonly api: Api;
  readonly applications: Applications;
  readonly receiver: WebhookReceiver;
  readonly repository: GitRepository;
  /** Writes `argocd-notifications-cm` anew. */
  configure(data: Readonly<Record<string, string>>): Promise<void>;
  subscribe(annotations: Readonly<Record<string, string>>): Promise<void>;
  /** Makes the application healthy or degraded. */
  health(status: string, words?: string): Promise<void>;
  start(): Promise<ControllerProcess>;
  /** Everything that any controller of this lab wrote to its log. */
  logs(): string;
  close(): Promise<void>;
}

/** On a cluster of its own, which ends with it. */
export async function openNotifyLab({ api, kubeconfigPath, stop }: DeliverCluster): Promise<NotifyLab> {
  const dir = mkdtempSync(join(tmpdir(), 'argosy-notify-'));
  const cluster = await connectCluster(kubeconfigPath);
  await installCrds(cluster, await readCrds(CRDS));
  await cluster.close();
  const [repository, receiver] = [
    await GitRepository.open('/nonexistent', [], (text) => text),
    await startWebhookReceiver(),
  ];
  await repository.write('app/map.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: model}\n');
  await repository.commit();
  for (const name of ['argocd', 'shop'])
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, '');
  await api.create(
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-cm' },
      data: { 'resource.customizations.health.ConfigMap': LUA, url: 'https://argosy.example.com' },
    },
    'argocd',
  );
  await api.create(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argocd-notifications-cm' }, data: {} },
    'argocd',
  );
  await api.create(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'argocd-notifications-secret' },
      data: { token: Buffer.from(TOKEN).toString('base64') },
    },
    'argocd',
  );
  const applications = new Applications(api, 'argocd');
  const controllers: ControllerProcess[] = [];
  const map = { kind: 'ConfigMap', group: '', namespace: 'argocd', name: 'argocd-notifications-cm' };
  return {
    api,
    applications,
    receiver,
    repository,
    configure: async (data) => {
      await api.patch(map, [{ op: 'replace', path: '/data', value: { ...data } }], 'json');
    },
    subscribe: async (annotations) => {
      await api.patch(applications.name('shop'), { metadata: { annotations: { ...annotations } } });
    },
    health: async (status, words = '') => {
      await api.patch(
        { kind: 'ConfigMap', group: '', namespace: 'shop', name: 'model' },
        { metadata: { annotations: { health: status, words } } },
      );
    },
    start: async () => {
      const controller = ControllerProcess.start({
        kubeconfig: kubeconfigPath,
        dir: join(dir, String(controllers.length)),
        data: join(dir, 'data'),
        metricsPort: (await freePorts(1))[0] ?? 0,
      });
      controllers.push(controller);
      await controller.ready();
      return controller;
    },
    logs: () => controllers.map((controller) => controller.log()).join('\n'),
    close: async () => {
      for (const controller of controllers) await controller.stop();
      await receiver.close();
      await repository.close();
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
