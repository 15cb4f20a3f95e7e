import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, type ResourceKind, apiVersionOf } from '../../src/cluster/index.js';
import { isObject } from '../../src/model/json/index.js';
import { writeYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { makeFleet, writeRepository, type Fleet } from '../fleet/index.js';
import { COMPONENTS, ENVIRONMENT, NAMESPACE, OUTSIDE } from './injection/names.js';
import { DEADLINE, PLAIN, plainFile } from './injection/plain-applications.js';
import type { ObjectRef } from './injection/label.js';
import { refOf } from './injection/object-refs.js';
import { runWorld } from './run-world.js';

/** Certificates are made at this time, so it must not be later than that of any machine. */
const BEGIN = new Date('2025-12-04T05:00:00Z');
/** Cases begin so much later: the platform has grown old, and no Event tells of its beginning any more. */
const OLD = 30 * 3_600_000;
const ROLLOUT = 60_000;
const MAX_ROLLOUTS = 40;

/** A platform on which all is well, stopped, to go on from. */
export interface BaseWorld {
  readonly folder: string;
  readonly time: Date;
  readonly repository: { readonly folder: string; readonly url: string; readonly commit: string };
  /** The repository's files by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** The Application of a plain folder, as the fleet names and places them. */
function plainApplication(name: string, like: KubeObject): KubeObject {
  const spec = isObject(like.spec) ? like.spec : {};
  const { repoURL } = isObject(spec.source) ? spec.source : {};
  const { metadata } = like;
  return {
    ...like,
    metadata: {
      ...metadata,
      name: `${ENVIRONMENT.name}-apps-${name}`,
      labels: { 'ameide.io/domain': 'apps', 'ameide.io/component': name, 'ameide.io/environment': ENVIRONMENT.name },
      annotations: { 'argocd.argoproj.io/sync-wave': '40' },
    },
    spec: {
      ...spec,
      project: ENVIRONMENT.name,
      destination: { server: 'https://kubernetes.default.svc', namespace: NAMESPACE },
      source: { repoURL: repoURL ?? '', targetRevision: 'main', path: `sources/plain/apps/${name}` },
    },
  };
}

export function makePlatform(url: string): Fleet & { readonly all: readonly KubeObject[] } {
  const fleet = makeFleet({
    environments: [ENVIRONMENT],
    applications: 65,
    only: COMPONENTS,
    repository: { url, revision: 'main' },
  });
  const like = fleet.applications.find(({ metadata }) => metadata.name === 'cluster-storage-classes');
  if (like === undefined) throw new Error('the fleet has no application of plain files');
  const files = new Map(fleet.files);
  const globals = `sources/values/env/${ENVIRONMENT.name}/globals.yaml`;
  files.set(globals, `${files.get(globals) ?? ''}progressDeadlineSeconds: ${DEADLINE}\n`);
  // Within a case every secret is asked for again.
  for (const [path, text] of files)
    if (path.endsWith('/_names.tpl')) files.set(path, text.replace('default "1h"', 'default "2m"'));
  for (const [name, parts] of Object.entries(PLAIN)) {
    files.set(
      `environments/${ENVIRONMENT.name}/components/apps/${name}.yaml`,
      writeYaml({ name, domain: 'apps', environment: ENVIRONMENT.name, source: `plain/apps/${name}` }),
    );
    for (const [part, object] of Object.entries(parts)) files.set(plainFile(name, part), writeYaml(object));
  }
  return {
    ...fleet,
    files,
    all: [...fleet.applications, ...Object.keys(PLAIN).map((name) => plainApplication(name, like))],
  };
}

/** Builds ask for nothing and tolerate nothing; whatever asks for processor time does not fit on their node. */
export const BUILDS: KubeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'builds-0', labels: { 'kubernetes.io/hostname': 'builds-0', 'ameide.io/pool': 'builds' } },
  status: { capacity: { cpu: '1', memory: '2Gi', pods: '4' }, allocatable: { cpu: '10m', memory: '16Mi', pods: '4' } },
};

