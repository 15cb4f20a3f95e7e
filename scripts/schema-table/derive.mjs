// Derives src/apiserver/schema/data/ from the OpenAPI v3 schemas and the aggregated discovery documents of Kubernetes,
// merged with the Go facts that main.go prints.
//   npm run schema-table -- openapi-v3.json discovery-api.json discovery-apis.json
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const [openapiPath, apiPath, apisPath] = process.argv.slice(2);
if (apisPath === undefined) {
  console.error('usage: npm run schema-table -- OPENAPI_V3 DISCOVERY_API DISCOVERY_APIS (three JSON files)');
  process.exit(2);
}
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const openapi = read(openapiPath);
const groups = [...read(apiPath).items, ...read(apisPath).items];
const facts = goFacts();

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const PREFIX = '#/components/schemas/';
const LETTERS = {
  string: 's',
  int32: 'i',
  int64: 'l',
  float64: 'd',
  bool: 'b',
  bytes: 'y',
  struct: 'S',
  slice: 'L',
  map: 'M',
  custom: 'C',
};
const ATTRIBUTES = {
  'x-kubernetes-list-type': 'lt',
  'x-kubernetes-list-map-keys': 'lk',
  'x-kubernetes-map-type': 'mt',
  'x-kubernetes-patch-strategy': 'ps',
  'x-kubernetes-patch-merge-key': 'pk',
  default: 'd',
};
// Their Go types have named values, but the real server publishes them without.
const WITHOUT_ENUM = new Set([
  'MutatingWebhook.reinvocationPolicy',
  'NamedRuleWithOperations.scope',
  'RuleWithOperations.scope',
]);

const names = [];
const types = [];
const nodes = [];
const nodeIndex = new Map();

