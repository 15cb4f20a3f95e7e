import { readOverrides, type Overrides } from '../../health/index.js';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, own } from '../../model/json/index.js';
import {
  parseAppProject,
  readClusterFacts,
  readClusterSecrets,
  type AppProject,
  type ClusterFacts,
  type ClusterRecord,
} from '../../model/argo/index.js';
import { readSettings, type Settings } from '../../model/settings/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type Change, type ClientDependencies, type Cluster, WatchCache } from '../../cluster/index.js';
import { readRepositoryRegistry, type RepositoryRegistry } from '../../source/index.js';
import { APPLICATIONS, APP_PROJECTS, CONFIG_MAPS, SECRETS } from '../../model/resources/index.js';

const SECRET_TYPE = 'argocd.argoproj.io/secret-type';
/** The ConfigMaps that are read; of others only the name is cached. */
const READ_CONFIG_MAPS = [
  'argocd-cm',
  'argocd-rbac-cm',
  'argocd-cmd-params-cm',
  'argocd-ssh-known-hosts-cm',
  'argocd-tls-certs-cm',
  'argocd-gpg-keys-cm',
];

/** Milliseconds that the first lists may take. */
const SYNC_TIMEOUT = 60_000;

export interface ControlPlaneCacheOptions {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  readonly namespace: string;
  readonly profile: 'kubernetes' | 'openshift';
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onApplication: (change: Change) => void;
  /** A project, a setting, a repository or a cluster changed. */
  readonly onSettings: () => void;
}

/** The control plane's namespace: Applications, projects, settings, and credentials of repositories and clusters. */
export class ControlPlaneCache {
  readonly #options: ControlPlaneCacheOptions;
  readonly #applications: WatchCache;
  readonly #projects: WatchCache;
  readonly #configMaps: WatchCache;
  readonly #secrets: WatchCache;
  #settings: Settings | undefined;
  #version: string | undefined;
  #overrides: Overrides | undefined;
  #problems: readonly string[] | undefined;
  #repositories: RepositoryRegistry | undefined;
  #isReady = false;