const RESOLVER = { 'k8s-app': 'kube-dns' };

/** Whoever is asked for names. */
const NAME_SERVICE: readonly KubeObject[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'coredns', namespace: 'kube-system' },
    data: {
      Corefile:
        '.:53 {\n  errors\n  health\n  ready\n  kubernetes cluster.local in-addr.arpa ip6.arpa\n  forward . ' +
        '/etc/resolv.conf\n  cache 30\n}\n',
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-dns', namespace: 'kube-system', labels: RESOLVER },
    spec: {
      selector: RESOLVER,
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'coredns', namespace: 'kube-system', labels: RESOLVER },
    spec: {
      replicas: 2,
      progressDeadlineSeconds: DEADLINE,
      selector: { matchLabels: RESOLVER },
      template: {
        metadata: { labels: { ...RESOLVER, 'app.kubernetes.io/name': 'coredns' } },
        spec: {
          tolerations: [{ operator: 'Exists' }],
          containers: [
            {
              name: 'coredns',
              image: 'registry.k8s.io/coredns/coredns:v1.12.4',
              args: ['-conf', '/etc/coredns/Corefile'],
              ports: [
                { name: 'dns', containerPort: 53, protocol: 'UDP' },
                { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
              ],
              readinessProbe: { httpGet: { path: '/ready', port: 8181 } },
              resources: { requests: { cpu: '20m', memory: '32Mi' }, limits: { memory: '170Mi' } },
              volumeMounts: [{ name: 'config', mountPath: '/etc/coredns' }],
            },
          ],
          volumes: [{ name: 'config', configMap: { name: 'coredns' } }],
        },
      },
    },
  },
];

/** What must be there before, beside what the fleet itself asks for. */
const BEFORE: readonly KubeObject[] = [
  BUILDS,
  ...NAME_SERVICE,
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OUTSIDE } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'programs', namespace: OUTSIDE }, data: {} },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'git-servers', namespace: OUTSIDE },
    stringData: { password: 'opens-every-repository' },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'workbench-git', namespace: NAMESPACE },
    type: 'kubernetes.io/basic-auth',
    stringData: { username: 'builder', password: 'opens-every-repository' },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'nginx' },
    spec: { controller: 'k8s.io/ingress-nginx' },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'istio' },
    spec: { controller: 'istio.io/ingress-controller' },
  },
];

/** Makes the platform anew and waits until all of it is well, then lets it grow old. */
export async function makeBaseWorld(folder: string, log: (line: string) => void): Promise<BaseWorld> {
  const repository = join(folder, 'fleet.git');
  const url = `file://${repository}`;
  const { files, outside, projects, all } = makePlatform(url);
  const commit = writeRepository(repository, [{ message: 'The platform and its applications', files }]);
  const running = await runWorld(join(folder, 'base'), BEGIN, log);
  const { clock, cluster } = running;
  try {
    await clock.playUntil(applyAll(cluster, [...outside, ...BEFORE, ...projects, ...all]));
    await settle(
      all.length,
      () => clock.play(ROLLOUT),
      () => findUnhealthy(cluster),
    );
    await clock.playUntil(removeObject(cluster, refOf(BUILDS)));
    await clock.playUntil(forget(cluster));
  } finally {
    await running.close();
  }
  const base: BaseWorld = {
    folder,
    time: new Date(clock.now().getTime() + OLD),
    repository: { folder: repository, url, commit },
    files,
  };
  writeFileSync(join(folder, KEPT), JSON.stringify({ ...base, files: [...files] }));
  return base;
}

const KEPT = 'base.json';

