import { type Json, type JsonObject, isObject, objectsAt, own, textAt } from '../../src/model/json/index.js';
import { Chance } from './chance.js';
import type { ApiLab } from './api-lab.js';

export interface KnownRoute {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: JsonObject | undefined;
  readonly isStream: boolean;
}

/** What one request was, and why its answer is not one that a client may get. */
export interface BadResponse {
  readonly request: string;
  readonly why: string;
}

const MAX_WAIT = 60_000;
/** Ends the session that everything else is asked with. */
const LEFT_OUT = ['DELETE /api/v1/session', 'PUT /api/v1/account/password', 'GET /auth/logout'];

/** Values that nobody expects, for any field. */
export const ODD: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  9007199254740991,
  '',
  ' ',
  '.',
  '..',
  '../../etc/passwd',
  '/',
  '%2e%2e',
  '%',
  '\u0000',
  '\uffff',
  '😀',
  '<script>alert(1)</script>',
  '${jndi:x}',
  "' OR 1=1 --",
  '__proto__',
  'constructor',
  'toString',
  'a'.repeat(300),
  'a'.repeat(20_000),
  '{',
  '[',
  '{"a":',
  'null',
  '-',
  '--',
  '=',
  'a=b,c in (',
  '!!',
  '2026-13-45T99:99:99Z',
  'file:///etc/passwd',
  'http://127.0.0.1:1/x',
  'git@host:path',
  'NaN',
  'Infinity',
  '0x10',
  '1e9',
  '-0',
  'true',
  [],
  {},
  [[]],
  [null],
  { a: { b: { c: {} } } },
  ['x', 1, null, {}],
  { __proto__x: 1 },
  JSON.parse('{"__proto__":{"polluted":true}}') as Json,
  { metadata: null },
  { spec: [] },
];

export async function readRoutes(lab: Pick<ApiLab, 'request'>): Promise<KnownRoute[]> {
  const { paths } = (await lab.request('/api/openapi.json')).body;
  if (!isObject(paths)) throw new Error('there is no OpenAPI document');
  return Object.keys(paths)
    .flatMap((path) => {
      const item = own(paths, path);
      return isObject(item)
        ? Object.keys(item).map((method): KnownRoute => {
            const operation = own(item, method) as JsonObject;
            const schema = isObject(operation.requestBody)
              ? (operation.requestBody as { content: Record<string, { schema: JsonObject }> }).content[
                  'application/json'
                ]?.schema
              : undefined;
            const isStream = JSON.stringify(operation.responses).includes('text/event-stream');
            return {
              method: method.toUpperCase(),
              path,
              isStream,
              body: schema,
              query: objectsAt(operation, 'parameters')
                .filter((parameter) => parameter.in === 'query')
                .map((parameter) => textAt(parameter, 'name')),
            };
          })
        : [];
    })
    .filter(({ method, path }) => !LEFT_OUT.includes(`${method} ${path}`));
}

/** One request by chance, half right and half wrong. */
function makeRequest(
  route: KnownRoute,
  chance: Chance,
): {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly headers: Record<string, string>;
} {
  const path = route.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(chance.under(0.5) ? knownName(name) : oddText(chance)),
  );
  const query = route.query
    .filter(() => chance.under(0.4))
    .map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(chance.under(0.3) ? 'web' : oddText(chance))}`);
  const body = route.method !== 'GET' && chance.under(0.9) ? bodyFor(route, chance) : undefined;
  return {
    method: chance.under(0.03) ? chance.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) : route.method,
    path: `${path}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    body,
    headers: chance.under(0.05) ? { 'content-type': chance.pick(['text/plain', 'application/xml', '']) } : {},
  };
}

