/**
 * resources: CONTRACT.
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
