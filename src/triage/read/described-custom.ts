import { isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import { find, plainValue, type Entry } from './described-entries.js';

/** Fields that are lists in every kind: describe prints a list of one object like an object. */
const LISTS = new Set([
  'conditions',
  'resources',
  'sources',
  'containers',
  'initContainers',
  'env',
  'ports',
  'rules',
  'http',
  'paths',
  'tls',
  'parentRefs',
  'backendRefs',
  'listeners',
  'certificateRefs',
  'dataFrom',
  'history',
  'ownerReferences',
  'volumes',
  'webhooks',
  'subjects',
  'triggers',
  'tags',
  'servers',
  'gateways',
  'hosts',
  'ingress',
  'egress',
  'from',
  'syncOptions',
  'valueFiles',
  'parameters',
  'generators',
  'ignoreDifferences',
  'credentials',
  'targetModels',
  'results',
  'cells',
  'versions',
  'supportedModelFormats',
  'alternateBackends',
  'solvers',
  'endpoints',
  'addresses',
  'items',
]);

/** `Secret Store Ref` is `secretStoreRef`, `Repo URL` is `repoURL`; a name without spaces stays. */
function fieldOf(name: string): string {
  const [first = '', ...rest] = name.split(' ');
  const isAcronym = /^[A-Z]+$/.test(first);
  const start = isAcronym ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1);
  return start + rest.join('');
}

function scalarOf(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,15}$/.test(text) ? Number(text) : plainValue(text);
}

/**
 * The fields of a custom resource as `describe` lists them: sorted names, one below another. Items of a list follow
 * each other without a separator, so a name out of order begins the next item.
 */
export function customFields(entries: readonly Entry[]): JsonObject {
  const object: JsonObject = {};
  for (const entry of entries)
    if (entry.name !== '') put(object, fieldOf(entry.name), fieldValue(fieldOf(entry.name), entry));
  return object;
}

function fieldValue(field: string, { value, below }: Entry): Json {
  if (below.length === 0) return scalarOf(value);
  const words = below.filter(({ name, below: more }) => name === '' && more.length === 0);
  if (words.length === below.length) return [value, ...words.map(({ raw }) => raw)].filter((each) => each !== '');
  const groups = groupsOf(below);
  return groups.length > 1 || LISTS.has(field) ? groups.map(customFields) : customFields(below);
}

function groupsOf(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  let last = '';
  for (const entry of entries) {
    const name = entry.name.toLowerCase();
    if (groups.length === 0 || name <= last) groups.push([]);
    groups.at(-1)?.push(entry);
    last = name;
  }
  return groups;
}

const KEPT = ['creationTimestamp', 'deletionTimestamp', 'generation', 'finalizers', 'ownerReferences'];

/** Metadata in the head of a custom resource. */
export function customMetadata(entries: readonly Entry[]): JsonObject {
  const fields = customFields(find(entries, 'Metadata')?.below ?? []);
  return Object.fromEntries(
    KEPT.flatMap((name): (readonly [string, Json])[] => {
      const value = own(fields, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Without the common fields of the head. */
export function customObject(entries: readonly Entry[]): JsonObject {
  const fields = customFields(
    entries.filter(
      ({ name }) =>
        !['Name', 'Namespace', 'Labels', 'Annotations', 'API Version', 'Kind', 'Metadata', 'Events'].includes(name),
    ),
  );
  const conditions = own(isObject(fields.status) ? fields.status : {}, 'conditions');
  // The status of a condition is a string, not a boolean.
  if (Array.isArray(conditions))
    for (const condition of conditions)
      if (isObject(condition) && typeof condition.status === 'boolean')
        put(condition, 'status', condition.status ? 'True' : 'False');
  return fields;
}