function goFacts() {
  const run = spawnSync('go', ['run', '.'], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (run.status !== 0) throw new Error('the Go program failed: Go 1.24 or later is needed to regenerate the table');
  return JSON.parse(run.stdout);
}

/** The index of a type; adds it, and all it refers to, on first sight. */
function typeIndex(name) {
  const known = names.indexOf(name);
  if (known >= 0) return known;
  const index = names.push(name) - 1;
  const schema = openapi.schemas[name];
  if (schema === undefined) throw new Error(`${name} is not in the OpenAPI schemas`);
  const { properties, type: _, ...extra } = schema;
  const fields = facts.types[name];
  if (fields === undefined) {
    types[index] = { x: schema };
    return index;
  }
  types[index] = {};
  const p = {};
  for (const field of fields)
    p[field.name] = intern(
      node(field, properties[field.name], `${name.slice(name.lastIndexOf('.') + 1)}.${field.name}`),
    );
  types[index] = { p, ...(Object.keys(extra).length > 0 && { x: extra }) };
  return index;
}

function intern(value) {
  const text = JSON.stringify(value);
  if (!nodeIndex.has(text)) nodeIndex.set(text, nodes.push(value) - 1);
  return nodeIndex.get(text);
}

/**
 * One value's shape: k kind, g Go type name where it is not the plain one, r type, o element, p pointer, m omitted
 * when, e enum.
 */
function node(shape, schema, where) {
  const { enum: values, ...own } = schema;
  const out = { k: LETTERS[shape.kind] };
  if (out.k === undefined) throw new Error(`${where}: no letter for Go kind ${shape.kind}`);
  if (shape.ref !== undefined) out.r = typeIndex(shape.ref);
  if (shape.of !== undefined) out.o = intern(node(shape.of, own.items ?? own.additionalProperties, `${where}[]`));
  if (shape.go !== plainGo(out)) out.g = shape.go;
  if (shape.pointer) out.p = 1;
  if (shape.omit !== undefined) out.m = shape.omit[0];
  for (const [long, short] of Object.entries(ATTRIBUTES)) if (own[long] !== undefined) out[short] = own[long];
  if (own.allOf !== undefined) out.a = 1;
  if (shape.enum !== undefined && !WITHOUT_ENUM.has(where)) out.e = shape.enum;
  if (!isDeepStrictEqual(back(out), own))
    throw new Error(`${where}: ${JSON.stringify(back(out))} is not ${JSON.stringify(own)}`);
  return out;
}

/** The Go type that a node has unless it says otherwise; the reader in src/apiserver/schema derives it the same way. */
function plainGo(of) {
  const scalar = { s: 'string', i: 'int32', l: 'int64', d: 'float64', b: 'bool', y: '[]uint8' }[of.k];
  if (scalar !== undefined) return scalar;
  if (of.r !== undefined) return names[of.r].split('.').slice(-2).join('.');
  const element = nodes[of.o];
  const name = (element.p === 1 ? '*' : '') + (element.g ?? plainGo(element));
  return of.k === 'L' ? `[]${name}` : `map[string]${name}`;
}

/** The OpenAPI schema of a node without its enum; proves that the table loses nothing. */
function back(of) {
  const out = {};
  for (const [long, short] of Object.entries(ATTRIBUTES)) if (of[short] !== undefined) out[long] = of[short];
  if (of.r !== undefined) {
    const ref = { $ref: PREFIX + names[of.r] };
    return of.a === 1 ? { ...out, allOf: [ref] } : { ...out, ...ref };
  }
  if (of.k === 'L') return { ...out, type: 'array', items: back(nodes[of.o]) };
  if (of.k === 'M') return { ...out, type: 'object', additionalProperties: back(nodes[of.o]) };
  const [type, format] = {
    s: ['string'],
    y: ['string', 'byte'],
    b: ['boolean'],
    i: ['integer', 'int32'],
    l: ['integer', 'int64'],
    d: ['number', 'double'],
  }[of.k];
  return { ...out, type, ...(format !== undefined && { format }) };
}

const served = new Set(
  groups.flatMap((group) => group.versions.map((version) => `${group.metadata.name ?? ''}/${version.version}`)),
);
const kinds = {};
for (const { group, version, kind, ref } of facts.kinds) {
  if (openapi.schemas[ref] === undefined) continue;
  if (ref.startsWith(META)) kinds[`meta/${kind}`] = typeIndex(ref);
  else if (served.has(`${group}/${version}`)) kinds[`${group}/${version}/${kind}`] = typeIndex(ref);
}
for (const name of ['io.k8s.apimachinery.pkg.version.Info', `${META}Patch`]) typeIndex(name);

const data = new URL('../../src/apiserver/schema/data/', import.meta.url);
mkdirSync(data, { recursive: true });
const lines = (list) => `[\n${list.map((item) => JSON.stringify(item)).join(',\n')}\n]`;
writeFileSync(
  new URL('types.json', data),
  `{"version":${JSON.stringify(openapi.version)},"kinds":${JSON.stringify(kinds)},\n"names":${lines(names)},` +
    `\n"types":${lines(types)},\n"nodes":${lines(nodes)}}\n`,
);
writeFileSync(new URL('protobuf.json', data), `${lines(names.map((name) => facts.protobuf[name] ?? 0))}\n`);
writeFileSync(new URL('discovery.json', data), `${lines(groups.map((group) => compactGroup(group)))}\n`);
console.log(`${names.length} types, ${nodes.length} distinct fields, ${groups.length} groups`);

function compactGroup(group) {
  return {
    name: group.metadata.name ?? '',
    versions: group.versions.map(({ version, resources }) => ({ version, resources: resources.map(compactResource) })),
  };
}

function compactResource(resource) {
  const { responseKind, scope, singularResource, resource: plural, subresources = [], ...rest } = resource;
  return {
    plural,
    singular: singularResource,
    kind: responseKind.kind,
    ...(scope === 'Namespaced' && { namespaced: true }),
    ...rest,
    ...(subresources.length > 0 && {
      subresources: subresources.map((sub) => ({
        name: sub.subresource,
        ...dropEmpty(sub.responseKind),
        verbs: sub.verbs,
        ...(sub.acceptedTypes && { accepts: sub.acceptedTypes }),
      })),
    }),
  };
}

function dropEmpty(kind) {
  return Object.fromEntries(Object.entries(kind).filter(([, value]) => value !== ''));
}
