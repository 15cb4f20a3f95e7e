import { createActions, type Action, type Actions, type Catalogue } from '../../health/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';
import type { ObjectChange } from '../cache/index.js';
import { RelatedObjects, assessWith, isSelfReferenced, ownedObjects, trackingOf } from '../comparison/index.js';
import {
  deliveryRights,
  instanceName,
  orphansOf,
  requireRights,
  violationIn,
  type Admitted,
  type ReconcileContext,
} from '../delivery/index.js';
import type { ApplicationService } from './application-service.js';
import type { ChangeFeed } from './change-feed.js';
import { FullObjectCache } from './full-object-cache.js';
import { readLive, type Destination, type LiveResource } from './live-resource.js';
import { runAction } from './resource-actions.js';
import { readTree, type ApplicationTree, type TreeContext } from './resource-tree.js';

/** What Argo CD's API says before the reason. */
const CONFIG_ERROR = 'error getting application cluster config';

/** The live resources of an application: those it manages, their children, and the actions on them. */
export class ResourceService {
  readonly #context: ReconcileContext;
  readonly #changes: ChangeFeed;
  readonly #applications: ApplicationService;
  readonly #catalogue: Catalogue;
  readonly #fullObjects = new FullObjectCache();

  constructor(context: ReconcileContext, changes: ChangeFeed, applications: ApplicationService, catalogue: Catalogue) {
    this.#context = context;
    this.#changes = changes;
    this.#applications = applications;
    this.#catalogue = catalogue;
  }

  onChange(listener: (change: ObjectChange) => void): () => void {
    return this.#changes.objects.subscribe(listener);
  }

  /** The resources it manages and their children, from the caches. */
  async tree(application: KubeObject): Promise<ApplicationTree> {
    const admitted = this.#applications.admit(application);
    const context = await this.#treeContext(admitted);
    return readTree(application, orphansOf({ ...admitted, clusterCache: context.clusterCache }), context);
  }

  /** The cluster that an application is delivered to, with the rights that its syncs have. */
  async destination(application: KubeObject): Promise<Destination> {
    const admitted = this.#applications.admit(application);
    const clusterCache = await this.#context.clusters.cacheOf(admitted.cluster);
    const rights = deliveryRights(admitted, clusterCache, this.#context);
    return {
      cluster: requireRights(rights, CONFIG_ERROR),
      kindOf: (object) => clusterCache.kindOf(object),
      findScopeViolation: (key) => clusterCache.findScopeViolation(key),
    };
  }

  /** One object of the tree; `version` may name another version of its kind. */
  async read(application: KubeObject, key: Key, version = ''): Promise<LiveResource> {
    const tree = await this.tree(application);
    return readLive(tree, () => this.destination(application), application, key, version);
  }

  /** The actions that can run on an object now. */
  actionsOf(object: KubeObject): readonly Action[] {
    return this.#actions.discover(object);
  }

  /** Runs an action on the object as it is; on a conflict `read` gets it again. */
  runAction(
    read: () => Promise<LiveResource>,
    application: KubeObject,
    name: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<void> {
    return runAction(
      read,
      (object) => this.#actions.run(object, name, parameters),
      () => this.#applications.admit(application),
      this.#context.clock,
    );
  }

  get #actions(): Actions {
    return createActions({
      catalogue: this.#catalogue,
      overrides: this.#context.controlPlane.overrides,
      now: () => this.#context.clock.now().getTime(),
      elapsed: () => performance.now(),
    });
  }

  async #treeContext(admitted: Admitted): Promise<TreeContext> {
    const clusterCache = await this.#context.clusters.cacheOf(admitted.cluster);
    const { settings } = this.#context.controlPlane;
    const instance = instanceName(admitted.application, this.#context.controlNamespace);
    const findViolation = violationIn(admitted, clusterCache);
    const tracking = trackingOf(settings);
    return {
      clusterCache,
      owned: ownedObjects({ clusterCache, instance, tracking, findViolation }),
      isAllowed: (object) => findViolation(object) === undefined,
      isFree: (object) => {
        const owner = clusterCache.ownerOf(object) ?? instance;
        return owner === instance || !isSelfReferenced(object, tracking);
      },
      assess: assessWith(new RelatedObjects(clusterCache), this.#context.assessor(), settings.improvements),
      fullObjects: this.#fullObjects,
      customLabels: settings.customLabels,
    };
  }
}
