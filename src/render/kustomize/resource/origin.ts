import { isArray, isObject, type Json, type JsonObject } from '../../../model/json/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';
import { jsonNode } from '../yaml/node-json.js';
import { writeNode } from '../yaml/write-node.js';
import { annotationOf } from './metadata.js';
import type { Resource } from './resource.js';

const ORIGIN = 'config.kubernetes.io/origin';
const TRANSFORMATIONS = 'alpha.config.kubernetes.io/transformations';

/** Where an object or a transformer came from, as `buildMetadata` asks Kustomize to note it. */
export interface BuildOrigin {
  readonly path?: string;
  readonly repo?: string;
  readonly ref?: string;
  readonly configuredIn?: string;
  readonly configuredBy?: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
}

/** Members in the order of Go's struct, empty ones left out. */
function originJson(origin: BuildOrigin): JsonObject {
  const text = (name: string, value: string | undefined): JsonObject =>
    value === undefined || value === '' ? {} : { [name]: value };
  const { configuredBy: by } = origin;
  const configuredBy: JsonObject =
    by === undefined
      ? {}
      : {
          ...text('apiVersion', by.apiVersion),
          ...text('kind', by.kind),
          ...text('name', by.name),
          ...text('namespace', by.namespace),
        };
  return {
    ...text('path', origin.path),
    ...text('repo', origin.repo),
    ...text('ref', origin.ref),
    ...text('configuredIn', origin.configuredIn),
    ...(Object.keys(configuredBy).length > 0 && { configuredBy }),
  };
}

function parseOrigin(json: Json): BuildOrigin {
  if (!isObject(json)) return {};
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
  const by = isObject(json.configuredBy) ? json.configuredBy : undefined;
  return {
    path: text(json.path),
    repo: text(json.repo),
    ref: text(json.ref),
    configuredIn: text(json.configuredIn),
    ...(by !== undefined && {
      configuredBy: {
        apiVersion: text(by.apiVersion),
        kind: text(by.kind),
        name: text(by.name),
        namespace: text(by.namespace),
      },
    }),
  };
}

export function originText(origin: BuildOrigin): string {
  return writeNode(jsonNode(originJson(origin)));
}

export function originOf(resource: Resource): BuildOrigin | undefined {
  const text = annotationOf(resource.node, ORIGIN);
  return text === undefined ? undefined : parseOrigin(readOneYaml(text, { dialect: 'kubernetes' }));
}

export function setOrigin(resource: Resource, origin: BuildOrigin | undefined): void {
  const { annotations } = resource;
  if (origin === undefined) annotations.delete(ORIGIN);
  else annotations.set(ORIGIN, originText(origin));
  resource.setAnnotations(annotations);
}

/** Notes a transformer on every object; one without origin was made by it. */
export function noteTransformer(resources: readonly Resource[], origin: BuildOrigin): void {
  for (const resource of resources) {
    if (originOf(resource) === undefined) setOrigin(resource, origin);
    else addTransformation(resource, origin);
  }
}

function addTransformation(resource: Resource, origin: BuildOrigin): void {
  const { annotations } = resource;
  const text = annotations.get(TRANSFORMATIONS);
  const read = text === undefined ? [] : readOneYaml(text, { dialect: 'kubernetes' });
  const all = [...(isArray(read) ? read : []).map((item) => originJson(parseOrigin(item))), originJson(origin)];
  annotations.set(TRANSFORMATIONS, writeNode(jsonNode(all)));
  resource.setAnnotations(annotations);
}

export function clearTransformations(resource: Resource): void {
  const { annotations } = resource;
  annotations.delete(TRANSFORMATIONS);
  resource.setAnnotations(annotations);
}

/** The origin that resources made by a configured plugin have. */
export function pluginOrigin(config: Resource): BuildOrigin | undefined {
  const origin = originOf(config);
  if (origin === undefined) return undefined;
  const { apiVersion, kind, name, namespace } = config;
  return {
    ...(origin.repo !== undefined && { repo: origin.repo }),
    ...(origin.ref !== undefined && { ref: origin.ref }),
    ...(origin.path !== undefined && { configuredIn: origin.path }),
    configuredBy: { apiVersion, kind, name, namespace },
  };
}
