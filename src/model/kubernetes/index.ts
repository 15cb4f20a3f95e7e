/**
 * kubernetes: objects, keys, selectors, names, managedFields, schemas, quantities and references to kinds, as the API
 * server treats them. Takes plain objects and text; gives plain values or a Fault. Knows nothing of clusters.
 */
export { parseFieldSelector, type FieldRequirement } from './field-selector.js';
export { FieldSet, parseFieldsV1, type FieldNode, writeFieldsV1 } from './managed-fields.js';
export {
  ANNOTATIONS_SIZE_LIMIT,
  annotationsSize,
  checkAnnotationKey,
  checkConfigMapKey,
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkFinalizerName,
  checkHttpHeaderName,
  checkLabelKey,
  checkLabelValue,
  checkObjectName,
  checkPathSegmentName,
  checkPercent,
  checkPortName,
  checkPortNumber,
  checkQualifiedName,
  checkWildcardDns1123Subdomain,
  utf8Length,
} from './names.js';
export {
  describeKey,
  gvkOf,
  joinApiVersion,
  keyOf,
  keyText,
  nameOf,
  splitApiVersion,
  type GroupVersionKind,
  type Key,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
} from './object.js';
export { eventAbout } from './event.js';
export {
  elementText,
  fieldElement,
  keyElement,
  parseElement,
  pathText,
  type FieldPath,
  type PathElement,
} from './path-element.js';
export {
  ZERO_QUANTITY,
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  isZeroQuantity,
  parseQuantity,
  quantityOf,
  quantityText,
  quantityToNumber,
  quantityValue,
  subtractQuantities,
  type Quantity,
} from './quantity.js';
export type { CelRule, GoFacts, Schema } from './schema.js';
export {
  EVERYTHING,
  labelSelectorFromMap,
  labelSelectorOf,
  labelSelectorText,
  matchesLabels,
  parseLabelSelector,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
} from './selector.js';
export { isConditionOutdated } from './outdated-condition.js';
