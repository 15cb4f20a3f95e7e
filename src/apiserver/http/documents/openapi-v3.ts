import { isObject, put, writeJson, type Json, type JsonObject } from '../../../model/json/index.js';
import { REF_PREFIX, openApiName, openApiSchemas } from '../../schema/index.js';
import { contentHash } from './discovery.js';
import { customName, customSchemas, type OpenApiType } from './openapi-custom.js';
import { addPaths } from './openapi-paths.js';

export interface OpenApiCatalog {
  readonly generation: number;
  readonly all: readonly OpenApiType[];
}

/** One document as text, with the hash that the index names it by. */
export interface OpenApiDocument {
  readonly text: string;
  readonly etag: string;
}

const INFO: JsonObject = { title: 'Kubernetes', version: '1.34' };
const BEARER: JsonObject = {
  type: 'apiKey',
  description: 'Bearer Token authentication',
  name: 'authorization',
  in: 'header',
};

/** The one path that belongs to no group. */
const VERSION_DOCUMENT = writeJson({
  openapi: '3.0.0',
  info: INFO,
  paths: {
    '/version/': {
      get: {
        tags: ['version'],
        operationId: 'getCodeVersion',
        responses: { '200': { description: 'OK', content: { 'application/json': { schema: { type: 'object' } } } } },
      },
    },
  },
});

/**
 * `/openapi/v3` and the documents of each group and version, made when asked for and kept while their resources stay.
 */
export class OpenApiV3 {
  readonly #texts = new Map<string, { readonly hash: string; readonly text: string }>();
  #generation = -1;
  #groups = new Map<string, { readonly hash: string; readonly types: readonly OpenApiType[] }>();

  constructor(readonly catalog: OpenApiCatalog) {}

  /** `/openapi/v3` */
  index(): JsonObject {
    const paths: JsonObject = {};
    for (const [path, { hash }] of this.#current())
      put(paths, path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` });
    put(paths, 'version', { serverRelativeURL: `/openapi/v3/version?hash=${contentHash(VERSION_DOCUMENT)}` });
    return { paths };
  }

  /** The document of `api/v1` or `apis/G/V`. */
  document(path: string): OpenApiDocument | undefined {
    if (path === 'version') return { text: VERSION_DOCUMENT, etag: `"${contentHash(VERSION_DOCUMENT)}"` };
    const group = this.#current().get(path);
    if (group === undefined) return undefined;
    const known = this.#texts.get(path);
    if (known?.hash === group.hash) return { text: known.text, etag: `"${known.hash}"` };
    const text = writeJson(describeResources(group.types));
    this.#texts.set(path, { hash: group.hash, text });
    return { text, etag: `"${group.hash}"` };
  }

  /** The hash covers what a document is made from, so that the index does not need the documents. */
  #current(): ReadonlyMap<string, { readonly hash: string; readonly types: readonly OpenApiType[] }> {
    if (this.#generation === this.catalog.generation) return this.#groups;
    this.#generation = this.catalog.generation;
    const types = new Map<string, OpenApiType[]>();
    for (const type of this.catalog.all) {
      const path = groupVersionPath(type);
      types.set(path, [...(types.get(path) ?? []), type]);
    }
    this.#groups = new Map(
      [...types]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, list]) => [path, { hash: hashOf(list), types: list }]),
    );
    for (const path of this.#texts.keys()) if (!this.#groups.has(path)) this.#texts.delete(path);
    return this.#groups;
  }
}

function groupVersionPath({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function hashOf(types: readonly OpenApiType[]): string {
  return contentHash(
    writeJson(
      types.map(
        (type): Json => [
          type.plural,
          type.kind,
          type.namespaced,
          [...type.verbs],
          [...type.subresources.values()].map((sub) => [sub.name, sub.kind, [...sub.verbs]]),
          type.openApi ?? null,
        ],
      ),
    ),
  );
}

/** The document of some resources: paths, their schemas, and all that these refer to. */
export function describeResources(types: readonly OpenApiType[]): JsonObject {
  const paths: JsonObject = {};
  const schemas: JsonObject = {};
  const used = new Set<string>();
  const own = new Map(types.filter((type) => type.custom).flatMap(customSchemas));
  const nameOf = (group: string, version: string, kind: string): string | undefined => {
    const custom = customName(group, version, kind);
    return own.has(custom) ? custom : openApiName(group, version, kind);
  };
  for (const type of types) addPaths(type, nameOf, paths, used);
  for (const [name, schema] of own) {
    put(schemas, name, schema);
    collectRefs(schema, used);
  }
  for (const [name, schema] of openApiSchemas(used)) put(schemas, name, schema);
  return { openapi: '3.0.0', info: INFO, paths, components: { schemas, securitySchemes: { BearerToken: BEARER } } };
}

/** Names of the schemas that a custom schema refers to: only ours do, authors cannot. */
function collectRefs(schema: JsonObject, used: Set<string>): void {
  const waiting: Json[] = [schema];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    if (isObject(node) && typeof node.$ref === 'string' && node.$ref.startsWith(REF_PREFIX))
      used.add(node.$ref.slice(REF_PREFIX.length));
    for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) waiting.push(child);
  }
}