  private constructor(options: ControlPlaneCacheOptions, isEverywhere: boolean) {
    const { cluster, world, namespace } = options;
    this.#options = options;
    const here = { namespace };
    this.#applications = new WatchCache(cluster, APPLICATIONS, world, isEverywhere ? {} : here);
    this.#projects = new WatchCache(cluster, APP_PROJECTS, world, here);
    this.#configMaps = new WatchCache(cluster, CONFIG_MAPS, world, {
      ...here,
      keep: (map) =>
        READ_CONFIG_MAPS.includes(map.metadata.name ?? '')
          ? map
          : { apiVersion: map.apiVersion, kind: map.kind, metadata: { name: map.metadata.name ?? '', namespace } },
    });
    this.#secrets = new WatchCache(cluster, SECRETS, world, { ...here, labelSelector: SECRET_TYPE });
    this.#applications.subscribe((change) => {
      options.onApplication(change);
    });
    this.#projects.subscribe(() => {
      this.#changed();
    });
    this.#configMaps.subscribe((change) => {
      const { name = '' } = (change.type === 'deleted' ? change.old : change.object).metadata;
      if (READ_CONFIG_MAPS.includes(name)) this.#changed();
    });
    this.#secrets.subscribe(() => {
      this.#changed();
    });
  }

  static async open(options: ControlPlaneCacheOptions): Promise<ControlPlaneCache> {
    const { cluster, namespace } = options;
    const params = await cluster.get(CONFIG_MAPS, { namespace, name: 'argocd-cmd-params-cm' });
    const cache = new ControlPlaneCache(options, (dataOf(params).get('application.namespaces') ?? '') !== '');
    await cache.#waitForSync();
    cache.#isReady = true;
    // A kind that was read once and is lost for a moment comes back, for example right after its definition.
    const unread = [cache.#applications, cache.#projects].find(
      ({ status }) => status.state !== 'live' && status.state !== 'stale',
    );
    if (unread === undefined) return cache;
    cache.close();
    throw new Fault('CLUSTER_REFUSED', `${unread.kind.plural} cannot be read: ${unread.status.reason}`, {
      where: namespace,
    });
  }

  get settings(): Settings {
    return (this.#settings ??= readSettings({
      cm: dataOf(this.#map('argocd-cm')),
      rbac: dataOf(this.#map('argocd-rbac-cm')),
      cmdParams: dataOf(this.#map('argocd-cmd-params-cm')),
      environment: this.#options.environment,
      profile: this.#options.profile,
    }));
  }

  /** Changes with everything except Applications; the same in every process. */
  get version(): string {
    return (this.#version ??= [
      this.#options.profile,
      ...Object.entries(this.#options.environment)
        .filter(([name]) => name.startsWith('ARGO'))
        .sort()
        .flat(),
      ...READ_CONFIG_MAPS.flatMap((name) => this.#map(name) ?? [])
        .concat(this.#projects.list(), this.#secrets.list())
        .map(({ metadata: { uid = '', resourceVersion = '' } }) => `${uid}/${resourceVersion}`)
        .sort(),
    ].join('\n'));
  }

  /** The data of one of the ConfigMaps above. */
  configMapData(name: string): ReadonlyMap<string, string> {
    return dataOf(this.#map(name));
  }

  get overrides(): Overrides {
    return (this.#overrides ??= readOverrides(Object.fromEntries(dataOf(this.#map('argocd-cm')))));
  }

  /** Invalid settings; the default is used instead. */
  get problems(): readonly string[] {
    return (this.#problems ??= [
      ...new Set(
        [...this.settings.problems, ...this.overrides.problems].map(({ key, message }) => `${key}: ${message}`),
      ),
    ]);
  }

  /** Cluster Secrets that are invalid. */
  get clusterProblems(): readonly string[] {
    return readClusterSecrets(this.#secrets.list()).problems;
  }

  get repositories(): RepositoryRegistry {
    return (this.#repositories ??= readRepositoryRegistry(this.#secrets.list(), {
      knownHosts: dataOf(this.#map('argocd-ssh-known-hosts-cm')).get('ssh_known_hosts') ?? '',
      certificates: dataOf(this.#map('argocd-tls-certs-cm')),
    }));
  }

  /** Armored PGP public keys, by key id. */
  get signingKeys(): ReadonlyMap<string, string> {
    return dataOf(this.#map('argocd-gpg-keys-cm'));
  }

  get clusters(): readonly ClusterRecord[] {
    return readClusterSecrets(this.#secrets.list()).clusters;
  }

  /** What generators may know of the clusters; a Fault, rather than no clusters, until the Secrets are read. */
  get clusterFacts(): readonly ClusterFacts[] {
    const { lists, reason } = this.#secrets.status;
    if (lists === 0)
      throw new Fault('CLUSTER_REFUSED', `cluster Secrets cannot be read: ${reason}`, {
        where: this.#options.namespace,
      });
    return readClusterFacts(this.#secrets.list());
  }

  secret(name: string): KubeObject {
    const secret = this.#secrets.get(this.#options.namespace, name);
    if (secret === undefined)
      throw new Fault('VALUE_INVALID', `Secret ${name} no longer exists`, { where: this.#options.namespace });
    return secret;
  }

  applications(): KubeObject[] {
    return this.#applications.list();
  }

  application(namespace: string, name: string): KubeObject | undefined {
    return this.#applications.get(namespace, name);
  }

  recordWrite(application: KubeObject): void {
    this.#applications.recordWrite(application);
  }

  /** The project by name; a Fault if it cannot be parsed, undefined if it does not exist. */
  project(name: string): AppProject | undefined {
    const object = this.#projects.get(this.#options.namespace, name);
    return object === undefined ? undefined : parseAppProject(object);
  }

  /**
   * Reads a project that is not known yet. Applications and projects are watched apart, so an application may arrive
   * before the project that was created ahead of it.
   */
  async loadProject(name: string): Promise<void> {
    if (this.projectObject(name) !== undefined) return;
    const { cluster, namespace } = this.#options;
    const project = await cluster.get(APP_PROJECTS, { namespace, name });
    if (project !== undefined) this.recordProjectWrite(project);
  }

  recordProjectWrite(project: KubeObject): void {
    this.#projects.recordWrite(project);
  }

  /** The project as an object, with its annotations. */
  projectObject(name: string): KubeObject | undefined {
    return this.#projects.get(this.#options.namespace, name);
  }

  projects(): AppProject[] {
    return this.#projects
      .list()
      .sort((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? ''))
      .flatMap((object) => {
        try {
          return [parseAppProject(object)];
        } catch (error) {
          // Its applications report what is wrong with it.
          if (error instanceof Fault) return [];
          throw error;
        }
      });
  }

  close(): void {
    for (const cache of this.#caches) cache.close();
  }

  get #caches(): readonly WatchCache[] {
    return [this.#applications, this.#projects, this.#configMaps, this.#secrets];
  }

  async #waitForSync(): Promise<void> {
    let cancel: () => void = () => undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#options.world.clock.after(SYNC_TIMEOUT, resolve);
    });
    await Promise.race([Promise.all(this.#caches.map((cache) => cache.waitForSync())), timeout]);
    cancel();
  }

  #map(name: string): KubeObject | undefined {
    return this.#configMaps.get(this.#options.namespace, name);
  }

  #changed(): void {
    this.#settings = undefined;
    this.#version = undefined;
    this.#overrides = undefined;
    this.#problems = undefined;
    this.#repositories = undefined;
    if (this.#isReady) this.#options.onSettings();
  }
}

function dataOf(map: KubeObject | undefined): ReadonlyMap<string, string> {
  const data = map?.data;
  if (!isObject(data)) return new Map();
  return new Map(
    Object.keys(data).flatMap((key) => {
      const value = own(data, key);
      return typeof value === 'string' ? [[key, value] as const] : [];
    }),
  );
}
