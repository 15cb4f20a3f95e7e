import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/** Which resource, by group and plural name; versions are the server's concern. */
export interface ResourceName {
  readonly group: string;
  readonly plural: string;
}

/** A resource that the server serves, with its kind. */
export interface ServedResource extends ResourceName {
  readonly kind: string;
  readonly namespaced: boolean;
}

/** The same, looked up by kind: as it is served now. */
export interface ServedKind extends ServedResource {
  /** Status is written through its own endpoint. */
  readonly hasStatus: boolean;
  /** For kinds that can be scaled. */
  readonly scale?: ScaledKind;
}

export interface ScaledKind {
  /** Where the wanted number of replicas stands: `.spec.replicas`. */
  readonly replicasPath: string;
  /** The selector of an object's pods, as text; empty where the kind does not say. */
  selectorOf(object: KubeObject): string;
}

export interface WatchedObject {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
}

/**
 * What built-in controllers, the scheduler, the simulated kubelet and stages use: the same verbs, admission and
 * conflicts as over HTTP, without the socket. Objects that it returns are shared and must not be changed: clone first.
 * Failures are ApiError.
 */
export interface LocalClient {
  get(of: ResourceName, namespace: string, name: string): KubeObject | undefined;
  /** All objects of a resource, in one namespace or ('') everywhere, ordered by namespace and name. */
  list(of: ResourceName, namespace?: string): KubeObject[];
  create(of: ResourceName, object: KubeObject): Promise<KubeObject>;
  /** Conditional on metadata.resourceVersion where that is set. */
  update(of: ResourceName, object: KubeObject, subresource?: string): Promise<KubeObject>;
  /**
   * Reads the newest state, lets `change` edit a copy, writes it; repeats on conflict. `change` returns false for
   * "leave it".
   */
  edit(
    of: ResourceName,
    namespace: string,
    name: string,
    change: (object: KubeObject) => boolean | void,
    subresource?: string,
  ): Promise<KubeObject | undefined>;
  /** A JSON merge patch over the newest state, read as strictly as kubectl asks for: unknown fields are refused. */
  mergePatch(
    of: ResourceName,
    namespace: string,
    name: string,
    patch: JsonObject,
    subresource?: string,
  ): Promise<KubeObject>;
  /** Server-side apply under this component's name, taking fields over from others; creates what is missing. */
  apply(object: KubeObject, subresource?: string): Promise<KubeObject>;
  remove(
    of: ResourceName,
    namespace: string,
    name: string,
    options?: {
      readonly uid?: string;
      readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
      readonly gracePeriodSeconds?: number;
    },
  ): Promise<void>;
  /** Current objects as ADDED, then every change, in order. */
  watch(of: ResourceName, listener: (event: WatchedObject) => void): { close(): void };
  /** The resource of a kind, in the version that this client speaks; undefined where none is served. */
  served(group: string, kind: string): ServedKind | undefined;
  /** Calls back for each served resource now and whenever one appears (a CRD was established). */
  onResources(listener: (of: ServedResource) => void): { close(): void };
  /** Records an Event about an object; repeated ones raise count and lastTimestamp, as client-go's recorder does. */
  event(
    about: KubeObject,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    source: string,
    place?: EventPlace,
  ): void;
  /** Gives a pod its node, as POST pods/NAME/binding does. */
  bind(namespace: string, name: string, binding: { readonly node: string; readonly uid?: string }): Promise<KubeObject>;
}

/** Where inside an object something happened, and on which machine: a kubelet says both. */
export interface EventPlace {
  /** `spec.containers{app}` */
  readonly fieldPath?: string;
  readonly host?: string;
}

/** Time as the server sees it; tests move it by hand. */
export interface Clock {
  now(): Date;
  /** Calls back after `milliseconds`; the returned function cancels. */
  after(milliseconds: number, callback: () => void): () => void;
}
