import { createHash } from 'node:crypto';
import { joinApiVersion, splitApiVersion } from '../../../model/kubernetes/index.js';
import { writeJson, type JsonObject } from '../../../model/json/index.js';
import type { ResourceType, Subresource } from '../../resources/index.js';

/** What discovery and OpenAPI need to know of a resource. */
export type DescribedType = Pick<
  ResourceType,
  | 'group'
  | 'version'
  | 'kind'
  | 'listKind'
  | 'plural'
  | 'singular'
  | 'shortNames'
  | 'categories'
  | 'namespaced'
  | 'custom'
  | 'verbs'
  | 'subresources'
> & { readonly storedApiVersion?: string };

/** All resources now; `generation` rises with every change, and documents are kept until it does. */
export interface DescribedCatalog {
  readonly generation: number;
  readonly all: readonly DescribedType[];
}

export interface AggregatedDocument {
  readonly body: JsonObject;
  readonly etag: string;
  readonly contentType: string;
}

interface Group {
  readonly name: string;
  readonly versions: readonly Version[];
}

interface Version {
  readonly version: string;
  readonly types: readonly DescribedType[];
}

/** Answers of `/api`, `/apis` and below, in both forms. The core group's name is empty. */
export class Discovery {
  #generation = -1;
  #groups: readonly Group[] = [];
  readonly #aggregated = new Map<string, AggregatedDocument>();

  constructor(readonly catalog: DescribedCatalog) {}

  /** `/api`; the address is what clients outside the cluster should use. */
  apiVersions(serverAddress: string): JsonObject {
    const versions = this.#find('')?.versions.map(({ version }) => version) ?? [];
    return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }] };
  }

  /** `/apis` */
  groupList(): JsonObject {
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: this.#current()
        .filter(({ name }) => name !== '')
        .map(describeGroup),
    };
  }

  /** `/apis/G` */
  group(name: string): JsonObject | undefined {
    const group = name === '' ? undefined : this.#find(name);
    return group && { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) };
  }

  /** `/api/v1`, `/apis/G/V` */
  resourceList(group: string, version: string): JsonObject | undefined {
    const found = this.#find(group)?.versions.find((one) => one.version === version);
    if (found === undefined) return undefined;
    // The real server leaves apiVersion out for the core group only.
    const head: JsonObject = group === '' ? { kind: 'APIResourceList' } : { kind: 'APIResourceList', apiVersion: 'v1' };
    return { ...head, groupVersion: joinApiVersion(group, version), resources: found.types.flatMap(legacyResources) };
  }

  /** `/api` and `/apis` for clients that ask for all groups with their resources at once. */
  aggregated(root: 'api' | 'apis', version: 'v2' | 'v2beta1'): AggregatedDocument {
    const groups = this.#current();
    const key = `${root} ${version}`;
    let document = this.#aggregated.get(key);
    if (document === undefined) {
      const items = groups.filter(({ name }) => (name === '') === (root === 'api')).map(aggregatedGroup);
      const body: JsonObject = {
        kind: 'APIGroupDiscoveryList',
        apiVersion: `apidiscovery.k8s.io/${version}`,
        metadata: {},
        items,
      };
      const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
      document = { body, etag: entityTag(writeJson(body)), contentType };
      this.#aggregated.set(key, document);
    }
    return document;
  }

  #find(name: string): Group | undefined {
    return this.#current().find((group) => group.name === name);
  }

  #current(): readonly Group[] {
    if (this.#generation !== this.catalog.generation) {
      this.#generation = this.catalog.generation;
      this.#groups = sortGroups(this.catalog.all);
      this.#aggregated.clear();
    }
    return this.#groups;
  }
}

/** A strong validator that changes when the content does. */
export function entityTag(content: string | Uint8Array): string {
  return `"${contentHash(content)}"`;
}

export function contentHash(content: string | Uint8Array): string {
  return createHash('sha512').update(content).digest('hex').toUpperCase();
}

