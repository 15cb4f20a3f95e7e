import { isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { Route } from './route.js';

/** The OpenAPI 3 document of the route table, generated from the shapes that read requests. */
export function openApi(routes: readonly Route[], version: string): JsonObject {
  const paths = pathsOf(routes, operation);
  return {
    openapi: '3.0.3',
    info: { title: 'Argosy', version, description: 'The REST API of Argo CD, and explanations of applications.' },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'argocd.token' },
      },
      schemas: { error: ERROR },
    },
    security: [{ bearer: [] }, { cookie: [] }],
  };
}

/** The same as Swagger 2, where Argo CD has it. */
export function swagger(routes: readonly Route[], version: string): JsonObject {
  const paths = pathsOf(routes, (route) => {
    const { requestBody: _, parameters, responses: __, ...rest } = operation(route);
    const plain = (parameters as JsonObject[]).map(
      ({ schema, ...parameter }): JsonObject => ({
        ...parameter,
        ...(schema as JsonObject),
        ...((schema as JsonObject).type === 'array' ? { collectionFormat: 'multi' } : {}),
      }),
    );
    const body: JsonObject[] =
      route.body === undefined ? [] : [{ name: 'body', in: 'body', required: true, schema: route.body.schema }];
    return {
      ...rest,
      parameters: [...plain, ...body],
      responses: {
        200: { description: 'A successful response.' },
        default: { description: 'An error.', schema: ERROR },
      },
    };
  });
  return {
    swagger: '2.0',
    info: { title: 'Argosy', version },
    consumes: ['application/json'],
    produces: ['application/json'],
    paths,
  };
}

function pathsOf(routes: readonly Route[], describe: (route: Route) => JsonObject): JsonObject {
  const paths: JsonObject = {};
  for (const route of routes) {
    const known = own(paths, formatPath(route));
    const item: JsonObject = isObject(known) ? known : {};
    put(item, route.method.toLowerCase(), describe(route));
    put(paths, formatPath(route), item);
  }
  return paths;
}

const ERROR: JsonObject = {
  type: 'object',
  properties: { error: { type: 'string' }, message: { type: 'string' }, code: { type: 'integer' } },
};

function operation({ method, path, summary, tag, query, body, access, streams }: Route): JsonObject {
  const names = [...path.matchAll(/\{([^{}=]+)(?:=\*\*)?\}/g)].map(([, name = '']) => name);
  const parameters: Json[] = [
    ...names.map((name): JsonObject => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...Object.entries(query).map(([name, { schema }]): JsonObject => ({ name, in: 'query', required: false, schema })),
  ];
  const type = streams ? 'text/event-stream' : 'application/json';
  return {
    operationId: `${tag}_${method.toLowerCase()}${path.replace(/^\/api(\/v1)?/, '').replaceAll(/[^A-Za-z0-9]+/g, '_')}`,
    summary: summary,
    tags: [tag],
    parameters,
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body.schema } } } }),
    responses: {
      200: { description: 'A successful response.', content: { [type]: { schema: { type: 'object' } } } },
      default: {
        description: 'An error.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/error' } } },
      },
    },
    ...(access === 'anonymous' ? { security: [] } : {}),
  };
}

/** `{name=**}` is not OpenAPI. */
function formatPath({ path }: Route): string {
  return path.replace('=**', '');
}
