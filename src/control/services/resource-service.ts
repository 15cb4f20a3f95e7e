import { createActions, type Action, type Actions, type Catalogue } from '../../health/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';
import { APPLICATIONS } from '../../model/resources/index.js';
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
import { listEventsAbout } from './events-about.js';
import { patchLive, readLive, removeLive, type Destination, type LiveResource } from './live-resource.js';
import { runAction } from './resource-actions.js';
import { readTree, type ApplicationTree, type ResourceNode, type TreeContext } from './resource-tree.js';

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

  /** One object of the tree, or the Application itself; `version` may name another version of its kind. */
  async read(application: KubeObject, key: Key, version = ''): Promise<KubeObject> {
    return (await this.#open(application, key, version)).object;
  }

  /** Patches one object of the tree, which stays the same object. */
  async patch(
    application: KubeObject,
    key: Key,
    version: string,
    patch: { readonly type: string; readonly body: JsonObject | JsonObject[] },
  ): Promise<KubeObject> {
    return patchLive(await this.#find(application, key, version), patch.type, patch.body);
  }

  /** Deletes one object of the tree. */
  async remove(
    application: KubeObject,
    key: Key,
    version: string,
    how: Parameters<typeof removeLive>[1],
  ): Promise<void> {
    await removeLive(await this.#find(application, key, version), how);
  }

  /** Events about one object of the tree, of the cluster that it is in. */
  async eventsAbout(
    application: KubeObject,
    { namespace = '', name, uid }: Pick<ResourceNode, 'namespace' | 'name'> & { readonly uid: string },
  ): Promise<KubeObject[]> {
    const { cluster } = await this.destination(application);
    return listEventsAbout(cluster, { namespace: namespace === '' ? 'default' : namespace, name, uid });
  }

  /** The actions that can run on an object now. */
  actionsOf(object: KubeObject): readonly Action[] {
    return this.#actions.discover(object);
  }

  /** Runs an action on an object as it is; on a conflict it is read again. */
  runAction(
    application: KubeObject,
    { key, version }: { readonly key: Key; readonly version: string },
    name: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<void> {
    return runAction(
      () => this.#open(application, key, version),
      (object) => this.#actions.run(object, name, parameters),
      () => this.#applications.admit(application),
      this.#context.clock,
    );
  }

  async #find(application: KubeObject, key: Key, version: string): Promise<LiveResource> {
    const tree = await this.tree(application);
    return readLive(tree, () => this.destination(application), application, key, version);
  }

  /** The Application itself can be acted upon as its objects can. */
  #open(application: KubeObject, key: Key, version: string): Promise<LiveResource> {
    const { group, kind, name } = key;
    if (group !== APPLICATIONS.group || kind !== APPLICATIONS.kind || name !== application.metadata.name)
      return this.#find(application, key, version);
    return Promise.resolve({
      object: application,
      ref: APPLICATIONS,
      cluster: this.#context.cluster,
      kindOf: () => APPLICATIONS,
      findScopeViolation: () => undefined,
    });
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
