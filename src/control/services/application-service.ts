import {
  WatchCache,
  type CacheOptions,
  type Change,
  type Cluster,
  type ResourceRef,
  type ClientDependencies,
} from '../../cluster/index.js';
import type { Catalogue, Overrides } from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import { matchesGlob } from '../../model/formats/index.js';
import { matchesLabels, type KubeObject } from '../../model/kubernetes/index.js';
import {
  type AppProject,
  type ApplicationId,
  type ClusterRecord,
  findNamespaceViolation,
  findSourceViolation,
  parseApplication,
  projectOf,
} from '../../model/argo/index.js';
import { type JsonObject, textAt } from '../../model/json/index.js';
import type { Settings } from '../../model/settings/index.js';
import type { ValuesResponse } from '../../model/api/index.js';
import type { ChartDetails, FoundApplication } from '../../render/index.js';
import type { CommitFacts, ListedChart, RefNames, RepositoryEntry } from '../../source/index.js';
import { type ObjectChange, APPLICATIONS } from '../cache/index.js';
import { generateSet, type GenerateOptions } from '../generators/index.js';
import {
  admitApplication,
  effectiveProject,
  type Admitted,
  type ReconcileContext,
  orphansOf,
} from '../delivery/index.js';
import { RelatedObjects, assessWith } from '../comparison/index.js';
import { RepositoryWatcher } from '../queue/index.js';
import { inspectApplication, type InspectOptions, type Inspection } from '../inspect/index.js';
import type { Checkout } from '../triage/index.js';
import { findCheckouts, readCheckouts, type CheckoutRef } from './checkouts.js';
import { readServerVersion } from './read-server-version.js';
import { summarizeClusters, type ClusterSummary } from './cluster-summary.js';
import { deepLinks, type DeepLink, type LinkData, type LinkSubject } from './deep-links.js';
import { InspectionCache } from './inspection-cache.js';
import type { ChangeFeed } from './change-feed.js';
import { notificationNames, type NotificationNames } from './notification-names.js';
import { changeApplication } from './operations.js';
import { refreshCluster } from './refresh-cluster.js';
import { applicationsIn, chartDetailsOf, checkEntry, connectionState, refsOf } from './repositories.js';
import { serverSideDiff, type PredictedDiff } from './server-side-diff.js';
import { sourceDetails } from './source-details.js';
import { readTree, type ApplicationTree, type TreeContext } from './resource-tree.js';
import { valuesOf } from './values.js';
import { FullObjectCache } from './full-object-cache.js';

export interface Destination {
  readonly cluster: Cluster;
  /** How the kind of an object is addressed there; undefined where it is not served. */
  kindOf(object: { readonly apiVersion: string; readonly kind: string }): ResourceRef | undefined;
}

/**
 * What people ask for, whoever carries the question: applications, projects and settings as they are now, looks at one
 * application, and the cluster to write to. Reads come from caches that stay equal to the server.
 */
export class ApplicationService {
  readonly #context: ReconcileContext;
  readonly #changes: ChangeFeed;
  readonly #world: ClientDependencies;
  readonly #fullObjects = new FullObjectCache();
  readonly #inspections: InspectionCache;

