import { isObject, own, put, writeJson, type Json, type JsonObject } from '../../../model/json/index.js';
import { REF_PREFIX } from '../../schema/index.js';
import { entityTag } from './discovery.js';
import { describeResources, type OpenApiCatalog, type OpenApiDocument } from './openapi-v3.js';
import type { OpenApiType } from './openapi-custom.js';
import { writeOpenApiV2 } from './openapi-v2-protobuf.js';

const DEFINITIONS = '#/definitions/';
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** What client-go asks for, and what the answer is called. */
export const OPENAPI_V2_PROTOBUF = {
  asked: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  given: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
} as const;

/** `/openapi/v2`: one Swagger document of all groups, derived from the v3 ones, kept until a resource changes. */
export class OpenApiV2 {
  #generation = -1;
  #json: OpenApiDocument | undefined;
  #protobuf: { readonly bytes: Uint8Array; readonly etag: string } | undefined;

  constructor(readonly catalog: OpenApiCatalog) {}

  document(): OpenApiDocument {
    this.#forget();
    if (this.#json === undefined) {
      const text = writeJson(describeAll(this.catalog.all));
      this.#json = { text, etag: entityTag(text) };
    }
    return this.#json;
  }

  protobuf(): { readonly bytes: Uint8Array; readonly etag: string } {
    this.#forget();
    if (this.#protobuf === undefined) {
      const bytes = writeOpenApiV2(describeAll(this.catalog.all));
      this.#protobuf = { bytes, etag: entityTag(bytes) };
    }
    return this.#protobuf;
  }

  #forget(): void {
    if (this.#generation === this.catalog.generation) return;
    this.#generation = this.catalog.generation;
    this.#json = undefined;
    this.#protobuf = undefined;
  }
}

/** The Swagger document of all resources. */
function describeAll(types: readonly OpenApiType[]): JsonObject {
  const document = describeResources(types);
  const components = isObject(document.components) ? document.components : {};
  const paths: JsonObject = {};
  const definitions: JsonObject = {};
  for (const [path, item] of entries(document.paths)) put(paths, path, convertPath(item));
  for (const [name, schema] of entries(components.schemas)) put(definitions, name, convertSchema(schema));
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: '1.34' },
    paths,
    definitions,
    securityDefinitions: {
      BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
    },
    security: [{ BearerToken: [] }],
  };
}

function entries(value: Json | undefined): [string, JsonObject][] {
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const member = own(value, key);
    return isObject(member) ? [[key, member]] : [];
  });
}

function convertPath(item: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const method of METHODS) {
    const operation = own(item, method);
    if (isObject(operation)) put(out, method, convertOperation(operation));
  }
  return { ...out, parameters: convertParameters(item.parameters) };
}

function convertOperation(operation: JsonObject): JsonObject {
  const { requestBody, responses, parameters, ...rest } = operation;
  const body = isObject(requestBody) ? requestBody : undefined;
  const taken = body === undefined ? ['*/*'] : entries(body.content).map(([type]) => type);
  const given = entries(responses).flatMap(([, response]) => entries(response.content).map(([type]) => type));
  const all = [...(body === undefined ? [] : [bodyParameter(body)]), ...convertParameters(parameters)];
  return {
    ...rest,
    consumes: taken,
    produces: [...new Set(given)],
    schemes: ['https'],
    ...(all.length > 0 && { parameters: all }),
    responses: convertResponses(responses),
  };
}

function bodyParameter(body: JsonObject): JsonObject {
  const schema = entries(body.content)[0]?.[1].schema;
  return {
    name: 'body',
    in: 'body',
    ...(body.required === true && { required: true }),
    schema: convertSchema(isObject(schema) ? schema : {}),
  };
}

function convertParameters(parameters: Json | undefined): JsonObject[] {
  if (!Array.isArray(parameters)) return [];
  return parameters.filter(isObject).map(({ schema, ...rest }) => ({ ...rest, ...(isObject(schema) ? schema : {}) }));
}

function convertResponses(responses: Json | undefined): JsonObject {
  const out: JsonObject = {};
  for (const [code, response] of entries(responses)) {
    const schema = entries(response.content)[0]?.[1].schema;
    put(out, code, { description: response.description, ...(isObject(schema) && { schema: convertSchema(schema) }) });
  }
  return out;
}

/** What Swagger cannot say is left out, as the real server does: defaults, unions, nullable types. */
const DROPPED = new Set(['default', 'oneOf', 'anyOf', 'allOf', 'not', 'nullable']);

function convertSchema(schema: JsonObject): JsonObject {
  const ref = refOf(schema);
  const out: JsonObject = ref === undefined ? {} : { $ref: DEFINITIONS + ref.slice(REF_PREFIX.length) };
  const kinds = schema['x-kubernetes-group-version-kind'];
  if (kinds !== undefined && schema['x-kubernetes-preserve-unknown-fields'] === true)
    return { type: 'object', 'x-kubernetes-group-version-kind': kinds };
  const open =
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['x-kubernetes-int-or-string'] === true ||
    schema.nullable === true;
  for (const key of Object.keys(schema)) {
    if (DROPPED.has(key) || key === '$ref') continue;
    // A value of any shape has no type: clients would otherwise refuse what the server takes.
    if (open && (key === 'type' || key === 'properties' || key === 'items' || key === 'required')) continue;
    put(out, key, convertMember(key, own(schema, key) ?? null));
  }
  if (Array.isArray(schema.oneOf) && out.type === undefined && !open && ref === undefined) out.type = 'string';
  return out;
}

function refOf(schema: JsonObject): string | undefined {
  if (typeof schema.$ref === 'string') return schema.$ref;
  const first = Array.isArray(schema.allOf) && schema.allOf.length === 1 ? schema.allOf[0] : undefined;
  return isObject(first) && typeof first.$ref === 'string' ? first.$ref : undefined;
}

function convertMember(key: string, value: Json): Json {
  if (!isObject(value)) return value;
  if (key === 'items' || key === 'additionalProperties') return convertSchema(value);
  if (key !== 'properties') return value;
  const out: JsonObject = {};
  for (const [name, schema] of entries(value)) put(out, name, convertSchema(schema));
  return out;
}
