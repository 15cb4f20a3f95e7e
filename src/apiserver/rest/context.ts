import { clone, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AdmissionPlugin } from './admission.js';
import type { User } from '../access/index.js';
import type { Clock } from './local-client.js';
import type { ResourceType, TypeCatalog } from '../resources/index.js';
import type { Store, Stored } from '../store/index.js';

/** What every verb works on. */
export interface RestContext {
  readonly store: Store;
  readonly types: TypeCatalog;
  readonly clock: Clock;
  /** In their order; those of stages come last. */
  readonly admission: AdmissionPlugin[];
  /** Subresources that stages play, by `group/Kind/name`: a POST, and what it is answered with. */
  readonly subresources?: Map<string, (call: Call) => Promise<JsonObject>>;
  /** Told of what went wrong where nobody waits for an answer. */
  report(line: string): void;
  newUid(): string;
  /** Five characters for generateName, from an alphabet without vowels. */
  newSuffix(): string;
}

/** One call of a verb: which object, by whom, and the options that all writes share. */
export interface Call {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly user: User;
  readonly dryRun: boolean;
  readonly fieldManager: string;
  warn(message: string): void;
}

/** What a verb answers: an object in the version asked for, and where it is kept. */
export interface VerbResult {
  readonly object: KubeObject;
  /** Absent after a dry run and after a delete. */
  readonly stored?: Stored;
  readonly created?: boolean;
}

export function prefixOf(type: ResourceType, namespace = ''): string {
  return namespace === '' || !type.namespaced
    ? `/registry/${type.storage}/`
    : `/registry/${type.storage}/${namespace}/`;
}

export function keyFor(type: ResourceType, namespace: string, name: string): string {
  return `${prefixOf(type, namespace)}${name}`;
}

/** The kept object in the version of `type`; shared where no conversion is needed, so never change it. */
export function fromStored(type: ResourceType, stored: Stored): KubeObject {
  const { object } = stored;
  if (type.conversion)
    return object.apiVersion === apiVersionOf(type) ? object : type.conversion.fromStored(clone(object));
  return object.apiVersion === apiVersionOf(type) ? object : { ...object, apiVersion: apiVersionOf(type) };
}

/** The form to keep, with kind and apiVersion first so that lists can cut them off by length. */
export function toStored(type: ResourceType, object: KubeObject): KubeObject {
  const source =
    type.conversion && apiVersionOf(type) !== type.storedApiVersion ? type.conversion.toStored(object) : object;
  return Object.assign({ kind: type.kind, apiVersion: type.storedApiVersion }, source, {
    apiVersion: type.storedApiVersion,
  });
}

export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** How errors name the resource: `deployments.apps "x" not found`. */
export function resourceOf(type: ResourceType): { group: string; resource: string } {
  return { group: type.group, resource: type.plural };
}

/** The kind that validation errors name; events of both groups are one kind of the core. */
export function kindOfErrors(type: ResourceType): { group: string; kind: string } {
  return { group: type.storage.startsWith('core/') ? '' : type.group, kind: type.kind };
}

/** RFC 3339 in whole seconds, as metav1.Time is written. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