  constructor(
    desk: ReconcileContext,
    news: ChangeFeed,
    world: ClientDependencies,
    readonly catalogue: Catalogue,
  ) {
    this.#context = desk;
    this.#changes = news;
    this.#world = world;
    this.#inspections = new InspectionCache(
      (application, how) => inspectApplication(application, desk, how),
      () => world.clock.steady(),
    );
  }

  /** The cluster of the control plane. */
  get cluster(): Cluster {
    return this.#context.cluster;
  }

  /** How Applications are addressed. */
  get applicationKind(): ResourceRef {
    return APPLICATIONS;
  }

  /** Of the control plane. */
  get namespace(): string {
    return this.#context.controlNamespace;
  }

  get settings(): Settings {
    return this.#context.controlPlane.settings;
  }

  /** Checks and actions of argocd-cm. */
  get overrides(): Overrides {
    return this.#context.controlPlane.overrides;
  }

  /** The data of one of the ConfigMaps that hold settings, such as argocd-cm. */
  configMapData(name: string): ReadonlyMap<string, string> {
    return this.#context.controlPlane.configMapData(name);
  }

  now(): number {
    return this.#world.clock.now().getTime();
  }

  /** Milliseconds of a clock that never goes back. */
  steady(): number {
    return this.#world.clock.steady();
  }

  after(milliseconds: number, act: () => void): () => void {
    return this.#world.clock.after(milliseconds, act);
  }

  /** Every application that counts: those of the control plane, and of the namespaces that an administrator allowed. */
  applications(): KubeObject[] {
    return this.#context.controlPlane
      .applications()
      .filter(({ metadata }) => this.isApplicationNamespace(metadata.namespace ?? ''));
  }

  application(namespace: string, name: string): KubeObject | undefined {
    return this.isApplicationNamespace(namespace) ? this.#context.controlPlane.application(namespace, name) : undefined;
  }

  isApplicationNamespace(namespace: string): boolean {
    return (
      namespace === this.namespace ||
      this.settings.applicationNamespaces.some((pattern) => matchesGlob(pattern, namespace))
    );
  }

  /** What the server answered to a write is known at once. */
  recordWrite(application: KubeObject): void {
    this.#context.controlPlane.recordWrite(application);
  }

  /** Reads, changes and writes an Application, and knows the answer at once. */
  async change(id: ApplicationId, change: (application: KubeObject) => KubeObject): Promise<KubeObject> {
    const written = await changeApplication(this.cluster, id, change);
    this.recordWrite(written);
    return written;
  }

  project(name: string): AppProject | undefined {
    return this.#context.controlPlane.project(name);
  }

  /** As it is written; the same object until it changes. */
  projectObject(name: string): KubeObject | undefined {
    return this.#context.controlPlane.projectObject(name);
  }

  recordProjectWrite(project: KubeObject): void {
    this.#context.controlPlane.recordProjectWrite(project);
  }

  projectObjects(): KubeObject[] {
    return this.#context.controlPlane.projects().map(({ object }) => object);
  }

  /** The global projects whose rules count for this one too. */
  globalProjectsOf({ metadata: { labels = {} } }: KubeObject): KubeObject[] {
    const names = this.settings.globalProjects
      .filter(({ selector }) => matchesLabels(selector, labels))
      .map(({ name }) => name);
    return this.projectObjects().filter(({ metadata }) => names.includes(metadata.name ?? ''));
  }

  /** What opens which repository; never shown as it is. */
  get repositories(): readonly RepositoryEntry[] {
    return this.#context.controlPlane.repositories.repositories;
  }

  get repositoryTemplates(): readonly RepositoryEntry[] {
    return this.#context.controlPlane.repositories.templates;
  }

  /** Clusters that Secrets describe. `config` of each holds credentials: never print it. */
  get clusterRecords(): readonly ClusterRecord[] {
    return this.#context.controlPlane.clusters;
  }

  get clusters(): readonly ClusterSummary[] {
    const { controlPlane, clusters } = this.#context;
    return summarizeClusters(clusters, controlPlane.clusters, this.applications(), (name) => controlPlane.secret(name));
  }

  /** What the settings say and nobody can use. */
  get problems(): readonly string[] {
    return [
      ...this.#context.controlPlane.problems,
      ...this.#context.controlPlane.clusterProblems,
      ...this.#context.controlPlane.repositories.problems,
    ];
  }

  /** A Fault says why the repository that the Secret describes cannot be opened. */
  checkRepository(secret: KubeObject): Promise<void> {
    return checkEntry(this.#context.renderer.sources, secret);
  }

  /** The version of a cluster that a Secret describes; a Fault where it does not answer to what the Secret says. */
  checkCluster(secret: KubeObject): Promise<string> {
    return readServerVersion(this.#context.connect(secret));
  }

  connectionState(entry: RepositoryEntry): Promise<JsonObject> {
    return connectionState(this.#context.renderer.sources, entry, new Date(this.now()).toISOString());
  }

  refsOf(entry: RepositoryEntry): Promise<RefNames> {
    return refsOf(this.#context.renderer.sources, entry);
  }

  /** Whether its project may be used from the namespace that the application is in. */
  permitsNamespace(application: KubeObject): boolean {
    const { namespace = '', name = '' } = application.metadata;
    const project =
      namespace === this.namespace ? undefined : effectiveProject(projectOf(application), this.#context.controlPlane);
    return project === undefined || findNamespaceViolation(project, { name, namespace }, this.namespace) === undefined;
  }

  /** Whether applications of a project may come from a repository. */
  permitsRepository(project: string, url: string): boolean {
    const found = effectiveProject(project, this.#context.controlPlane);
    return found !== undefined && findSourceViolation(found, url) === undefined;
  }

  /** Charts and kustomizations of a repository, by folder. */
  applicationsIn(entry: RepositoryEntry, revision: string): Promise<FoundApplication[]> {
    return applicationsIn(this.#context.renderer.sources, entry, revision);
  }

  chartsIn({ url, project }: RepositoryEntry): Promise<readonly ListedChart[]> {
    return this.#context.renderer.sources.listCharts({ url, project });
  }

  /** What its author says of the chart that a source of the application names, at a version. */
  chartDetails(application: KubeObject, source: JsonObject, version: string): Promise<ChartDetails> {
    return chartDetailsOf(this.#context.renderer.sources, source, projectOf(application), version);
  }

  /** What can be set in the source of an application. */
  sourceDetails(application: KubeObject): Promise<JsonObject> {
    return sourceDetails(application, this.#context);
  }

  /** Everything about a cluster is read again, by whoever looks at it. */
  refreshCluster(server: string): Promise<void> {
    return refreshCluster(server, this.#context);
  }

  /** What notifications are made of, by name. */
  notificationNames(): Promise<NotificationNames> {
    return notificationNames(this.cluster, this.namespace);
  }

  /** The links of argocd-cm for these objects. */
  deepLinks(subject: LinkSubject, data: LinkData): DeepLink[] {
    return deepLinks(this.configMapData('argocd-cm'), subject, data, this.#context.renderer.host, (problem) => {
      this.report(problem);
    });
  }

  /** What a server-side apply of these manifests would change, or of what git has; nothing is changed. */
  serverSideDiff(application: KubeObject, manifests: readonly string[]): Promise<PredictedDiff[]> {
    return serverSideDiff(application, manifests, this.#context);
  }

  /** Names of config management plugins that an administrator gave. */
  get plugins(): readonly string[] {
    const { tools } = this.#context.renderer;
    return tools?.names.filter((name) => /\.ya?ml$/.test(tools.pathOf(name))) ?? [];
  }

  /** Where an application comes from and goes, as its project allows; a Fault says what stands against it. */
  admit(application: KubeObject): Admitted {
    const admission = admitApplication(application, this.#context);
    if (admission.kind === 'refused')
      throw new Fault('VALUE_INVALID', admission.conditions.map(({ message }) => message).join('; '));
    return admission.admitted;
  }

  /** Whether it goes to a cluster that is known. */
  hasCluster(application: KubeObject): boolean {
    try {
      this.#context.clusters.find(parseApplication(application).destination);
      return true;
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }

  /** The Applications that an ApplicationSet means now; nothing is written. */
  generateApplications(set: KubeObject, how: GenerateOptions = {}): Promise<KubeObject[]> {
    return generateSet(set, this.#context, how);
  }

  /** Calls back with those who want a repository that changed; whoever asks closes it. */
  watchRepositories(changed: (listeners: readonly string[]) => void): RepositoryWatcher {
    return new RepositoryWatcher(this.#context.renderer.sources, changed);
  }

  /** What it manages and what belongs to that, from the caches. */
  async tree(application: KubeObject): Promise<ApplicationTree> {
    const admitted = this.admit(application);
    const place = await this.#treeContext(admitted);
    return readTree(application, orphansOf({ ...admitted, clusterCache: place.clusterCache }), place);
  }

  async #treeContext(admitted: Admitted): Promise<TreeContext> {
    const view = await this.#context.clusters.cacheOf(admitted.cluster);
    const { improvements, customLabels } = this.settings;
    return {
      clusterCache: view,
      assess: assessWith(new RelatedObjects(view), this.#context.assessor(), improvements),
      fullObjects: this.#fullObjects,
      customLabels,
    };
  }

  /** The cluster that an application is delivered to. */
  async destination(application: KubeObject): Promise<Destination> {
    const { clusterCache } = await this.#treeContext(this.admit(application));
    return { cluster: clusterCache.cluster, kindOf: (object) => clusterCache.kindOf(object) };
  }

  onApplication(listener: (change: Change) => void): () => void {
    return this.#changes.applications.subscribe(listener);
  }

  onObject(listener: (change: ObjectChange) => void): () => void {
    return this.#changes.objects.subscribe(listener);
  }

  onSettings(listener: () => void): () => void {
    return this.#changes.settings.subscribe(listener);
  }

  /** All objects of a kind of the control plane's cluster, kept equal to it; whoever asks closes it. */
  watch(kind: ResourceRef, options: CacheOptions): WatchCache {
    return new WatchCache(this.cluster, kind, this.#world, options);
  }

  /** What a pass of the controller would see now, at most some seconds old. Nothing is changed. */
  inspect(application: KubeObject, how: InspectOptions = {}): Promise<Inspection> {
    return this.#inspections.get(application, how);
  }

  /** Of its charts, each with the file and line that set it. */
  values(application: KubeObject): Promise<ValuesResponse> {
    return valuesOf(application, this.#context);
  }

  /** The repositories of all applications at their newest commits. */
  checkouts(): Promise<CheckoutRef[]> {
    return findCheckouts(this.applications(), this.#context.renderer.sources);
  }

  readCheckouts(refs: readonly CheckoutRef[]): Promise<Checkout[]> {
    return readCheckouts(refs, this.#context.renderer.sources);
  }

  /** Who made the commit of a source, when and why. */
  describeRevision(application: KubeObject, source: JsonObject, revision: string): Promise<CommitFacts> {
    return this.#context.renderer.sources.describe(
      { url: textAt(source, 'repoURL'), project: projectOf(application) },
      revision,
    );
  }

  /** Of the controller or of this desk alone. */
  metricsText(): string {
    return this.#context.metrics.text();
  }

  report(problem: string): void {
    this.#context.report(problem);
  }
}
