import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClientDependencies,
  type Cluster,
  type ClusterConfig,
  ClusterError,
  connect,
  loadKubeconfig,
  startLeaderElection,
  systemClock,
  watchKinds,
} from '../../src/cluster/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { chosenServers, type Server } from '../apiserver/servers.js';
import {
  CONFIG_MAPS,
  LEASES,
  NAMESPACES,
  ROLES,
  ROLE_BINDINGS,
  SECRETS,
  type ResourceRef,
} from '../../src/model/resources/index.js';

const BUILD_AND_START = 20 * 60_000;
const WITHIN = 20_000;
const core = (kind: string, plural: string, namespaced = true): ResourceRef => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true };
const servers = await Promise.all(
  chosenServers().map(async (server) => ({ ...server, absent: await server.missing() })),
);

const reports: string[] = [];
const world: ClientDependencies = { clock: systemClock, random: Math.random, report: (line) => reports.push(line) };
const map = (namespace: string, name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  ...more,
});

async function refusal(promise: Promise<unknown>): Promise<ClusterError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ClusterError)) throw new Error(`expected a refusal, got ${String(error)}`);
  return error;
}

async function until(what: string, condition: () => boolean): Promise<void> {
  const end = performance.now() + WITHIN;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within ${WITHIN / 1000} s: ${what}`);
    await delay(10);
  }
}

describe.each(servers)('the client on $name', ({ open, absent }) => {
  if (absent !== undefined) {
    it.skip(absent, () => {
      /* the name says why */
    });
    return;
  }
  let server: Server;
  let config: ClusterConfig;
  let cluster: Cluster;
  const client = (changes: Partial<ClusterConfig> = {}): Cluster =>
    connect({ ...config, ...changes }, world, { version: '0.0.0', environment: {} });
  const inNamespace = async (name: string): Promise<string> => {
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return name;
  };
  beforeAll(async () => {
    server = await open();
    config = await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: '' });
    cluster = client();
  }, BUILD_AND_START);
  afterAll(async () => {
    await cluster.close();
    await server.stop();
  });

  it('discovers kinds with their scope, verbs and subresources', async () => {
    const { kinds, failed } = await cluster.discover();
    expect(failed).toEqual([]);
    const deployment = kinds.find(({ group, kind }) => group === 'apps' && kind === 'Deployment');
    expect(deployment).toMatchObject({
      version: 'v1',
      plural: 'deployments',
      namespaced: true,
      preferred: true,
      singular: 'deployment',
      shortNames: ['deploy'],
      categories: ['all'],
    });
    expect([...(deployment?.subresources ?? [])].sort()).toEqual(['scale', 'status']);
    expect(deployment?.verbs).toContain('watch');
    expect(kinds.find(({ kind }) => kind === 'Namespace')).toMatchObject({ namespaced: false });
  });

  it('lists page by page, with apiVersion and kind on every object', async () => {
    const namespace = await inNamespace('pages');
    for (let index = 0; index < 7; index++) await cluster.create(CONFIG_MAPS, map(namespace, `m-${index}`));
    const { items, resourceVersion } = await cluster.list(CONFIG_MAPS, { namespace, pageSize: 2 });
    expect(items.map(({ kind, apiVersion, metadata }) => [apiVersion, kind, metadata.name])).toEqual(
      Array.from({ length: 7 }, (_, index) => ['v1', 'ConfigMap', `m-${index}`]),
    );
    expect(Number(resourceVersion)).toBeGreaterThan(0);
    const first = await cluster.page(CONFIG_MAPS, { namespace, pageSize: 2, labelSelector: 'none=here' });
    expect(first).toMatchObject({ items: [], continue: '' });
  });

  it('writes only what it read', async () => {
    const namespace = await inNamespace('conditions');
    const created = await cluster.create(CONFIG_MAPS, map(namespace, 'a', { data: { x: '1' } }));
    const updated = await cluster.update(CONFIG_MAPS, { ...created, data: { x: '2' } });
    expect((await refusal(cluster.update(CONFIG_MAPS, { ...created, data: { x: '3' } }))).isConflict).toBe(true);
    expect((await refusal(cluster.create(CONFIG_MAPS, map(namespace, 'a')))).isAlreadyExists).toBe(true);
    const id = { namespace, name: 'a' };
    expect((await refusal(cluster.remove(CONFIG_MAPS, id, { uid: 'another' }))).status).toBe(409);
    expect(
      (
        await refusal(
          cluster.remove(CONFIG_MAPS, id, {
            uid: created.metadata.uid ?? '',
            resourceVersion: created.metadata.resourceVersion ?? '',
          }),
        )
      ).status,
    ).toBe(409);
    expect(
      await cluster.remove(CONFIG_MAPS, id, {
        uid: created.metadata.uid ?? '',
        resourceVersion: updated.metadata.resourceVersion ?? '',
      }),
    ).toBe('gone');
    expect(await cluster.remove(CONFIG_MAPS, id, { uid: created.metadata.uid ?? '' })).toBe('gone');
    expect(await cluster.get(CONFIG_MAPS, id)).toBeUndefined();
  });

  it('applies as argosy, names conflicts, takes fields by force, and leaves nothing behind in a dry run', async () => {
    const namespace = await inNamespace('applies');
    const applied = await cluster.apply(CONFIG_MAPS, map(namespace, 'a', { data: { x: 'ours' } }));
    expect(applied.metadata.managedFields).toMatchObject([{ manager: 'argosy', operation: 'Apply' }]);
    await cluster.patch(CONFIG_MAPS, { namespace, name: 'a' }, { type: 'merge', body: { data: { y: 'patched' } } });
    const other = { ...applied, metadata: { name: 'a', namespace, labels: { by: 'other' } } };
    expect(await cluster.apply(CONFIG_MAPS, { ...other, data: { x: 'dry' } }, { dryRun: true })).toMatchObject({
      data: { x: 'dry' },
    });
    expect(await cluster.get(CONFIG_MAPS, { namespace, name: 'a' })).toMatchObject({
      data: { x: 'ours', y: 'patched' },
    });
    const conflict = await refusal(cluster.apply(CONFIG_MAPS, map(namespace, 'a', { data: { x: 'ours', y: 'mine' } })));
    expect(conflict.isConflict).toBe(true);
    expect(conflict.causes).toMatchObject([{ reason: 'FieldManagerConflict', field: '.data.y' }]);
    expect(
      await cluster.apply(CONFIG_MAPS, map(namespace, 'a', { data: { x: 'ours', y: 'mine' } }), { force: true }),
    ).toMatchObject({ data: { y: 'mine' } });
    expect([409, 422]).toContain(
      (await refusal(cluster.apply(CONFIG_MAPS, map(namespace, 'a', { data: { x: 'z' } }), { uid: 'another' }))).status,
    );
  });

  it('keeps kinds apart: one that is forbidden or not served leaves the others live, and follows later', async () => {
    const namespace = await inNamespace('apart');
    const subject = { kind: 'User', name: 'reader', apiGroup: RBAC.group };
    const grant = async (name: string, resources: string[]): Promise<void> => {
      await cluster.create(ROLES, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name, namespace },
        rules: [{ apiGroups: [''], resources, verbs: ['get', 'list', 'watch'] }],
      });
      await cluster.create(ROLE_BINDINGS, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name, namespace },
        subjects: [subject],
        roleRef: { apiGroup: RBAC.group, kind: 'Role', name },
      });
    };
    await grant('maps', ['configmaps', 'nothings']);
    const owner = await cluster.create(CONFIG_MAPS, map(namespace, 'owner'));
    const owned = map(namespace, 'owned');
    owned.metadata.ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' },
    ];
    await cluster.create(CONFIG_MAPS, owned);
    const reader = client({ impersonate: { user: 'reader', groups: ['system:authenticated'], extra: [] } });
    const fleet = watchKinds(reader, [CONFIG_MAPS, SECRETS, core('Nothing', 'nothings')], world, {
      cache: () => ({ namespace }),
    });
    const states = (): Record<string, string> =>
      Object.fromEntries(fleet.status.kinds.map(({ kind, state }) => [kind.kind, state]));
    try {
      await until(
        'each kind has its state',
        () =>
          states()['ConfigMap'] === 'live' && states()['Secret'] === 'forbidden' && states()['Nothing'] === 'broken',
      );
      const { kinds, isComplete } = await fleet.waitForSync(1000);
      expect(isComplete).toBe(false);
      expect(kinds.find(({ kind }) => kind.kind === 'Secret')?.reason).toContain(
        'secrets is forbidden: User "reader" cannot list resource "secrets"',
      );
      expect(kinds.find(({ kind }) => kind.kind === 'Nothing')?.reason).toMatch(/^the server does not serve this kind/);
      expect(fleet.ownedBy(owner.metadata.uid ?? '').map(({ metadata }) => metadata.name)).toEqual(['owned']);
      expect(fleet.get({ group: '', kind: 'ConfigMap', namespace, name: 'owner' })?.metadata.uid).toBe(
        owner.metadata.uid,
      );
      await grant('secrets', ['secrets']);
      await until('the secrets came', () => states()['Secret'] === 'live');
    } finally {
      fleet.close();
      await reader.close();
    }
  }, 60_000);

  it('elects one leader, who hands over at once when it stops, and after the lease when it vanishes', async () => {
    const namespace = await inNamespace('election');
    const events: string[] = [];
    const stand = (identity: string, by: Cluster) =>
      startLeaderElection(by, world, {
        namespace,
        name: 'argosy',
        identity,
        leaseMs: 1500,
        renewMs: 1000,
        retryMs: 200,
        onStartedLeading: () => events.push(`${identity} leads`),
        onStoppedLeading: () => events.push(`${identity} loses`),
      });
    const lone = client();
    const first = stand('first', cluster);
    await until('the first leads', () => first.isLeader);
    const second = stand('second', lone);
    await until('the second knows the first', () => second.holder === 'first');
    expect(second.isLeader).toBe(false);
    await first.stop();
    await until('the second leads', () => second.isLeader);
    expect(events).toEqual(['first leads', 'first loses', 'second leads']);
    await lone.close();
    const third = stand('third', cluster);
    await until('the third leads', () => third.isLeader);
    expect(events.indexOf('second loses')).toBeLessThan(events.indexOf('third leads'));
    expect(await cluster.get(LEASES, { namespace, name: 'argosy' })).toMatchObject({
      spec: { holderIdentity: 'third', leaseTransitions: 2 },
    });
    await Promise.all([second.stop(), third.stop()]);
  });
});
