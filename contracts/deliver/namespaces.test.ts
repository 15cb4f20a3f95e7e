import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/cluster/index.js';
import type { ResourceRef } from '../../src/model/resources/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import { type JsonObject, textAt } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { embeddedMissing, startEmbeddedServer } from '../embedded/embedded-server.js';
import { startRealControlPlane } from '../real/control-plane.js';
import { realParts } from '../real/parts.js';
import { IS_WHOLE } from '../harness/sizes.js';
import { GitRepository } from '../harness/git-repository.js';
import {
  connectCluster,
  CRDS,
  startInProcessController,
  type InProcessController,
} from '../harness/in-process-controller.js';

const ref = (kind: string, plural: string, group = '', version = 'v1', namespaced = true): ResourceRef => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});
const [APPLICATIONS, PROJECTS, CONFIG_MAPS, SECRETS, LEASES, NAMESPACES] = [
  ref('Application', 'applications', 'argoproj.io', 'v1alpha1'),
  ref('AppProject', 'appprojects', 'argoproj.io', 'v1alpha1'),
  ref('ConfigMap', 'configmaps'),
  ref('Secret', 'secrets'),
  ref('Lease', 'leases', 'coordination.k8s.io'),
  ref('Namespace', 'namespaces', '', 'v1', false),
];
const IN_CLUSTER = 'https://kubernetes.default.svc';
/** Nobody collects garbage here, so nothing waits for it. */
const FINALIZER = 'resources-finalizer.argocd.argoproj.io/background';
const WITHIN = { timeout: 60_000, interval: 100 };

/** A server that is reached by two names, as two clusters. */
interface Server {
  readonly kubeconfigPath: string;
  /** The second one, as its Secret has it; absent where there is none. */
  readonly second?: { readonly server: string; readonly config: JsonObject };
  stop(): Promise<void>;
}

const parts = await realParts(['etcd', 'kube-apiserver']);
const SERVERS: readonly {
  readonly name: string;
  readonly missing: string | undefined;
  readonly divides: 'applications' | 'clusters';
  readonly open: () => Promise<Server>;
}[] = [
  {
    name: 'the embedded server',
    missing: embeddedMissing(),
    divides: 'applications',
    open: () => startEmbeddedServer('all'),
  },
  {
    name: 'a real API server',
    missing: parts.kind === 'missing' ? `skipped: the real control plane (${parts.reason})` : undefined,
    divides: 'clusters',
    open: async () => {
      const plane = await startRealControlPlane({ etcdFsync: false });
      return {
        kubeconfigPath: plane.kubeconfigPath,
        second: {
          server: plane.url,
          config: {
            bearerToken: plane.adminToken,
            tlsClientConfig: { caData: Buffer.from(plane.caPem).toString('base64') },
          },
        },
        stop: () => plane.stop(),
      };
    },
  },
];

/** The namespaces of one control plane: what its administrator allows, and names that are almost so. */
function places(count: number): {
  readonly control: string;
  readonly allowed: readonly string[];
  readonly strange: readonly string[];
  readonly patterns: string;
} {
  const control = `argocd-${count}`;
  return {
    control,
    allowed: [control, `team-a-${count}`, `open-1-${count}`],
    strange: [`team-b-${count}`, `team-a-too-${count}`, `xteam-a-${count}`, `opened-${count}`, `other-${count}`],
    patterns: `team-a-${count}, open-?-${count}`,
  };
}

