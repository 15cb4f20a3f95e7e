import { type CacheOptions, type ClientDependencies, type Cluster, WatchCache } from '../../cluster/index.js';
import type { ResourceRef } from '../../model/resources/index.js';
import type { Audit } from '../../audit/index.js';
import type { Catalogue } from '../../health/index.js';
import type { ReconcileContext } from '../delivery/index.js';
import { ApplicationService } from './application-service.js';
import type { ChangeFeed } from './change-feed.js';
import { ClusterService } from './cluster-service.js';
import { InspectionService } from './inspection-service.js';
import { NotebookService } from './notebook-service.js';
import { PodService } from './pod-service.js';
import { ProjectService } from './project-service.js';
import { Readiness } from './readiness.js';
import { RepositoryService } from './repository-service.js';
import { ResourceService } from './resource-service.js';
import { SettingsService } from './settings-service.js';

/** What the API and the CLI may use of a control plane, one service for each subject. */
export class ControlServices {
  /** The cluster of the control plane. */
  readonly cluster: Cluster;
  /** The namespace of the control plane. */
  readonly namespace: string;
  readonly clock: ClientDependencies['clock'];
  readonly applications: ApplicationService;
  readonly projects: ProjectService;
  readonly repositories: RepositoryService;
  readonly clusters: ClusterService;
  readonly settings: SettingsService;
  readonly resources: ResourceService;
  readonly pods: PodService;
  readonly notebooks: NotebookService;
  readonly inspections: InspectionService;
  readonly audit: Audit;
  readonly readiness: Readiness;
  readonly #context: ReconcileContext;
  readonly #dependencies: ClientDependencies;

  constructor(
    context: ReconcileContext,
    changes: ChangeFeed,
    dependencies: ClientDependencies,
    { catalogue, audit }: { readonly catalogue: Catalogue; readonly audit: Audit },
  ) {
    this.audit = audit;
    this.readiness = new Readiness(context.cluster, dependencies.clock);
    this.#context = context;
    this.#dependencies = dependencies;
    this.cluster = context.cluster;
    this.namespace = context.controlNamespace;
    this.clock = dependencies.clock;
    this.applications = new ApplicationService(context, changes);
    this.notebooks = new NotebookService(context);
    this.projects = new ProjectService(context);
    this.repositories = new RepositoryService(context, this.applications);
    this.clusters = new ClusterService(context, this.applications);
    this.settings = new SettingsService(context, changes);
    this.resources = new ResourceService(context, changes, this.applications, catalogue);
    this.pods = new PodService(context, this.resources);
    this.inspections = new InspectionService(context, this.applications, this.resources);
  }

  /** A cache of all objects of a kind of the control plane's cluster; the caller closes it. */
  watch(kind: ResourceRef, options: CacheOptions): WatchCache {
    return new WatchCache(this.cluster, kind, this.#dependencies, options);
  }

  metricsText(): string {
    return this.#context.metrics.text();
  }

  /** Writes a line to the log. */
  report(problem: string): void {
    this.#context.log.warn(problem);
  }
}
