import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/cluster/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { startDouble } from '../../world/doubles/index.js';
import { chosenServers, type Server } from '../apiserver/servers.js';
import { connectCluster } from '../harness/in-process-controller.js';
import { APPLICATIONS, CRDS } from '../../src/model/resources/index.js';

const OURS = join(import.meta.dirname, '../../crds');
const NAMES = [
  'applications.argoproj.io',
  'applicationsets.argoproj.io',
  'appprojects.argoproj.io',
  'argocds.argoproj.io',
  'notebookvalidationjobs.mlops.mlops.dev',
];
const BUILD_AND_START = 20 * 60_000;
const servers = await Promise.all(
  chosenServers().map(async (server) => ({ ...server, absent: await server.missing() })),
);

const widget = (group: string, changes: object = {}): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget', ...changes },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', description: 'as installed' } },
      },
    ],
  },
});

describe.each(servers)('definitions of kinds on $name', ({ open, absent }) => {
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
  }, BUILD_AND_START);
  afterAll(async () => {
    await cluster.close();
    await server.stop();
  });

  it('are created where absent, and served when the call returns', async () => {
    expect((await installCrds(cluster, await readCrds(OURS))).sort()).toEqual(NAMES);
    expect((await cluster.list(APPLICATIONS)).items).toEqual([]);
    expect(await installCrds(cluster, await readCrds(OURS))).toEqual([]);
  });

  it('stay as they are where somebody installed them', async () => {
    await cluster.create(CRDS, widget('theirs.example.com'));
    const ours = widget('theirs.example.com');
    expect(await installCrds(cluster, [{ ...ours, metadata: { ...ours.metadata, labels: { by: 'argosy' } } }])).toEqual(
      [],
    );
    expect((await cluster.get(CRDS, { name: 'widgets.theirs.example.com' }))?.metadata.labels).toBeUndefined();
  });

  it('may be asked for by two at once: each is created once', async () => {
    const both = await Promise.all([
      installCrds(cluster, [widget('twice.example.com')]),
      installCrds(cluster, [widget('twice.example.com')]),
    ]);
    expect(both.flat()).toEqual(['widgets.twice.example.com']);
  });

  it('that can never be served are a fault that says why', async () => {
    const taken = widget('theirs.example.com', { plural: 'widgets2', singular: 'widget' });
    await expect(
      installCrds(cluster, [{ ...taken, metadata: { name: 'widgets2.theirs.example.com' } }]),
    ).rejects.toThrow(/widgets2\.theirs\.example\.com is not served: .*already in use/);
  });
});

describe('definitions on a server that ends its streams early', () => {
  it('are looked for again until they are served', async () => {
    const given = widget('early.example.com');
    const crd = (isServed: boolean): JsonObject => ({
      ...given,
      metadata: { ...given.metadata, resourceVersion: '1' },
      status: { conditions: isServed ? [{ type: 'Established', status: 'True' }] : [] },
    });
    let watches = 0;
    const double = await startDouble((exchange) => {
      if (exchange.query.get('watch') === 'true') {
        watches++;
        exchange.response.writeHead(200, { 'content-type': 'application/json' }).end();
      } else if (exchange.path.endsWith('/customresourcedefinitions')) {
        exchange.send(200, {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinitionList',
          metadata: { resourceVersion: '1' },
          items: [crd(watches === 2)],
        });
      } else exchange.send(200, crd(false));
    });
    const folder = mkdtempSync(join(tmpdir(), 'argosy-early-'));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'a', cluster: { server: double.url } }],
        users: [{ name: 'a', user: {} }],
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
        'current-context': 'a',
      }),
    );
    const cluster = await connectCluster(kubeconfig);
    try {
      expect(await installCrds(cluster, [given])).toEqual([]);
      expect(watches).toBe(2);
      let steady = 0;
      watches = 3;
      const late = {
        now: () => new Date(),
        steady: () => (steady += 50_000),
        after: (_: number, act: () => void) => {
          act();
          return () => undefined;
        },
      };
      await expect(installCrds(cluster, [given], late)).rejects.toThrow(
        'not served within 120 s: widgets.early.example.com (no conditions yet)',
      );
    } finally {
      await cluster.close();
      await double.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the definitions of Argosy', () => {
  it('describe the spec of an Application and of the template of an ApplicationSet alike', async () => {
    const schemas = new Map((await readCrds(OURS)).map((crd) => [crd.metadata.name, schemaOf(crd)]));
    const application = at(schemas.get('applications.argoproj.io'), ['spec']);
    const template = at(schemas.get('applicationsets.argoproj.io'), ['spec', 'template', 'spec']);
    expect(application).toBeDefined();
    expect(template).toEqual(application);
  });
});

function schemaOf(crd: KubeObject): Json | undefined {
  const versions = isObject(crd.spec) ? crd.spec.versions : undefined;
  const first = isArray(versions) ? versions[0] : undefined;
  return isObject(first) && isObject(first.schema) ? first.schema.openAPIV3Schema : undefined;
}

function at(schema: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce(
    (inside, name) => (isObject(inside) && isObject(inside.properties) ? own(inside.properties, name) : undefined),
    schema,
  );
}