/** Built-in groups in the catalog's order, then custom ones by name; custom versions newest and most stable first. */
function sortGroups(types: readonly DescribedType[]): Group[] {
  const builtin = new Set(types.filter((type) => !type.custom).map((type) => type.group));
  const custom = [...new Set(types.filter((type) => !builtin.has(type.group)).map((type) => type.group))].sort();
  return [...builtin, ...custom].map((name) => {
    const own = types.filter((type) => type.group === name);
    const versions = [...new Set(own.map((type) => type.version))];
    if (!builtin.has(name)) versions.sort(compareVersions);
    return {
      name,
      versions: versions.map((version) => ({ version, types: byName(own.filter((type) => type.version === version)) })),
    };
  });
}

function byName(types: readonly DescribedType[]): DescribedType[] {
  return [...types].sort((a, b) => (a.plural < b.plural ? -1 : 1));
}

/**
 * Order of versions by how stable and how new they are: v2, v1, v2beta1, v1beta2, v1alpha1, then other names by text.
 */
export function compareVersions(a: string, b: string): number {
  const left = versionRank(a);
  const right = versionRank(b);
  if (left === undefined && right === undefined) return Number(a > b) - Number(a < b);
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
  for (const [index, rank] of left.entries()) {
    const other = right[index] ?? 0;
    if (rank !== other) return other - rank;
  }
  return 0;
}

/** Stability (alpha 0, beta 1, none 2), major, minor. */
function versionRank(version: string): number[] | undefined {
  const parts = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (parts === null) return undefined;
  const [, major = '0', stage, minor = '0'] = parts;
  return [['alpha', 'beta', undefined].indexOf(stage), Number(major), Number(minor)];
}

function describeGroup({ name, versions }: Group): JsonObject {
  const described = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: described, preferredVersion: { ...described[0] } };
}

function legacyResources(type: DescribedType): JsonObject[] {
  const main: JsonObject = {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs: [...type.verbs],
    ...names(type),
    ...storageHash(type),
  };
  const below = [...type.subresources.values()].map(
    (sub): JsonObject => ({
      name: `${type.plural}/${sub.name}`,
      singularName: '',
      namespaced: type.namespaced,
      ...foreign(sub, type),
      kind: sub.kind,
      verbs: [...sub.verbs],
    }),
  );
  return [main, ...below];
}

/** Resources that the real server of this version still keeps in an older form. */
const KEPT_OLDER: ReadonlyMap<string, string> = new Map([
  ['CustomResourceDefinition', 'apiextensions.k8s.io/v1beta1'],
  ['VolumeAttributesClass', 'storage.k8s.io/v1beta1'],
]);

/** Changes when the kept form of a resource does; migrators compare it. Reviews and bindings are not kept. */
function storageHash({ storedApiVersion, kind, verbs }: DescribedType): JsonObject {
  if (storedApiVersion === undefined || !verbs.includes('watch')) return {};
  const { group, version } = splitApiVersion(KEPT_OLDER.get(kind) ?? storedApiVersion);
  return {
    storageVersionHash: createHash('sha256')
      .update(`${group}/${version}/${kind}`)
      .digest()
      .subarray(0, 8)
      .toString('base64'),
  };
}

function names(type: DescribedType): JsonObject {
  return {
    ...(type.shortNames.length > 0 && { shortNames: [...type.shortNames] }),
    ...(type.categories.length > 0 && { categories: [...type.categories] }),
  };
}

/** Group and version of a subresource's kind, where they are not the resource's own. */
function foreign(sub: Subresource, type: DescribedType): { group: string; version: string } | undefined {
  return sub.group === type.group && sub.version === type.version
    ? undefined
    : { group: sub.group, version: sub.version };
}

function aggregatedGroup({ name, versions }: Group): JsonObject {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions.map(({ version, types }) => ({
      version,
      resources: types.map(aggregatedResource),
      freshness: 'Current',
    })),
  };
}

function aggregatedResource(type: DescribedType): JsonObject {
  // Built-in resources leave group and version of their own kind empty, custom ones write them out.
  const own = type.custom ? { group: type.group, version: type.version } : { group: '', version: '' };
  const subresources = [...type.subresources.values()].map(
    (sub): JsonObject => ({
      subresource: sub.name,
      responseKind: { ...(foreign(sub, type) ?? own), kind: sub.kind },
      verbs: [...sub.verbs],
    }),
  );
  return {
    resource: type.plural,
    responseKind: { ...own, kind: type.kind },
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: type.singular,
    verbs: [...type.verbs],
    ...names(type),
    ...(subresources.length > 0 && { subresources }),
  };
}
