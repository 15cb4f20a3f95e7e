/**
 * resources: what a served resource is: ResourceType with its strategy, columns and subresources, the catalog of all
 * types, and typed access to fields of JSON objects. Kinds and CRDs build these values, rest and http use them.
 */
export {
  WITH_STATUS,
  clearStatus,
  keepMetadata,
  keepStatus,
  kind,
  type BuiltinKind,
  type Conversion,
} from './builtin-kind.js';
export { AGE, NAME, column, containerImages, containerNames, listed, since, wide } from './columns.js';
export { count, ensure, fill, flag, has, inOrder, items, maybe, number, pairs, sub, text, texts } from './fields.js';
export type { Column, ResourceType, Strategy, Subresource } from './resource-type.js';
export { TypeCatalog } from './type-catalog.js';
