import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Connection } from '../apiserver/connection.js';
import { embeddedMissing, startEmbeddedServer } from '../embedded/embedded-server.js';
import { type JsonObject, objectAt } from '../../src/model/json/index.js';
import { Api } from './api.js';
import { Applications } from './applications.js';
import type { Expectation } from './case.js';
import { GitRepository } from '../harness/git-repository.js';
import { startInProcessController, type InProcessController } from '../harness/in-process-controller.js';

// A controller that starts again looks in full only at applications about which something changed while it was away.
const absent = embeddedMissing();
const LONG = 60_000;
const DELIVERED: Expectation = {
  sync: 'Synced',
  health: 'Healthy',
  phase: 'Succeeded',
  objects: { 'ConfigMap/own': { data: { of: 'git' } } },
};
const FAILED: Expectation = { ...DELIVERED, phase: 'Error' };
const MAP = (value: string, name = 'own'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {of: ${value}}\n`;

interface Scene {
  readonly applications: Applications;
  readonly repository: GitRepository;
  readonly api: Api;
  readonly data: string;
}

interface Meanwhile {
  readonly what: string;
  readonly act: (scene: Scene) => Promise<unknown>;
  readonly then: Expectation;
}

const map = (
  { applications }: Scene,
  name: string,
): { kind: string; group: string; namespace: string; name: string } => ({
  kind: 'ConfigMap',
  group: '',
  namespace: applications.namespace,
  name,
});

const CHANGES: readonly Meanwhile[] = [
  {
    what: 'an object was changed',
    act: (scene) => scene.api.patch(map(scene, 'own'), { data: { of: 'somebody' } }),
    then: DELIVERED,
  },
  { what: 'an object was deleted', act: (scene) => scene.api.delete(map(scene, 'own')), then: DELIVERED },
  {
    what: 'an object came up that says it belongs to the application',
    act: ({ api, applications: { namespace } }) =>
      api.create(
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            name: 'more',
            annotations: { 'argocd.argoproj.io/tracking-id': `${namespace}:/ConfigMap:${namespace}/more` },
          },
        },
        namespace,
      ),
    // Nobody collects garbage here.
    then: { objects: { 'ConfigMap/own': {}, 'ConfigMap/more': { metadata: { deletionGracePeriodSeconds: 0 } } } },
  },
  {
    what: 'a commit came',
    act: async ({ repository }) => {
      await repository.write('app/map.yaml', MAP('later'));
      await repository.commit();
    },
    then: { sync: 'Synced', objects: { 'ConfigMap/own': { data: { of: 'later' } } } },
  },
  {
    what: 'the application was changed',
    act: async (scene) => {
      await scene.repository.write('other/map.yaml', MAP('elsewhere'));
      await scene.repository.commit();
      await scene.api.patch(scene.applications.name(scene.applications.namespace), {
        spec: { source: { path: 'other' } },
      });
    },
    then: { sync: 'Synced', objects: { 'ConfigMap/own': { data: { of: 'elsewhere' } } } },
  },
  {
    what: 'a setting was changed',
    act: ({ api, applications: { namespace } }) =>
      api.create(
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'argocd-cm', labels: { 'app.kubernetes.io/part-of': 'argocd' } },
          data: { 'resource.exclusions': '- kinds: [ConfigMap]\n  clusters: ["*"]\n' },
        },
        namespace,
      ),
    then: { conditions: { ExcludedResourceWarning: 'resource.exclusions' } },
  },
  {
    what: 'the project was changed',
    act: ({ api, applications: { namespace } }) =>
      api.delete({ kind: 'AppProject', group: 'argoproj.io', namespace, name: 'default' }),
    then: DELIVERED,
  },
  {
    what: 'the file of what was settled was damaged',
    act: ({ data }) => Promise.resolve(damage(join(data, 'settled.json'))),
    then: DELIVERED,
  },
];

function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

describe.skipIf(absent !== undefined)('after a restart', () => {
  let api: Api;
  let kubeconfigPath: string;
  let close: () => Promise<void>;
  let count = 0;

  beforeAll(async () => {
    const server = await startEmbeddedServer();
    const connection = new Connection(server.kubeconfigPath);
    [api, kubeconfigPath] = [new Api(connection), server.kubeconfigPath];
    close = async () => {
      await connection.close();
      await server.stop();
    };
  }, LONG);
  afterAll(() => close(), LONG);

  /** One life that delivers, what happens while nobody is there, and a second life. */
  async function relive(
    act: (scene: Scene) => Promise<unknown>,
    then: (scene: Scene, second: InProcessController) => Promise<void>,
    before: (scene: Scene, first: InProcessController) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const namespace = `restart-${++count}`;
    const data = mkdtempSync(join(tmpdir(), 'argosy-restart-'));
    const repository = await GitRepository.open('/nonexistent', [], (text) => text);
    let controller: InProcessController | undefined;
    try {
      await repository.write('app/map.yaml', MAP('git'));
      await repository.commit();
      await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, '');
      const applications = new Applications(api, namespace);
      const scene = { api, applications, repository, data };
      controller = await startInProcessController({ kubeconfigPath, namespace, data });
      await applications.create(namespace, {
        source: { repoURL: repository.url, path: 'app' },
        destination: { server: 'https://kubernetes.default.svc', namespace },
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      });
      await applications.until(namespace, DELIVERED, namespace);
      await before(scene, controller);
      await controller.stop();
      await act(scene);
      controller = await startInProcessController({ kubeconfigPath, namespace, data });
      await then(scene, controller);
    } finally {
      await controller?.stop();
      await repository.close();
      rmSync(data, { recursive: true, force: true });
    }
  }

  it(
    'nothing is made or compared where nothing changed',
    () =>
      relive(
        () => Promise.resolve(),
        async ({ applications }, second) => {
          await second.waitForReconciles(1);
          await applications.until(applications.namespace, DELIVERED, applications.namespace);
          expect(await second.metric('argosy_comparisons_total')).toBe(0);
          // What changes from now on is seen.
          await api.patch(
            { kind: 'ConfigMap', group: '', namespace: applications.namespace, name: 'own' },
            { data: { of: 'somebody' } },
          );
          await applications.until(applications.namespace, DELIVERED, applications.namespace);
        },
      ),
    LONG,
  );

  it(
    'an application whose last sync failed is compared, although it is Synced and Healthy',
    () =>
      relive(
        () => Promise.resolve(),
        async ({ applications }, second) => {
          await second.waitForMetric('argosy_comparisons_total', 1);
          await applications.until(applications.namespace, FAILED, applications.namespace);
        },
        async ({ applications }) => {
          await api.patch(applications.name(applications.namespace), {
            operation: { sync: { revision: 'f00df00df00df00df00df00df00df00df00df00d' } },
          });
          await applications.until(applications.namespace, FAILED, applications.namespace);
        },
      ),
    LONG,
  );

  it(
    'a render that takes long held up nobody who stopped, and is no error of the application',
    () => {
      const text = (app: JsonObject | undefined): string => JSON.stringify(objectAt(app ?? {}, 'status', 'conditions'));
      let before = '';
      return relive(
        async ({ applications, repository }) => {
          expect(text(await applications.get(applications.namespace))).toBe(before);
          await repository.write('app/templates/all.tpl.yaml', MAP('later'));
          await repository.commit();
        },
        async ({ applications }) => {
          await applications.until(
            applications.namespace,
            { sync: 'Synced', objects: { 'ConfigMap/own': { data: { of: 'later' } } } },
            applications.namespace,
          );
        },
        async ({ applications, repository }, first) => {
          before = text(await applications.get(applications.namespace));
          const renders = await first.metric('argosy_renders_total');
          await repository.write('app/Chart.yaml', 'apiVersion: v2\nname: app\nversion: 1.0.0\n');
          // Each step takes long, so a render ends by its time, not by the number of its steps.
          await repository.write(
            'app/templates/all.tpl.yaml',
            '{{ range until 10000 }}{{ $_ := genPrivateKey "rsa" }}{{ end }}',
          );
          await repository.commit();
          await api.patch(applications.name(applications.namespace), {
            metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
          });
          await first.waitForMetric('argosy_renders_total', renders + 1);
        },
      );
    },
    LONG,
  );

  it.each(CHANGES)(
    'it is noticed that $what',
    ({ act, then }) =>
      relive(act, async ({ applications }, second) => {
        await second.waitForMetric('argosy_comparisons_total', 1);
        await applications.until(applications.namespace, then, applications.namespace);
      }),
    LONG,
  );
});
