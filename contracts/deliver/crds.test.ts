import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/cluster/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import { isArray, isObject, objectsAt, own, type Json } from '../../src/model/json/index.js';
import { nextStatus } from '../../src/control/status/index.js';
import { parseApplication } from '../../src/model/argo/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { chosenServers, type Server } from '../apiserver/servers.js';
import { argoCdModule } from '../argocd/module.js';
import { connectCluster } from '../harness/in-process-controller.js';
import { manifestsBelow, manifestsOfSeeds, type FoundManifest } from './manifests.js';
import { APPLICATIONS, NOTEBOOK_VALIDATION_JOBS, type ResourceRef } from '../../src/model/resources/index.js';

const OURS = join(import.meta.dirname, '../../crds');
const BUILD_AND_START = 20 * 60_000;
const argoCd = argoCdModule();
const servers = await Promise.all(
  chosenServers().map(async (server) => ({ ...server, absent: await server.missing() })),
);

const kindRef = (kind: string, plural: string, namespaced = true): ResourceRef => ({
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind,
  plural,
  namespaced,
});
const PLACES: Readonly<Record<string, ResourceRef>> = {
  Application: kindRef('Application', 'applications'),
  AppProject: kindRef('AppProject', 'appprojects'),
  ApplicationSet: kindRef('ApplicationSet', 'applicationsets'),
  NotebookValidationJob: NOTEBOOK_VALIDATION_JOBS,
};

/** Fields that the main branch of Argo CD has and release 3.5 has not. */
const NEWER = ['disableExtensionFilter'];

/** What the definition of the original refuses as well (the first test says that the two are equal), and why. */
const REFUSED: Readonly<Record<string, string>> = {
  'applicationset.yaml': 'the page of the manual has fields that no version knows',
  'design-doc/': 'sketches of a design, without fields that became required',
  'matrix/matrix-and-union-in-matrix': 'union was renamed to merge',
};

describe.skipIf(argoCd === undefined)(
  argoCd === undefined ? 'skipped: the source of Argo CD (go is missing)' : 'our definitions',
  () => {
    it.each(['application', 'appproject', 'applicationset'])(
      '%s says the same as the original of Argo CD, words aside',
      async (name) => {
        const [theirs] = (await readCrds(join(argoCd ?? '', 'manifests/crds/'), [`${name}-crd.yaml`])).map((crd) =>
          bare(crd),
        );
        const [ours] = (await readCrds(OURS, [`${name}.yaml`])).map((crd) => bare(crd));
        expect(ours).toEqual(theirs);
      },
    );
  },
);

