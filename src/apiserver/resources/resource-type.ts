import type { Json, JsonObject } from '../../model/json/index.js';
import type { KubeObject, Schema } from '../../model/kubernetes/index.js';
import type { FieldError } from '../errors/index.js';

/** One served resource in one version: what discovery says of it, its shape, and how its kind behaves. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** From a CRD: its JSON keeps kind and apiVersion in list items, and strategic merge patches are refused. */
  readonly custom: boolean;
  readonly verbs: readonly string[];
  /** Why no verb writes it, for people who try; kinds that can be written have none. */
  readonly readOnly?: string;
  readonly subresources: ReadonlyMap<string, Subresource>;
  readonly schema: Schema;
  /** The schema of a custom resource as its author wrote it, descriptions included: what OpenAPI publishes. */
  readonly openApi?: JsonObject;
  /**
   * Parsed JSON -> the object that a typed round trip of the real server would give: nulls and zero values dropped,
   * unknown fields pruned and named. Throws ApiError where a value has the wrong type.
   */
  decode(value: JsonObject): { readonly object: KubeObject; readonly unknownFields: readonly string[] };
  readonly strategy: Strategy;
  readonly columns: readonly Column[];
  /** Fields besides metadata.name and metadata.namespace that field selectors may name, with their reader. */
  readonly selectableFields: ReadonlyMap<string, (object: KubeObject) => string>;
  /** Objects live under `/registry/<storage>/<namespace>/<name>`; versions of one resource share it. */
  readonly storage: string;
  /** Sent as a Warning with every answer of a deprecated version. */
  readonly deprecationWarning?: string;
  /** The apiVersion that kept bodies have. */
  readonly storedApiVersion: string;
  /** Between this version and the stored one, where the shapes differ. */
  readonly conversion?: { toStored(object: KubeObject): KubeObject; fromStored(object: KubeObject): KubeObject };
}

export interface Subresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** For `scale` of a custom resource: where its numbers are. */
  readonly scale?: { readonly specPath: string; readonly statusPath: string; readonly selectorPath?: string };
}

/**
 * What a kind adds to the common life of an object. All functions may change the object they are given, nothing else.
 */
export interface Strategy {
  /**
   * Fills in what the schema's defaults cannot say (imagePullPolicy from the tag, ...). Runs on create, update and read
   * of old objects.
   */
  defaults?(object: KubeObject): void;
  /** Clears what a client may not set and computes what the server sets; after defaults, before validation. */
  prepareCreate?(object: KubeObject): void;
  prepareUpdate?(next: KubeObject, previous: KubeObject): void;
  validate?(object: KubeObject): FieldError[];
  validateUpdate?(next: KubeObject, previous: KubeObject): FieldError[];
  /**
   * validateUpdate checks the whole object, so validate runs on create only (custom resources forgive what did not
   * change).
   */
  readonly validatesUpdates?: boolean;
  /** After everything but status and metadata was restored from `previous`. */
  prepareStatusUpdate?(next: KubeObject, previous: KubeObject): void;
  validateStatusUpdate?(next: KubeObject, previous: KubeObject): FieldError[];
  /** Restores what a subresource may not change; before the rules below. */
  prepareSubresource?(subresource: string, next: KubeObject, previous: KubeObject): void;
  /** Rules of the other subresources that write the object (pods: resize, ephemeralcontainers, binding). */
  validateSubresource?(subresource: string, next: KubeObject, previous: KubeObject): FieldError[];
  /** True where spec changes raise metadata.generation (almost all kinds with a status). */
  readonly generation?: boolean;
  /** Names are DNS subdomains unless the kind says otherwise (RBAC: path segments; Service: DNS label 1035). */
  readonly nameRule?: 'subdomain' | 'label' | 'label1035' | 'path';
  /** Seconds between a delete and the object's end, given what the client asked for; kinds without it end at once. */
  gracePeriod?(object: KubeObject, asked: number | undefined): number;
  /** The first delete of an object: what the kind adds to the marks of deletion (finalizers, status). */
  beginDelete?(object: KubeObject, current: KubeObject, now: string): void;
  /** PUT of a name that does not exist creates it. */
  readonly createOnUpdate?: boolean;
  /** A PUT without resourceVersion is refused (custom resources and a few built-in kinds). */
  readonly versionedUpdate?: boolean;
  /** DELETE without a propagation policy leaves dependents alone (Job and ReplicationController). */
  readonly orphanByDefault?: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted?: boolean;
  /** Marks that a Table puts on the object's row. */
  rowConditions?(object: KubeObject): JsonObject[];
  /** Warning headers for a client. */
  warnings?(object: KubeObject): string[];
}

/** One column of a Table. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0: printed by default; 1: only with -o wide. */
  readonly priority: number;
  cell(object: KubeObject, now: Date): Json;
}