function oddText(chance: Chance): string {
  const value = chance.pick(ODD);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A value as the schema has it, with odd ones in between. */
function valueFor(schema: Json | undefined, chance: Chance, depth: number): Json {
  if (!isObject(schema) || depth > 6 || chance.under(0.15)) return chance.pick(ODD);
  if (schema.type === 'array')
    return Array.from({ length: chance.below(3) }, () => valueFor(schema.items, chance, depth + 1));
  if (schema.type === 'boolean') return chance.under(0.5);
  if (schema.type === 'integer') return chance.below(5) - 1;
  if (schema.type === 'string')
    return chance.under(0.4)
      ? chance.pick(['web', 'default', 'main', 'merge', 'json', '{}', '[]', '{"spec":{}}'])
      : oddText(chance);
  if (!isObject(schema.properties))
    return chance.under(0.5)
      ? {
          metadata: { name: chance.under(0.5) ? 'web' : oddText(chance) },
          spec: { project: 'default', source: chance.pick(ODD), destination: chance.pick(ODD) },
        }
      : chance.pick(ODD);
  const { properties } = schema;
  return Object.fromEntries(
    Object.keys(properties)
      .filter(() => chance.under(0.6))
      .map((name) => [name, valueFor(own(properties, name), chance, depth + 1)]),
  );
}

/** Sends requests; gives those whose answers are none that a client may get. */
export async function sendMutations(
  lab: ApiLab,
  routes: readonly KnownRoute[],
  seed: number,
  count: number,
): Promise<{ readonly wrong: BadResponse[]; readonly statuses: Record<string, number> }> {
  const chance = new Chance(seed);
  const wrong: BadResponse[] = [];
  const statuses: Record<string, number> = {};
  for (let sent = 0; sent < count; sent++) {
    const route = chance.pick(routes);
    const request = makeRequest(route, chance);
    const told = `${request.method} ${request.path.slice(0, 300)} ${request.body?.slice(0, 300) ?? ''}`;
    const { status, why } = await send(lab, route, request);
    statuses[`${String(status).slice(0, 1)}xx`] = (statuses[`${String(status).slice(0, 1)}xx`] ?? 0) + 1;
    if (why !== '') wrong.push({ request: told, why });
    if (!lab.isRunning)
      return { wrong: [...wrong, { request: told, why: `the process is gone: ${lab.output.slice(-500)}` }], statuses };
  }
  return { wrong, statuses };
}

async function send(
  lab: ApiLab,
  { isStream }: KnownRoute,
  { method, path, body, headers }: ReturnType<typeof makeRequest>,
): Promise<{ status: number; why: string }> {
  const abort = new AbortController();
  const timer = setTimeout(() => {
    abort.abort();
  }, MAX_WAIT);
  try {
    const response = await fetch(`${lab.url}${path}`, {
      method,
      signal: abort.signal,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${lab.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined || method === 'GET' ? {} : { body }),
    });
    if (isStream && response.ok) {
      await response.body?.cancel();
      return { status: response.status, why: '' };
    }
    return { status: response.status, why: checkResponse(response.status, await response.text()) };
  } catch (error) {
    return { status: 0, why: abort.signal.aborted ? `no answer within ${MAX_WAIT / 1000} s` : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

export function checkResponse(status: number, text: string): string {
  // 501 is a refusal as well: of what is switched off.
  if (status >= 500 && status !== 501) return `${status}: ${text.slice(0, 300)}`;
  if (/\n\s+at .*:\d+:\d+/.test(text)) return `a stack trace: ${text.slice(0, 300)}`;
  if (status < 400) return '';
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' && message.length > 3
      ? ''
      : `${status} without a sentence: ${text.slice(0, 200)}`;
  } catch {
    return `${status} with no JSON: ${text.slice(0, 200)}`;
  }
}

function knownName(parameter: string): string {
  return parameter === 'name' ? 'web' : 'default';
}

function bodyFor(route: KnownRoute, chance: Chance): string {
  return chance.under(0.1) ? oddText(chance) : JSON.stringify(valueFor(route.body, chance, 0));
}
