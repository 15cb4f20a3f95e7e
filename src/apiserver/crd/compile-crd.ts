import { clone, type JsonObject } from '../../model/json/index.js';
import { compareText } from '../../model/go/index.js';
import { joinApiVersion, type KubeObject, type Schema } from '../../model/kubernetes/index.js';
import { badRequest } from '../errors/index.js';
import type { ResourceType, Subresource } from '../resources/index.js';
import { namedSchema, decode, DecodeError } from '../schema/index.js';
import { customColumns } from './columns.js';
import { compileSchema } from './compile-schema.js';
import { object as objectOf, readCrd, readNames, type Crd, type CrdNames, type CrdVersion } from './crd.js';
import { customStrategy } from './custom-strategy.js';
import { dropStrayNulls } from './defaulting.js';
import { findByJsonPath, parseJsonPath } from './json-path.js';
import { prune } from './pruning.js';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const DELETING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The resources that a CRD makes the server serve: one for each served version, newest first. */
export function compileCrd(crd: KubeObject): ResourceType[] {
  const read = readCrd(crd);
  const accepted = objectOf(objectOf(crd['status']).acceptedNames);
  const names = typeof accepted.plural === 'string' && accepted.plural !== '' ? readNames(accepted) : read.names;
  const deleting = crd.metadata.deletionTimestamp !== undefined;
  const served = read.versions.filter((version) => version.served).sort((a, b) => -compareVersions(a.name, b.name));
  return served.map((version) => compileVersion(read, names, version, deleting));
}

function compileVersion(crd: Crd, names: CrdNames, version: CrdVersion, deleting: boolean): ResourceType {
  const schema = compileSchema(version.schema ?? {});
  const apiSchema = withObjectMeta(crd.preserveUnknownFields ? { ...schema, preserveUnknownFields: true } : schema);
  const stored = crd.versions.find((other) => other.storage) ?? version;
  const type: ResourceType = {
    group: crd.group,
    version: version.name,
    custom: true,
    kind: names.kind,
    listKind: names.listKind,
    plural: names.plural,
    singular: names.singular,
    shortNames: names.shortNames,
    categories: names.categories,
    namespaced: crd.scope === 'Namespaced',
    verbs: deleting ? DELETING_VERBS : VERBS,
    subresources: subresourcesOf(crd, names, version),
    schema: apiSchema,
    ...(version.schema === undefined ? {} : { openApi: version.schema }),
    decode: (value) => decodeCustom(value, schema, type),
    strategy: customStrategy(version, schema),
    columns: customColumns(version.columns),
    selectableFields: selectableFieldsOf(version),
    storage: `${crd.group}/${names.plural}`,
    storedApiVersion: joinApiVersion(crd.group, stored.name),
    ...(crd.versions.length > 1 ? { conversion: renamed(crd.group, stored, version) } : {}),
    ...(version.deprecated
      ? { deprecationWarning: version.deprecationWarning ?? deprecationText(crd, names, version) }
      : {}),
  };
  return type;
}

/**
 * Strategy None: versions differ in apiVersion, and fields that the other's schema does not know are lost on the way.
 */
function renamed(group: string, stored: CrdVersion, served: CrdVersion): NonNullable<ResourceType['conversion']> {
  const into = (version: CrdVersion) => {
    const schema = compileSchema(version.schema ?? {});
    return (object: KubeObject): KubeObject => {
      const converted = { ...clone(object), apiVersion: joinApiVersion(group, version.name) };
      prune(converted, schema);
      return converted;
    };
  };
  return { toStored: into(stored), fromStored: into(served) };
}

/** The default warning for a deprecated version: use the newest one that is not deprecated. */
function deprecationText({ group, versions }: Crd, { kind }: CrdNames, version: CrdVersion): string {
  const [better] = versions
    .filter((other) => other.served && !other.deprecated && compareVersions(other.name, version.name) > 0)
    .sort((a, b) => compareVersions(b.name, a.name));
  const advice = better === undefined ? '' : `; use ${group}/${better.name} ${kind}`;
  return `${group}/${version.name} ${kind} is deprecated${advice}`;
}

/** Metadata has the shape that it has everywhere, whatever the CRD's schema says of it. */
function withObjectMeta(schema: Schema): Schema {
  const properties = new Map<string, Schema>([
    ['apiVersion', { type: 'string' }],
    ['kind', { type: 'string' }],
    ...(schema.properties ?? []),
  ]);
  properties.set('metadata', namedSchema(OBJECT_META));
  return { ...schema, properties };
}

function subresourcesOf(
  crd: Crd,
  names: CrdNames,
  { name, status, scale }: CrdVersion,
): ReadonlyMap<string, Subresource> {
  const found = new Map<string, Subresource>();
  if (status)
    found.set('status', {
      name: 'status',
      group: crd.group,
      version: name,
      kind: names.kind,
      verbs: SUBRESOURCE_VERBS,
    });
  if (scale !== undefined) {
    const { specPath, statusPath, selectorPath } = scale;
    const paths = { specPath, statusPath, ...(selectorPath === '' ? {} : { selectorPath }) };
    found.set('scale', {
      name: 'scale',
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: SUBRESOURCE_VERBS,
      scale: paths,
    });
  }
  return found;
}

function selectableFieldsOf(version: CrdVersion): ReadonlyMap<string, (object: KubeObject) => string> {
  return new Map(
    version.selectableFields.map((path) => {
      const steps = parseJsonPath(path) ?? [];
      const read = (object: KubeObject): string => {
        const [value] = findByJsonPath(object, steps);
        return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
      };
      return [path.replace(/^\./, ''), read] as const;
    }),
  );
}

/** Reads a body: metadata as every kind has it, unknown fields pruned and named, nulls without meaning dropped. */
function decodeCustom(
  value: JsonObject,
  schema: Schema,
  type: { readonly kind: string; readonly version: string },
): { object: KubeObject; unknownFields: readonly string[] } {
  const object = value as KubeObject;
  const metadataUnknown: string[] = [];
  if (value['metadata'] !== undefined && value['metadata'] !== null) {
    const { metadata, unknown } = decodeMetadata(value, type);
    object.metadata = metadata;
    metadataUnknown.push(...unknown);
  }
  const unknown = prune(object, schema);
  dropStrayNulls(object, schema);
  return { object, unknownFields: [...metadataUnknown.sort(compareText), ...unknown.sort(compareText)] };
}

function decodeMetadata(
  value: JsonObject,
  type: { readonly kind: string; readonly version: string },
): { metadata: KubeObject['metadata']; unknown: readonly string[] } {
  try {
    const { object, unknownFields } = decode(objectOf(value['metadata']), namedSchema(OBJECT_META));
    return { metadata: object, unknown: unknownFields.map((field) => `metadata.${field}`) };
  } catch (error) {
    if (error instanceof DecodeError)
      throw badRequest(
        `${type.kind} in version ${JSON.stringify(type.version)} cannot be handled as a ${type.kind}: ${error.message}`,
      );
    throw error;
  }
}

/** Kubernetes' order of versions: v2 before v1, releases before betas before alphas, other names last. */
function compareVersions(a: string, b: string): number {
  const [x, y] = [parseVersion(a), parseVersion(b)];
  if (x === undefined && y === undefined) return compareText(b, a);
  if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
  return x.rank - y.rank || x.major - y.major || x.minor - y.minor;
}

function parseVersion(name: string): { rank: number; major: number; minor: number } | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name);
  if (match === null) return undefined;
  const rank = ['alpha', 'beta', undefined].indexOf(match[2]);
  return { rank, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
