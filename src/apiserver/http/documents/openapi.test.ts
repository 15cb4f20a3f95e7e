import { describe, expect, it } from 'vitest';
import { isObject, parseJson, type JsonObject } from '../../../model/json/index.js';
import { builtinTypes } from '../../kinds/builtin-types.js';
import type { OpenApiType } from './openapi-custom.js';
import { OpenApiV2 } from './openapi-v2.js';
import { OpenApiV3 } from './openapi-v3.js';

const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

function widget(version: string, subresources: OpenApiType['subresources'] = new Map()): OpenApiType {
  return {
    group: 'zoo.example.com',
    version,
    kind: 'Widget',
    listKind: 'WidgetList',
    plural: 'widgets',
    singular: 'widget',
    shortNames: ['wd'],
    categories: ['all'],
    namespaced: true,
    custom: true,
    verbs: CUSTOM_VERBS,
    subresources,
    openApi: {
      type: 'object',
      description: 'A widget',
      properties: {
        spec: {
          type: 'object',
          properties: { size: { type: 'integer', default: 3 }, port: { 'x-kubernetes-int-or-string': true } },
        },
      },
    },
  };
}

const STATUS = {
  name: 'status',
  group: 'zoo.example.com',
  version: 'v1',
  kind: 'Widget',
  verbs: ['get', 'patch', 'update'],
};
const SCALE = { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] };
const builtin: readonly OpenApiType[] = builtinTypes().map((type) => ({
  group: type.group,
  version: type.version,
  kind: type.kind,
  listKind: type.listKind,
  plural: type.plural,
  singular: type.singular,
  shortNames: type.shortNames,
  categories: type.categories,
  namespaced: type.namespaced,
  verbs: type.verbs,
  subresources: type.subresources,
  custom: false,
}));
const catalog = {
  generation: 1,
  all: [
    ...builtin,
    widget('v1beta1'),
    widget(
      'v1',
      new Map([
        ['status', STATUS],
        ['scale', SCALE],
      ]),
    ),
  ],
};

function parsed(text: string | undefined): JsonObject {
  const value = parseJson(text ?? '');
  if (!isObject(value)) throw new TypeError('no document');
  return value;
}

describe('OpenAPI v3', () => {
  const openapi = new OpenApiV3(catalog);
  const paths = openapi.index().paths as Record<string, { serverRelativeURL: string }>;

  it('has a document for every group and version, none with a reference to nothing', () => {
    for (const path of Object.keys(paths)) {
      const text = openapi.document(path)?.text ?? '';
      const { components } = parsed(text) as unknown as { components: { schemas: JsonObject } };
      const missing = [...text.matchAll(/"#\/components\/schemas\/([^"]*)"/g)]
        .map(([, name]) => name ?? '')
        .filter((name) => !Object.hasOwn(components.schemas, name));
      expect(missing, path).toEqual([]);
    }
    expect(openapi.document('apis/nope/v1')).toBeUndefined();
  });

  it('declares fieldValidation of patch and the kind of each path for kubectl', () => {
    const document = parsed(openapi.document('apis/apps/v1')?.text) as unknown as {
      paths: Record<string, { patch: { parameters: { name: string }[] } & JsonObject }>;
    };
    const patch = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.patch;
    expect(patch?.parameters.map(({ name }) => name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    expect(patch).toMatchObject({
      operationId: 'patchAppsV1NamespacedDeployment',
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
    });
  });

  it('publishes the schema of a custom resource with its metadata', () => {
    const { components } = parsed(openapi.document('apis/zoo.example.com/v1')?.text) as unknown as {
      components: { schemas: Record<string, JsonObject> };
    };
    expect(components.schemas['com.example.zoo.v1.Widget']).toMatchObject({
      description: 'A widget',
      properties: {
        metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
        spec: { properties: { port: { anyOf: [{ type: 'integer' }, { type: 'string' }] } } },
      },
      'x-kubernetes-group-version-kind': [{ group: 'zoo.example.com', kind: 'Widget', version: 'v1' }],
    });
  });

  it('changes the hash of a document when its resources change, and no other', () => {
    const changing = { generation: 1, all: builtin };
    const live = new OpenApiV3(changing);
    const before = live.index().paths as typeof paths;
    changing.all = catalog.all;
    changing.generation++;
    const after = live.index().paths as typeof paths;
    expect(after['api/v1']).toEqual(before['api/v1']);
    expect(Object.keys(after).filter((path) => !(path in before))).toEqual([
      'apis/zoo.example.com/v1',
      'apis/zoo.example.com/v1beta1',
    ]);
  });
});

describe('OpenAPI v2', () => {
  const openapi = new OpenApiV2(catalog);

  it('has the same content in Swagger, without what Swagger does not support', () => {
    const { definitions } = parsed(openapi.document().text) as unknown as { definitions: Record<string, JsonObject> };
    expect(definitions['io.k8s.api.core.v1.ContainerPort']?.properties).toMatchObject({
      protocol: { type: 'string', enum: ['SCTP', 'TCP', 'UDP'] },
    });
    expect(definitions['io.k8s.apimachinery.pkg.api.resource.Quantity']).toEqual({ type: 'string' });
    expect(definitions['io.k8s.api.apps.v1.Deployment']?.properties).toMatchObject({
      spec: { $ref: '#/definitions/io.k8s.api.apps.v1.DeploymentSpec' },
    });
    expect(definitions['com.example.zoo.v1.Widget']?.properties).toMatchObject({
      spec: { properties: { size: { type: 'integer' }, port: { 'x-kubernetes-int-or-string': true } } },
    });
  });

  it('has a protobuf form whose fields are those of gnostic openapi.v2', () => {
    const { bytes } = openapi.protobuf();
    expect(Buffer.from(bytes.subarray(0, 5)).toString('latin1')).toBe('\n\x032.0');
    // Wire tags of the document's fields: swagger, info, paths, definitions, security definitions, security.
    expect(topLevelTags(bytes)).toEqual([1, 2, 8, 9, 13, 12]);
  });
});

function topLevelTags(bytes: Uint8Array): number[] {
  const tags: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag, afterTag] = varint(bytes, at);
    const [length, start] = varint(bytes, afterTag);
    tags.push(tag >> 3);
    at = start + length;
  }
  return tags;
}

function varint(bytes: Uint8Array, from: number): [value: number, next: number] {
  let value = 0;
  let at = from;
  for (let shift = 1; ; shift *= 128) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 0x7f) * shift;
    if (byte < 0x80) return [value, at];
  }
}
