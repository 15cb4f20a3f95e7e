import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import { Connection } from '../apiserver/connection.js';
import { embeddedMissing, startEmbeddedServer } from '../embedded/embedded-server.js';
import { JumpClock } from '../harness/jump-clock.js';
import { Api } from './api.js';
import { Applications } from './applications.js';
import { GitRepository } from '../harness/git-repository.js';
import {
  connectCluster,
  CRDS,
  startInProcessController,
  type InProcessController,
} from '../harness/in-process-controller.js';

// Two controllers would undo each other's work: ours looks and changes nothing as long as Argo CD's delivers, unless it
// is told to take over.
const absent = embeddedMissing();
const LONG = 60_000;
const MINUTE = 60_000;
const NAME = 'argocd-application-controller';
const DELIVERED = { sync: 'Synced', phase: 'Succeeded', objects: { 'ConfigMap/own': {} } };

function workload(kind: 'StatefulSet' | 'Deployment'): JsonObject {
  const labels = { 'app.kubernetes.io/name': NAME };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'any-name', labels },
    spec: {
      ...(kind === 'StatefulSet' ? { serviceName: 'any' } : {}),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'argocd' }] } },
    },
  };
}

describe.skipIf(absent !== undefined)('while a controller of Argo CD delivers', () => {
  let api: Api;
  let kubeconfigPath: string;
  let repository: GitRepository;
  let close: () => Promise<void>;
  let controller: InProcessController | undefined;
  let count = 0;

  beforeAll(async () => {
    const server = await startEmbeddedServer();
    const connection = new Connection(server.kubeconfigPath);
    [api, kubeconfigPath] = [new Api(connection), server.kubeconfigPath];
    const cluster = await connectCluster(kubeconfigPath);
    await installCrds(cluster, await readCrds(CRDS));
    await cluster.close();
    repository = await GitRepository.open('/nonexistent', [], (text) => text);
    await repository.write('app/map.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n');
    await repository.commit();
    close = async () => {
      await connection.close();
      await server.stop();
      await repository.close();
    };
  }, LONG);
  afterAll(() => close(), LONG);

  /** A control plane of its own with one application of the same name that would sync by itself. */
  const open = async (): Promise<Applications> => {
    const namespace = `control-${++count}`;
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, '');
    const applications = new Applications(api, namespace);
    await applications.create(namespace, {
      source: { repoURL: repository.url, path: 'app' },
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: { automated: {} },
    });
    return applications;
  };
  const start = async (
    { namespace }: Applications,
    options: { takesOver?: boolean; clock?: JumpClock } = {},
  ): Promise<InProcessController> => {
    controller = await startInProcessController({ kubeconfigPath, namespace, ...options });
    return controller;
  };
  const using = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } finally {
      await controller?.stop();
      controller = undefined;
      // Ours would find them from any namespace.
      for (const kind of ['StatefulSet', 'Deployment']) {
        for (const { metadata } of (await api.list(kind)) as unknown as readonly KubeObject[])
          await api.delete({ kind, namespace: metadata.namespace, name: metadata.name ?? '' });
      }
    }
  };
  const setReady = async (
    { namespace }: Pick<Applications, 'namespace'>,
    kind: string,
    readyReplicas: number,
  ): Promise<void> => {
    await api.patch(
      { kind, namespace, name: 'any-name' },
      { status: { replicas: 1, readyReplicas } },
      'merge',
      '/status',
    );
  };
  const untouched = async (applications: Applications): Promise<void> => {
    expect((await applications.get(applications.namespace))?.status).toBeUndefined();
    expect(await api.list('ConfigMap', applications.namespace)).toEqual([]);
    expect(await api.list('AppProject', applications.namespace)).toEqual([]);
  };

  it.each(['StatefulSet', 'Deployment'] as const)(
    'as a %s, ours says so and changes nothing, and delivers once it is gone',
    (kind) =>
      using(async () => {
        const applications = await open();
        await api.create(workload(kind), applications.namespace);
        await setReady(applications, kind, 1);
        const clock = new JumpClock();
        const ours = await start(applications, { clock });
        expect(await ours.waitForLogLine('read-only')).toBe(
          `read-only: Argo CD's controller runs as ${kind} ${applications.namespace}/any-name. Stop it, or ` +
            'start with --take-over',
        );
        await ours.waitForReconciles(1);
        await untouched(applications);
        // Another minute of the same is not said again.
        clock.pass(MINUTE);
        await ours.waitForReconciles(1);
        expect(ours.log.filter((line) => line.startsWith('read-only'))).toHaveLength(1);
        await untouched(applications);
        await api.delete({ kind, namespace: applications.namespace, name: 'any-name' });
        clock.pass(MINUTE);
        await applications.until(applications.namespace, DELIVERED, applications.namespace);
      }),
    LONG,
  );

  it(
    'in another namespace, ours steps back all the same',
    () =>
      using(async () => {
        const applications = await open();
        const elsewhere = `elsewhere-${count}`;
        await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: elsewhere } }, '');
        await api.create(workload('StatefulSet'), elsewhere);
        await setReady({ namespace: elsewhere }, 'StatefulSet', 1);
        const ours = await start(applications);
        expect(await ours.waitForLogLine('read-only')).toContain(
          `Argo CD's controller runs as StatefulSet ${elsewhere}/any-name`,
        );
        await ours.waitForReconciles(1);
        await untouched(applications);
      }),
    LONG,
  );

  it(
    'and none of its replicas is ready, ours delivers, and steps back when one is',
    () =>
      using(async () => {
        const applications = await open();
        await api.create(workload('StatefulSet'), applications.namespace);
        const clock = new JumpClock();
        const ours = await start(applications, { clock });
        await applications.until(applications.namespace, DELIVERED, applications.namespace);
        await setReady(applications, 'StatefulSet', 1);
        clock.pass(MINUTE);
        await ours.waitForLogLine('read-only');
        await api.delete({ kind: 'ConfigMap', group: '', namespace: applications.namespace, name: 'own' });
        await api.patch(applications.name(applications.namespace), { operation: { sync: {} } });
        await ours.waitForReconciles(4);
        expect((await applications.get(applications.namespace))?.operation).toEqual({ sync: {} });
        expect(await api.list('ConfigMap', applications.namespace)).toEqual([]);
      }),
    LONG,
  );

  it(
    'and ours is told to take over, it delivers',
    () =>
      using(async () => {
        const applications = await open();
        await api.create(workload('StatefulSet'), applications.namespace);
        await setReady(applications, 'StatefulSet', 1);
        const ours = await start(applications, { takesOver: true });
        await applications.until(applications.namespace, DELIVERED, applications.namespace);
        expect(ours.log.filter((line) => line.startsWith('read-only'))).toEqual([]);
      }),
    LONG,
  );

  it(
    'where nobody sees it, what it wrote a short time ago shows it, until three periods have passed',
    () =>
      using(async () => {
        const applications = await open();
        await api.patch(
          applications.name(applications.namespace),
          { metadata: { annotations: { seen: 'yes' } } },
          'merge',
          `?fieldManager=${NAME}`,
        );
        const clock = new JumpClock();
        const ours = await start(applications, { clock });
        expect(await ours.waitForLogLine('read-only')).toContain(
          `Argo CD's controller wrote ${applications.namespace}/${applications.namespace} recently`,
        );
        await ours.waitForReconciles(1);
        await untouched(applications);
        clock.pass(7 * MINUTE);
        await applications.until(applications.namespace, DELIVERED, applications.namespace);
      }),
    LONG,
  );
});

if (absent !== undefined)
  it.skip(absent, () => {
    /* the name says why */
  });
