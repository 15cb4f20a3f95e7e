import { WatchCache, type CacheOptions, type Change, type Cluster, type ResourceRef, type World } from '../../cluster/index.js';
import { matchesGlob, type AppProject, type KubeObject, type Settings } from '../../model/index.js';
import type { Desk } from '../delivery/desk.js';
import { inspectApplication } from '../inspect.js';
import type { Inspection } from '../inspection.js';
import type { News } from './news.js';

/**
 * What people ask for, whoever carries the question: applications, projects and settings as they are now, looks at one
 * application, and the cluster to write to. Reads come from caches that stay equal to the server.
 */
export class FrontDesk {
  readonly #desk: Desk;
  readonly #news: News;
  readonly #world: World;

  constructor(desk: Desk, news: News, world: World) {
    this.#desk = desk;
    this.#news = news;
    this.#world = world;
  }

  /** The cluster of the control plane. */
  get cluster(): Cluster {
    return this.#desk.cluster;
  }

  /** Of the control plane. */
  get namespace(): string {
    return this.#desk.controlNamespace;
  }

  get settings(): Settings {
    return this.#desk.home.settings;
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
    return namespace === this.namespace || this.settings.applicationNamespaces.some((pattern) => matchesGlob(pattern, namespace));
  }

  /** What the server answered to a write is known at once. */
  learn(application: KubeObject): void {
    this.#desk.home.learn(application);
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

  onApplication(listener: (change: Change) => void): () => void {
    return this.#news.applications.subscribe(listener);
  }

  onSettings(listener: () => void): () => void {
    return this.#news.settings.subscribe(listener);
  }

  /** All objects of a kind of the control plane's cluster, kept equal to it; whoever asks closes it. */
  watch(kind: ResourceRef, options: CacheOptions): WatchCache {
    return new WatchCache(this.cluster, kind, this.#world, options);
  }

  /** What a pass of the controller would see now. Nothing is changed. */
  inspect(application: KubeObject, how: { readonly revision?: string; readonly hard?: boolean } = {}): Promise<Inspection> {
    return inspectApplication(application, this.#desk, how);
  }

  /** Of the controller or of this desk alone. */
  metricsText(): string {
    return this.#desk.metrics.text();
  }

  report(problem: string): void {
    this.#desk.report(problem);
  }
}
