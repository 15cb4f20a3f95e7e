import { put, type Json, type JsonObject } from '../../../model/json/index.js';
import { REF_PREFIX } from '../../schema/index.js';
import type { DescribedType } from './discovery.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const STATUS = `${META}Status`;

const query =
  (type: 'string' | 'integer' | 'boolean') =>
  (name: string): JsonObject => ({ name, in: 'query', schema: { type, uniqueItems: true } });
const text = query('string');
const whole = query('integer');
const flag = query('boolean');
const inPath = (name: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

const WRITE = [text('dryRun'), text('fieldManager'), text('fieldValidation')];
const DELETE = [
  text('dryRun'),
  whole('gracePeriodSeconds'),
  flag('ignoreStoreReadErrorWithClusterBreakingPotential'),
  flag('orphanDependents'),
  text('propagationPolicy'),
];
const LIST = [
  flag('allowWatchBookmarks'),
  text('continue'),
  text('fieldSelector'),
  text('labelSelector'),
  whole('limit'),
  text('resourceVersion'),
  text('resourceVersionMatch'),
  flag('sendInitialEvents'),
  whole('timeoutSeconds'),
  flag('watch'),
];
const LOG = [
  text('container'),
  flag('follow'),
  flag('insecureSkipTLSVerifyBackend'),
  whole('limitBytes'),
  flag('previous'),
  whole('sinceSeconds'),
  text('stream'),
  whole('tailLines'),
  flag('timestamps'),
];

interface Target {
  readonly type: DescribedType;
  readonly subresource?: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** OpenAPI names of the object and, where it can be listed, of its list. */
  readonly schema: string;
  readonly list?: string;
}

/** Adds the paths of one resource to `paths` and the names of schemas they use to `used`. */
export function addPaths(
  type: DescribedType,
  nameOf: (group: string, version: string, kind: string) => string | undefined,
  paths: JsonObject,
  used: Set<string>,
): void {
  const base = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const collection = `${base}${type.namespaced ? '/namespaces/{namespace}' : ''}/${type.plural}`;
  const list = nameOf(type.group, type.version, type.listKind);
  const main: Target = {
    type,
    ...kindOf(type),
    schema: nameOf(type.group, type.version, type.kind) ?? '',
    ...(list !== undefined && { list }),
  };
  const scope = type.namespaced ? [inPath('namespace'), text('pretty')] : [text('pretty')];
  addPath(paths, collection, operations(main, COLLECTION, type.verbs, used), scope);
  addPath(paths, `${collection}/{name}`, operations(main, ITEM, type.verbs, used), [inPath('name'), ...scope]);
  if (type.namespaced && type.verbs.includes('list')) {
    const operation = describe(main, 'list', used, 'ForAllNamespaces');
    const { parameters, ...rest } = operation;
    addPath(paths, `${base}/${type.plural}`, { get: rest }, [...(parameters as JsonObject[]), text('pretty')]);
  }
  for (const sub of type.subresources.values()) {
    const schema = nameOf(sub.group, sub.version, sub.kind);
    const target: Target = { type, subresource: sub.name, ...kindOf(sub), schema: schema ?? '' };
    addPath(paths, `${collection}/{name}/${sub.name}`, operations(target, BELOW, sub.verbs, used), [
      inPath('name'),
      ...scope,
    ]);
  }
}

function kindOf({ group, version, kind }: { group: string; version: string; kind: string }): {
  group: string;
  version: string;
  kind: string;
} {
  return { group, version, kind };
}

function addPath(paths: JsonObject, path: string, found: JsonObject, parameters: JsonObject[]): void {
  if (Object.keys(found).length > 0) put(paths, path, { ...found, parameters });
}

type Verb = 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** HTTP method of each verb at a kind of path, in the order that documents have. */
const COLLECTION: readonly (readonly [string, Verb])[] = [
  ['get', 'list'],
  ['post', 'create'],
  ['delete', 'deletecollection'],
];
const ITEM: readonly (readonly [string, Verb])[] = [
  ['get', 'get'],
  ['put', 'update'],
  ['delete', 'delete'],
  ['patch', 'patch'],
];
const BELOW: readonly (readonly [string, Verb])[] = [
  ['get', 'get'],
  ['put', 'update'],
  ['post', 'create'],
  ['delete', 'delete'],
  ['patch', 'patch'],
];

function operations(
  target: Target,
  methods: readonly (readonly [string, Verb])[],
  verbs: readonly string[],
  used: Set<string>,
): JsonObject {
  const out: JsonObject = {};
  for (const [method, verb] of methods)
    if (verbs.includes(verb))
      put(out, method, target.kind.endsWith('Options') ? connect(target, method) : describe(target, verb, used));
  return out;
}

const WORDS: Readonly<Record<Verb, readonly [action: string, word: string]>> = {
  get: ['get', 'read'],
  list: ['list', 'list'],
  create: ['post', 'create'],
  update: ['put', 'replace'],
  patch: ['patch', 'patch'],
  delete: ['delete', 'delete'],
  deletecollection: ['deletecollection', 'delete'],
};

function describe(target: Target, verb: Verb, used: Set<string>, ending = ''): JsonObject {
  const [action, word] = WORDS[verb];
  const answer = responseSchema(target, verb);
  const body = bodyOf(target, verb);
  for (const name of [answer, ...(body?.name === undefined ? [] : [body.name])]) used.add(name);
  const parameters = parametersOf(target, verb);
  return {
    tags: [tagOf(target.type)],
    operationId: operationId(
      target,
      word,
      `${verb === 'deletecollection' ? 'Collection' : ''}${ending === '' ? scopeWord(target.type) : ''}`,
      ending,
    ),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { content: contents(body.types, body.name), ...(body.required && { required: true }) },
    }),
    responses: responses(verb, answer),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kindOf(target),
  };
}