/** The applications that a controller tells of, `namespace/name`. */
function namespacesInMetrics(metrics: string): string[] {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith('argocd_app_info{'))
    .map((line) => {
      const labels = new Map(
        [...line.matchAll(/[{,](\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
      );
      return `${labels.get('namespace') ?? ''}/${labels.get('name') ?? ''}`;
    });
}

describe.each(
  SERVERS.map(
    (server) => [`${server.name}${server.missing === undefined ? '' : ` (${server.missing})`}`, server] as const,
  ),
)('applications of other namespaces on %s', (_, { missing, divides, open }) => {
  let server: Server;
  let cluster: Cluster;
  let repository: GitRepository;
  const isThere = missing === undefined;

  beforeAll(async () => {
    if (!isThere) return;
    server = await open();
    cluster = await connectCluster(server.kubeconfigPath);
    repository = await GitRepository.open(import.meta.dirname, [], (text) => text);
    for (const name of ['one', 'two'])
      await repository.write(
        `${name}/all.yaml`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: b}\n`,
      );
    await repository.commit();
    await installCrds(cluster, await readCrds(CRDS));
  });
  afterAll(async () => {
    if (!isThere) return;
    await cluster.close();
    await server.stop();
    await repository.close();
  });

  // Two shards show most of what one and three do.
  const shards = IS_WHOLE ? [1, 2, 3] : [2];
  describe.skipIf(!isThere).each(shards)('with %i shards', (count) => {
    const { control, allowed, strange, patterns } = places(count);
    const shards: InProcessController[] = [];
    const start = async (index: number): Promise<void> => {
      shards[index] = await startInProcessController({
        kubeconfigPath: server.kubeconfigPath,
        namespace: control,
        shard: { index, count },
      });
    };
    /** Two in each namespace; where clusters are divided the second of them belongs to the last shard. */
    const applications = (namespaces: readonly string[]): { readonly namespace: string; readonly name: string }[] =>
      namespaces.flatMap((namespace) => ['one', 'two'].map((name) => ({ namespace, name })));
    const application = (namespace: string, name: string, more: Partial<KubeObject> = {}): KubeObject => ({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { namespace, name, finalizers: [FINALIZER], annotations: { 'argocd.argoproj.io/refresh': 'hard' } },
      spec: {
        project: 'default',
        source: { repoURL: repository.url, path: name, targetRevision: 'master' },
        destination: {
          server: name === 'two' ? (server.second?.server ?? IN_CLUSTER) : IN_CLUSTER,
          namespace: `out-${namespace}`,
        },
        syncPolicy: { automated: {} },
      },
      ...more,
    });
    const read = (namespace: string, name: string): Promise<KubeObject | undefined> =>
      cluster.get(APPLICATIONS, { namespace, name });
    const isDelivered = async (namespace: string, name: string): Promise<boolean> =>
      (await cluster.get(CONFIG_MAPS, { namespace: `out-${namespace}`, name })) !== undefined;
    const create = (
      kind: ResourceRef,
      name: string,
      content: JsonObject,
      labels: Readonly<Record<string, string>> = {},
    ): Promise<unknown> =>
      cluster.create(kind, {
        apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
        kind: kind.kind,
        metadata: { name, namespace: control, labels },
        ...content,
      });

    beforeAll(async () => {
      for (const name of [...allowed, ...strange].flatMap((each) => [each, `out-${each}`]))
        await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      await create(CONFIG_MAPS, 'argocd-cmd-params-cm', {
        data: { 'application.namespaces': patterns, 'argosy.shard-by-application': String(divides === 'applications') },
      });
      // Control planes of one cluster tell their objects apart by it.
      await create(CONFIG_MAPS, 'argocd-cm', { data: { installationID: control } });
      await create(PROJECTS, 'default', {
        spec: {
          sourceRepos: ['*'],
          sourceNamespaces: ['*'],
          destinations: [{ server: '*', namespace: '*' }],
          clusterResourceWhitelist: [{ group: '*', kind: '*' }],
        },
      });
      if (server.second !== undefined)
        await create(
          SECRETS,
          'second',
          {
            stringData: {
              name: 'second',
              server: server.second.server,
              config: JSON.stringify(server.second.config),
              shard: String(count - 1),
            },
          },
          { 'argocd.argoproj.io/secret-type': 'cluster' },
        );
      for (const { namespace, name } of applications(strange))
        await cluster.create(
          APPLICATIONS,
          application(namespace, name, namespace === strange[0] ? { operation: { sync: { revision: 'master' } } } : {}),
        );
      for (let index = 0; index < count; index++) await start(index);
      for (const { namespace, name } of applications(allowed))
        await cluster.create(APPLICATIONS, application(namespace, name));
    });
    afterAll(async () => {
      for (const shard of shards) await shard.stop();
    });

    const untouched = async (): Promise<void> => {
      for (const { namespace, name } of applications(strange)) {
        const object = await read(namespace, name);
        expect([
          namespace,
          name,
          object?.status,
          object?.metadata.generation,
          object?.metadata.annotations,
          await isDelivered(namespace, name),
        ]).toEqual([namespace, name, undefined, 1, { 'argocd.argoproj.io/refresh': 'hard' }, false]);
        expect(object?.metadata.managedFields?.map(({ manager }) => manager)).toHaveLength(1);
      }
    };
    /** Every shard looked, and all of them together at what is allowed. */
    const looked = async (): Promise<void> => {
      for (const { namespace, name } of applications(allowed)) {
        await cluster.patch(
          APPLICATIONS,
          { namespace, name },
          { type: 'merge', body: { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } } },
        );
        await expect
          .poll(async () => Object.keys((await read(namespace, name))?.metadata.annotations ?? {}), WITHIN)
          .not.toContain('argocd.argoproj.io/refresh');
      }
    };

    it('S28: those of allowed namespaces are delivered, others are not touched', async () => {
      for (const { namespace, name } of applications(allowed))
        await expect.poll(() => isDelivered(namespace, name), WITHIN).toBe(true);
      for (const { namespace, name } of applications(allowed))
        await expect
          .poll(async () => textAt((await read(namespace, name)) ?? {}, 'status', 'sync', 'status'), WITHIN)
          .toBe('Synced');
      await untouched();
    });

    it('S28: every shard leads its own part, and no application has two', async () => {
      const holders = await Promise.all(
        shards.map(
          async (_shard, index) =>
            (
              await cluster.get(LEASES, {
                namespace: control,
                name: `argosy-application-controller${index === 0 ? '' : `-${index}`}`,
              })
            )?.spec as JsonObject | undefined,
        ),
      );
      expect(new Set(holders.map((spec) => spec?.holderIdentity)).size).toBe(count);
      const shown = await Promise.all(shards.map(async (shard) => namespacesInMetrics(await shard.metrics())));
      expect(shown.flat().sort()).toEqual(
        applications(allowed)
          .map(({ namespace, name }) => `${namespace}/${name}`)
          .sort(),
      );
      if (divides === 'clusters' && count > 1)
        expect(shown.map((names) => names.length)).toEqual(
          Array.from({ length: count }, (_each, index) => (index === 0 || index === count - 1 ? 3 : 0)),
        );
    });

    it('S28: nor when somebody asks for them, or another process takes the place of a shard', async () => {
      await looked();
      await shards[count - 1]?.stop();
      await start(count - 1);
      await looked();
      await untouched();
    });

    if (divides === 'clusters' && count > 1)
      it('a cluster that is given to another shard is looked after there, and nowhere else', async () => {
        await cluster.patch(
          SECRETS,
          { namespace: control, name: 'second' },
          { type: 'merge', body: { data: { shard: Buffer.from('0').toString('base64') } } },
        );
        await expect
          .poll(
            async () => [
              ((await shards[0]?.metrics()) ?? '').match(/^argocd_cluster_info/gm)?.length,
              ((await shards[count - 1]?.metrics()) ?? '').match(/^argocd_cluster_info/gm),
            ],
            WITHIN,
          )
          .toEqual([2, null]);
        await looked();
        await untouched();
      });

    it('S28: one that is deleted keeps its finalizer, since nobody here may act on it', async () => {
      const [mine, foreign] = [
        { namespace: allowed[1] ?? '', name: 'two' },
        { namespace: strange[0] ?? '', name: 'two' },
      ];
      for (const { namespace, name } of [foreign, mine])
        await cluster.remove(
          APPLICATIONS,
          { namespace, name },
          { uid: (await read(namespace, name))?.metadata.uid ?? '' },
        );
      await expect.poll(() => read(mine.namespace, mine.name), WITHIN).toBeUndefined();
      expect((await read(foreign.namespace, foreign.name))?.metadata.finalizers).toEqual([FINALIZER]);
      expect(await isDelivered(mine.namespace, mine.name)).toBe(false);
    });
  });
});
