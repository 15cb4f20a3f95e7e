import {
  WatchCache,
  type CacheOptions,
  type Change,
  type Cluster,
  type ResourceRef,
  type World,
} from '../../cluster/index.js';
import type { Catalogue, Overrides } from '../../health/index.js';
import {
  Fault,
  matchesGlob,
  matchesLabels,
  objectionToNamespace,
  objectionToSource,
  parseApplication,
  projectOf,
  textAt,
  type ApplicationId,
  type AppProject,
  type ClusterRecord,
  type JsonObject,
  type KubeObject,
  type Settings,
  type ValuesAnswer,
} from '../../model/index.js';
import type { ChartDetails, FoundApplication } from '../../render/index.js';
import type { CommitFacts, ListedChart, RefNames, RepositoryEntry } from '../../source/index.js';
import type { KeyChange } from '../delivery/cluster-view.js';
import { generateSet, type GenerateHow } from '../application-set/generate-set.js';
import { admit, effectiveProject, type Admitted } from '../delivery/admit.js';
import type { Desk } from '../delivery/desk.js';
import { Facts } from '../delivery/facts.js';
import { APPLICATIONS } from '../delivery/home.js';
import { assessIn } from '../delivery/observe.js';
import { orphansOf } from '../delivery/orphans.js';
import { RepositoryWatch } from '../delivery/repository-watch.js';
import { inspectApplication, type LookOptions } from '../inspect.js';
import type { Inspection } from '../inspection.js';
import type { Checkout } from '../triage/fix/checkout.js';
import { findCheckouts, readCheckouts, type CheckoutRef } from './checkouts.js';
import { askVersion } from './ask-version.js';
import { summarizeClusters, type ClusterSummary } from './cluster-summary.js';
import { deepLinks, type DeepLink, type LinkData, type LinkSubject } from './deep-links.js';
import { Inspections } from './inspections.js';
import type { News } from './news.js';
import { notificationNames, type NotificationNames } from './notification-names.js';
import { changeApplication } from './operations.js';
import { refreshCluster } from './refresh-cluster.js';
import { applicationsIn, chartDetailsOf, checkEntry, connectionState, refsOf } from './repositories.js';
import { serverSideDiff, type PredictedDiff } from './server-side-diff.js';
import { sourceDetails } from './source-details.js';
import { readTree, type ApplicationTree, type TreePlace } from './resource-tree.js';
import { valuesOf } from './values.js';
import { WholeObjects } from './whole-objects.js';

export interface Destination {
  readonly cluster: Cluster;
  /** How the kind of an object is addressed there; undefined where it is not served. */
  kindOf(object: { readonly apiVersion: string; readonly kind: string }): ResourceRef | undefined;
}

/**
 * What people ask for, whoever carries the question: applications, projects and settings as they are now, looks at one
 * application, and the cluster to write to. Reads come from caches that stay equal to the server.
 */
export class FrontDesk {
  readonly #desk: Desk;
  readonly #news: News;
  readonly #world: World;
  readonly #whole = new WholeObjects();
  readonly #inspections: Inspections;