/** Streams and proxies: whatever is sent goes through. */
function connect(target: Target, method: string): JsonObject {
  const word = `connect${method[0]?.toUpperCase() ?? ''}${method.slice(1)}`;
  return {
    tags: [tagOf(target.type)],
    operationId: operationId(target, word, scopeWord(target.type), ''),
    responses: {
      200: { description: 'OK', content: { '*/*': { schema: { type: 'string' } } } },
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': 'connect',
    'x-kubernetes-group-version-kind': kindOf(target),
  };
}

function responseSchema(target: Target, verb: Verb): string {
  if (verb === 'list') return target.list ?? target.schema;
  return verb === 'delete' || verb === 'deletecollection' ? STATUS : target.schema;
}

function bodyOf(
  { type, schema }: Target,
  verb: Verb,
): { name: string; types: string[]; required: boolean } | undefined {
  const types = type.custom ? ['application/json', 'application/yaml'] : ['*/*'];
  if (verb === 'create' || verb === 'update') return { name: schema, types, required: true };
  if (verb === 'delete' || verb === 'deletecollection') return { name: `${META}DeleteOptions`, types, required: false };
  if (verb !== 'patch') return undefined;
  const patches = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];
  return {
    name: `${META}Patch`,
    types: type.custom ? patches : [...patches, 'application/strategic-merge-patch+json'],
    required: true,
  };
}

function parametersOf(target: Target, verb: Verb): JsonObject[] {
  switch (verb) {
    case 'get':
      return target.subresource === 'log' ? LOG : [];
    case 'list':
      return LIST;
    case 'create':
    case 'update':
      return WRITE;
    case 'patch':
      return [...WRITE, flag('force')];
    case 'delete':
      return DELETE;
    case 'deletecollection':
      return [...LIST.filter(({ name }) => name !== 'allowWatchBookmarks' && name !== 'watch'), ...DELETE];
  }
}

function responses(verb: Verb, schema: string): JsonObject {
  const types = ['application/json', ...(verb === 'list' ? ['application/json;stream=watch'] : []), 'application/yaml'];
  const out: JsonObject = { 200: { description: 'OK', content: contents(types, schema) } };
  if (verb === 'create' || verb === 'update' || verb === 'patch')
    out[201] = { description: 'Created', content: contents(types, schema) };
  if (verb === 'create' || verb === 'delete') out[202] = { description: 'Accepted', content: contents(types, schema) };
  out[401] = { description: 'Unauthorized' };
  return out;
}

function contents(types: readonly string[], schema: string): JsonObject {
  const out: JsonObject = {};
  for (const type of types) put(out, type, { schema: { $ref: REF_PREFIX + schema } satisfies Json });
  return out;
}

function operationId({ type, subresource }: Target, word: string, middle: string, ending: string): string {
  const below = subresource === undefined ? '' : capital(subresource);
  return `${word}${groupWord(type.group)}${capital(type.version)}${middle}${type.kind}${below}${ending}`;
}

function scopeWord(type: DescribedType): string {
  return type.namespaced ? 'Namespaced' : '';
}

/** `rbac.authorization.k8s.io` -> RbacAuthorization */
function groupWord(group: string): string {
  return group === ''
    ? 'Core'
    : group
        .replace(/\.k8s\.io$/, '')
        .split('.')
        .map(capital)
        .join('');
}

function tagOf({ group, version }: DescribedType): string {
  const word = groupWord(group);
  return `${word[0]?.toLowerCase() ?? ''}${word.slice(1)}_${version}`;
}

function capital(word: string): string {
  return `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`;
}