describe.each(servers)('our definitions on $name', ({ open, absent }) => {
  if (absent !== undefined) {
    it.skip(absent, () => {
      /* the name says why */
    });
    return;
  }
  let server: Server;
  let cluster: Cluster;
  beforeAll(async () => {
    server = await open();
    cluster = await connectCluster(server.kubeconfig);
    expect(await installCrds(cluster, await readCrds(OURS))).toHaveLength(5);
  }, BUILD_AND_START);
  afterAll(async () => {
    await cluster.close();
    await server.stop();
  });

  const refusals = async (found: readonly FoundManifest[]): Promise<string[]> =>
    (
      await Promise.all(
        found.map(async ({ where, object }) => {
          const kind = PLACES[object.kind];
          if (kind === undefined) throw new Error(`no place for ${object.kind}`);
          const metadata = {
            ...object.metadata,
            ...(object.metadata.name === undefined && object.metadata.generateName === undefined
              ? { generateName: 'nameless-' }
              : {}),
            namespace: 'default',
          };
          return cluster.create(kind, { ...object, metadata }, { dryRun: true, fieldValidation: 'Strict' }).then(
            () => '',
            (error: unknown) => `${where}: ${String(error)}`,
          );
        }),
      )
    ).filter((text) => text !== '' && !Object.keys(REFUSED).some((where) => text.startsWith(where)));

  it('the served kinds have the names, short names and columns that people type and read', async () => {
    // The discovery document of a real API server follows the definitions a moment later.
    await expect
      .poll(
        async () =>
          (await cluster.discover()).kinds
            .filter(({ group }) => group === 'argoproj.io')
            .map(({ kind, shortNames }) => [kind, shortNames])
            .sort(),
        { timeout: 30_000 },
      )
      .toEqual([
        ['AppProject', ['appproj', 'appprojs']],
        ['Application', ['app', 'apps']],
        ['ApplicationSet', ['appset', 'appsets']],
        ['ArgoCD', []],
      ]);
    expect((await cluster.table(PLACES['Application'] ?? kindRef('', ''), {})).columns).toEqual([
      'Name',
      'Sync Status',
      'Health Status',
      'Revision',
      'Project',
    ]);
  });

  it('the largest status that the controller writes is stored, also of a large Application', async () => {
    const created = await cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { namespace: 'default', name: 'large' },
      spec: {
        project: 'default',
        source: { repoURL: 'https://git.example.com/shop.git', path: '.' },
        destination: { name: 'in-cluster' },
        info: [{ name: 'notes', value: '<'.repeat(30_000) + 'x'.repeat(200_000) }],
      },
    });
    const resources = Array.from({ length: 15_000 }, (_, index) => ({
      key: { group: '', kind: 'ConfigMap', namespace: 'shop', name: `settings-${index}` },
      origin: '',
      isHook: false,
      status: 'OutOfSync' as const,
      health: { status: 'Degraded' as const, message: '<&>' },
      differences: [],
      requiresPruning: false,
      isChecked: false,
    }));
    const status = nextStatus(
      parseApplication(created),
      {
        sync: 'OutOfSync',
        health: { status: 'Degraded' },
        conditions: [],
        comparedState: { resources },
        revisions: [],
        sourceTypes: [],
      },
      undefined,
      [],
      '2026-01-01T00:00:00Z',
    );
    const written = await cluster.patch(
      APPLICATIONS,
      { namespace: 'default', name: 'large' },
      { type: 'merge', body: { status } },
    );
    expect(objectsAt(written, 'status', 'resources').length).toBeGreaterThan(4000);
  });

  it.skipIf(argoCd === undefined)(
    argoCd === undefined
      ? 'skipped: the source of Argo CD (go is missing)'
      : 'take every manifest of the manual and the tests of Argo CD',
    { timeout: 120_000 },
    async () => {
      const found = ['docs/operator-manual', 'test/e2e/testdata', 'applicationset/examples'].flatMap((folder) =>
        manifestsBelow(join(argoCd ?? '', folder)),
      );
      expect(found.length).toBeGreaterThan(50);
      expect(await refusals(found)).toEqual([]);
    },
  );

  const seeds = manifestsOfSeeds();
  it.skipIf(seeds.length === 0)(
    seeds.length === 0 ? 'skipped: the seeds are not here' : 'take every manifest of the seeds',
    async () => {
      expect(seeds.filter(({ object }) => object.kind === 'NotebookValidationJob')).toHaveLength(6);
      expect(await refusals(seeds)).toEqual([]);
    },
  );

  it('refuse a value of a wrong type with the name of its field', async () => {
    const wrong: KubeObject = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'wrong', namespace: 'default' },
      spec: {
        project: 'default',
        destination: { server: 7 },
        source: { path: 'a' },
        syncPolicy: { automated: { prune: 'yes' } },
      },
    };
    const [refusal = ''] = await refusals([{ where: 'here', object: wrong }]);
    for (const field of ['spec.destination.server', 'spec.source.repoURL', 'spec.syncPolicy.automated.prune'])
      expect(refusal).toContain(field);
  });

  it('keep the values of a chart as they are, and status with the object itself', async () => {
    const application: KubeObject = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'values', namespace: 'default' },
      spec: {
        project: 'default',
        destination: { name: 'in-cluster' },
        source: { repoURL: 'https://example.com/x', helm: { valuesObject: { any: [{ thing: null }] } } },
      },
      status: { sync: { status: 'Synced' } },
    };
    const made = await cluster.create(PLACES['Application'] ?? kindRef('', ''), application);
    expect(made.spec).toEqual(application.spec);
    expect(made.status).toEqual(application.status);
  });
});

/** A definition without words, order and what only newer ones have. */
function bare(value: Json | KubeObject | undefined, under = ''): unknown {
  if (isArray(value)) return under === 'required' ? [...value].sort() : value.map((item) => bare(item));
  if (!isObject(value)) return value;
  const names = Object.keys(value).filter(
    (name) =>
      !(name === 'description' && typeof own(value, name) === 'string') &&
      !(under === 'properties' && NEWER.includes(name)) &&
      !(under === 'metadata' && name === 'annotations'),
  );
  return Object.fromEntries(names.map((name) => [name, bare(own(value, name), name)]));
}