  constructor(
    desk: Desk,
    news: News,
    world: World,
    readonly catalogue: Catalogue,
  ) {
    this.#desk = desk;
    this.#news = news;
    this.#world = world;
    this.#inspections = new Inspections(
      (application, how) => inspectApplication(application, desk, how),
      () => world.clock.steady(),
    );
  }

  /** The cluster of the control plane. */
  get cluster(): Cluster {
    return this.#desk.cluster;
  }

  /** How Applications are addressed. */
  get applicationKind(): ResourceRef {
    return APPLICATIONS;
  }

  /** Of the control plane. */
  get namespace(): string {
    return this.#desk.controlNamespace;
  }

  get settings(): Settings {
    return this.#desk.home.settings;
  }

  /** Checks and actions of argocd-cm. */
  get overrides(): Overrides {
    return this.#desk.home.overrides;
  }

  /** The data of one of the ConfigMaps that hold settings, such as argocd-cm. */
  settingsMap(name: string): ReadonlyMap<string, string> {
    return this.#desk.home.settingsMap(name);
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
    return this.#desk.home.applications().filter(({ metadata }) => this.isOurs(metadata.namespace ?? ''));
  }

  application(namespace: string, name: string): KubeObject | undefined {
    return this.isOurs(namespace) ? this.#desk.home.application(namespace, name) : undefined;
  }

  isOurs(namespace: string): boolean {
    return (
      namespace === this.namespace ||
      this.settings.applicationNamespaces.some((pattern) => matchesGlob(pattern, namespace))
    );
  }

  /** What the server answered to a write is known at once. */
  learn(application: KubeObject): void {
    this.#desk.home.learn(application);
  }

  /** Reads, changes and writes an Application, and knows the answer at once. */
  async change(id: ApplicationId, change: (application: KubeObject) => KubeObject): Promise<KubeObject> {
    const written = await changeApplication(this.cluster, id, change);
    this.learn(written);
    return written;
  }

  project(name: string): AppProject | undefined {
    return this.#desk.home.project(name);
  }

  /** As it is written; the same object until it changes. */
  projectObject(name: string): KubeObject | undefined {
    return this.#desk.home.projectObject(name);
  }

  learnProject(project: KubeObject): void {
    this.#desk.home.learnProject(project);
  }

  projectObjects(): KubeObject[] {
    return this.#desk.home.projects().map(({ object }) => object);
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
    return this.#desk.home.repositories.repositories;
  }

  get repositoryTemplates(): readonly RepositoryEntry[] {
    return this.#desk.home.repositories.templates;
  }

  /** Clusters that Secrets describe. `config` of each holds credentials: never print it. */
  get clusterRecords(): readonly ClusterRecord[] {
    return this.#desk.home.clusters;
  }

  get clusters(): readonly ClusterSummary[] {
    const { home, clusters } = this.#desk;
    return summarizeClusters(clusters, home.clusters, this.applications(), (name) => home.secret(name));
  }

  /** What the settings say and nobody can use. */
  get problems(): readonly string[] {
    return [...this.#desk.home.problems, ...this.#desk.home.clusterProblems, ...this.#desk.home.repositories.problems];
  }

  /** A Fault says why the repository that the Secret describes cannot be opened. */
  checkRepository(secret: KubeObject): Promise<void> {
    return checkEntry(this.#desk.workshop.sources, secret);
  }

  /** The version of a cluster that a Secret describes; a Fault where it does not answer to what the Secret says. */
  checkCluster(secret: KubeObject): Promise<string> {
    return askVersion(this.#desk.connect(secret));
  }

  connectionState(entry: RepositoryEntry): Promise<JsonObject> {
    return connectionState(this.#desk.workshop.sources, entry, new Date(this.now()).toISOString());
  }

  refsOf(entry: RepositoryEntry): Promise<RefNames> {
    return refsOf(this.#desk.workshop.sources, entry);
  }

  /** Whether its project may be used from the namespace that the application is in. */
  permitsNamespace(application: KubeObject): boolean {
    const { namespace = '', name = '' } = application.metadata;
    const project =
      namespace === this.namespace ? undefined : effectiveProject(projectOf(application), this.#desk.home);
    return project === undefined || objectionToNamespace(project, { name, namespace }, this.namespace) === undefined;
  }

  /** Whether applications of a project may come from a repository. */
  permitsRepository(project: string, url: string): boolean {
    const found = effectiveProject(project, this.#desk.home);
    return found !== undefined && objectionToSource(found, url) === undefined;
  }

  /** Charts and kustomizations of a repository, by folder. */
  applicationsIn(entry: RepositoryEntry, revision: string): Promise<FoundApplication[]> {
    return applicationsIn(this.#desk.workshop.sources, entry, revision);
  }

  chartsIn({ url, project }: RepositoryEntry): Promise<readonly ListedChart[]> {
    return this.#desk.workshop.sources.listCharts({ url, project });
  }

  /** What its author says of the chart that a source of the application names, at a version. */
  chartDetails(application: KubeObject, source: JsonObject, version: string): Promise<ChartDetails> {
    return chartDetailsOf(this.#desk.workshop.sources, source, projectOf(application), version);
  }

  /** What can be set in the source of an application. */
  sourceDetails(application: KubeObject): Promise<JsonObject> {
    return sourceDetails(application, this.#desk);
  }

  /** Everything about a cluster is read again, by whoever looks at it. */
  refreshCluster(server: string): Promise<void> {
    return refreshCluster(server, this.#desk);
  }

  /** What notifications are made of, by name. */
  notificationNames(): Promise<NotificationNames> {
    return notificationNames(this.cluster, this.namespace);
  }

  /** The links of argocd-cm for these objects. */
  deepLinks(subject: LinkSubject, data: LinkData): DeepLink[] {
    return deepLinks(this.settingsMap('argocd-cm'), subject, data, this.#desk.workshop.host, (problem) => {
      this.report(problem);
    });
  }

  /** What a server-side apply of these manifests would change, or of what git has; nothing is changed. */
  serverSideDiff(application: KubeObject, manifests: readonly string[]): Promise<PredictedDiff[]> {
    return serverSideDiff(application, manifests, this.#desk);
  }

  /** Names of config management plugins that an administrator gave. */
  get plugins(): readonly string[] {
    const { tools } = this.#desk.workshop;
    return tools?.names.filter((name) => /\.ya?ml$/.test(tools.pathOf(name))) ?? [];
  }

  /** Where an application comes from and goes, as its project allows; a Fault says what stands against it. */
  admit(application: KubeObject): Admitted {
    const admission = admit(application, this.#desk.home, this.#desk.clusters, this.namespace);
    if (admission.kind === 'refused')
      throw new Fault('VALUE_INVALID', admission.conditions.map(({ message }) => message).join('; '));
    return admission.admitted;
  }

  /** Whether it goes to a cluster that is known. */
  hasCluster(application: KubeObject): boolean {
    try {
      this.#desk.clusters.find(parseApplication(application).destination);
      return true;
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }

  /** The Applications that an ApplicationSet means now; nothing is written. */
  generateApplications(set: KubeObject, how: GenerateHow = {}): Promise<KubeObject[]> {
    return generateSet(set, this.#desk, how);
  }

  /** Calls back with those who want a repository that changed; whoever asks closes it. */
  watchRepositories(changed: (listeners: readonly string[]) => void): RepositoryWatch {
    return new RepositoryWatch(this.#desk.workshop.sources, changed);
  }

  /** What it manages and what belongs to that, from the caches. */
  async tree(application: KubeObject): Promise<ApplicationTree> {
    const admitted = this.admit(application);
    const place = await this.#place(admitted);
    return readTree(application, orphansOf({ ...admitted, view: place.view }), place);
  }

  async #place(admitted: Admitted): Promise<TreePlace> {
    const view = await this.#desk.clusters.view(admitted.cluster);
    const { improvements, customLabels } = this.settings;
    return {
      view,
      assess: assessIn(new Facts(view), this.#desk.assessor(), improvements),
      whole: this.#whole,
      customLabels,
    };
  }

  /** The cluster that an application is delivered to. */
  async destination(application: KubeObject): Promise<Destination> {
    const { view } = await this.#place(this.admit(application));
    return { cluster: view.cluster, kindOf: (object) => view.kindOf(object) };
  }

  onApplication(listener: (change: Change) => void): () => void {
    return this.#news.applications.subscribe(listener);
  }

  onObject(listener: (change: KeyChange) => void): () => void {
    return this.#news.objects.subscribe(listener);
  }

  onSettings(listener: () => void): () => void {
    return this.#news.settings.subscribe(listener);
  }

  /** All objects of a kind of the control plane's cluster, kept equal to it; whoever asks closes it. */
  watch(kind: ResourceRef, options: CacheOptions): WatchCache {
    return new WatchCache(this.cluster, kind, this.#world, options);
  }

  /** What a pass of the controller would see now, at most some seconds old. Nothing is changed. */
  inspect(application: KubeObject, how: LookOptions = {}): Promise<Inspection> {
    return this.#inspections.get(application, how);
  }

  /** Of its charts, each with the file and line that set it. */
  values(application: KubeObject): Promise<ValuesAnswer> {
    return valuesOf(application, this.#desk);
  }

  /** The repositories of all applications at their newest commits. */
  checkouts(): Promise<CheckoutRef[]> {
    return findCheckouts(this.applications(), this.#desk.workshop.sources);
  }

  readCheckouts(refs: readonly CheckoutRef[]): Promise<Checkout[]> {
    return readCheckouts(refs, this.#desk.workshop.sources);
  }

  /** Who made the commit of a source, when and why. */
  describeRevision(application: KubeObject, source: JsonObject, revision: string): Promise<CommitFacts> {
    return this.#desk.workshop.sources.describe(
      { url: textAt(source, 'repoURL'), project: projectOf(application) },
      revision,
    );
  }

  /** Of the controller or of this desk alone. */
  metricsText(): string {
    return this.#desk.metrics.text();
  }

  report(problem: string): void {
    this.#desk.report(problem);
  }
}
