import type { Schema } from '../../model/kubernetes/index.js';
import type { ResourceType, Subresource } from '../resources/index.js';
import { builtinSchema, discoveryTable, type ResourceRow } from '../schema/index.js';

/**
 * One built-in resource in one version: what discovery says of it, and its shape, which is compiled when first read.
 */
export type BuiltinType = Pick<
  ResourceType,
  | 'group'
  | 'version'
  | 'kind'
  | 'listKind'
  | 'plural'
  | 'singular'
  | 'shortNames'
  | 'categories'
  | 'namespaced'
  | 'verbs'
  | 'subresources'
  | 'schema'
>;

class TableType implements BuiltinType {
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: ReadonlyMap<string, Subresource>;
  #schema: Schema | undefined;

  constructor(
    readonly group: string,
    readonly version: string,
    row: ResourceRow,
  ) {
    this.kind = row.kind;
    this.listKind = `${row.kind}List`;
    this.plural = row.plural;
    this.singular = row.singular;
    this.shortNames = row.shortNames ?? [];
    this.categories = row.categories ?? [];
    this.namespaced = row.namespaced === true;
    this.verbs = row.verbs;
    this.subresources = new Map((row.subresources ?? []).map((sub) => [sub.name, { group, version, ...sub }]));
  }

  get schema(): Schema {
    this.#schema ??= builtinSchema(this.group, this.version, this.kind);
    if (this.#schema === undefined)
      throw new RangeError(`schema table: no type for ${this.group}/${this.version} ${this.kind}`);
    return this.#schema;
  }
}

let all: readonly BuiltinType[] | undefined;

/** Every built-in resource of every served version, groups and versions in the real server's order of priority. */
export function builtinTypes(): readonly BuiltinType[] {
  all ??= discoveryTable().flatMap(({ name, versions }) =>
    versions.flatMap(({ version, resources }) => resources.map((row) => new TableType(name, version, row))),
  );
  return all;
}