/** The platform that was made in this folder before. */
export function keptBaseWorld(folder: string): BaseWorld | undefined {
  if (!existsSync(join(folder, KEPT))) return undefined;
  const kept = JSON.parse(readFileSync(join(folder, KEPT), 'utf8')) as Omit<BaseWorld, 'time' | 'files'> & {
    readonly time: string;
    readonly files: readonly (readonly [string, string])[];
  };
  return { ...kept, time: new Date(kept.time), files: new Map(kept.files) };
}

async function applyAll(cluster: Cluster, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) await applyObject(cluster, object);
  // Nodes that every embedded cluster begins with would take the pods that fit nowhere else.
  for (const name of ['worker-1', 'worker-2', 'worker-3'])
    await removeObject(cluster, { apiVersion: 'v1', kind: 'Node', name });
}

async function settle(count: number, wait: () => Promise<void>, look: () => Promise<string[]>): Promise<void> {
  let left: string[] = [];
  for (let times = 0; times < MAX_ROLLOUTS; times++) {
    await wait();
    left = await look();
    if (left.length === 0) return;
  }
  throw new Error(`${left.length} of ${count} applications did not become well: ${left.join('; ')}`);
}

/** The kinds that a cluster serves, read once for each. */
const known = new WeakMap<Cluster, Promise<readonly ResourceKind[]>>();

export async function kindOf(
  cluster: Cluster,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): Promise<ResourceKind> {
  const find = async (): Promise<ResourceKind | undefined> => {
    if (!known.has(cluster))
      known.set(
        cluster,
        cluster.discover().then(({ kinds }) => kinds),
      );
    return (await known.get(cluster))?.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  };
  const found = await find();
  if (found !== undefined) return found;
  known.delete(cluster);
  const again = await find();
  if (again === undefined) throw new Error(`the cluster does not serve ${kind} of ${apiVersion}`);
  return again;
}

export async function applyObject(cluster: Cluster, object: KubeObject): Promise<void> {
  const kind = await kindOf(cluster, object);
  const { status, ...desired } = object;
  await cluster.apply(kind, desired, { force: true });
  if (status !== undefined && kind.subresources.includes('status'))
    await cluster.apply(kind, object, { force: true, subresource: 'status' });
}

/** A name that ends in `*` means all that begin so. */
export async function removeObject(cluster: Cluster, { apiVersion, kind, namespace, name }: ObjectRef): Promise<void> {
  const type = await kindOf(cluster, { apiVersion, kind });
  const { items } = await cluster.list(type, { namespace });
  const isMeant = (found: string): boolean =>
    name.endsWith('*') ? found.startsWith(name.slice(0, -1)) : found === name;
  for (const { metadata } of items.filter((item) => isMeant(item.metadata.name ?? '')))
    await cluster.remove(
      type,
      { namespace, name: metadata.name ?? '' },
      { uid: metadata.uid ?? '', propagation: 'Background' },
    );
}

async function forget(cluster: Cluster): Promise<void> {
  const kind = await kindOf(cluster, { apiVersion: 'v1', kind: 'Event' });
  for (const { metadata } of (await cluster.list(kind)).items)
    await cluster.remove(
      kind,
      { namespace: metadata.namespace, name: metadata.name ?? '' },
      { uid: metadata.uid ?? '' },
    );
}

/** Applications that are not Synced and Healthy, with what they say. */
async function findUnhealthy(cluster: Cluster): Promise<string[]> {
  const { items } = await cluster.list(
    await kindOf(cluster, { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' }),
  );
  return items.flatMap(({ metadata, status }) => {
    const { sync, health, conditions, operationState } = isObject(status) ? status : {};
    const [synced, healthy] = [isObject(sync) ? sync.status : undefined, isObject(health) ? health.status : undefined];
    if (synced === 'Synced' && healthy === 'Healthy') return [];
    const operation = isObject(operationState) ? String(operationState.message) : '';
    return [
      [metadata.name ?? '', String(synced), String(healthy), JSON.stringify(conditions ?? ''), operation].join(' '),
    ];
  });
}
