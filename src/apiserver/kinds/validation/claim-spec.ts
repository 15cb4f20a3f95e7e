import { own, type JsonObject } from '../../../model/json/index.js';
import { has, maybe, text, texts } from '../../resources/index.js';
import { checkSelector } from './label-selectors.js';
import { dnsLabel, subdomain } from './name-rules.js';
import { compareQuantities } from './quantities.js';
import type { FieldErrors } from './field-errors.js';
import { checkQuantity, quantityText } from './resource-lists.js';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES = ['Block', 'Filesystem'];

/** Access modes of a claim or a volume. */
export function checkAccessModes(to: FieldErrors, spec: JsonObject, field: string): void {
  const modes = texts(spec, 'accessModes');
  for (const mode of modes)
    if (!ACCESS_MODES.includes(mode)) to.unsupported(`${field}.accessModes`, mode, ACCESS_MODES);
  const shared = modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (modes.includes('ReadWriteOncePod') && shared)
    to.forbidden(`${field}.accessModes`, 'may not use ReadWriteOncePod with other access modes');
}

export function checkPositiveQuantity(to: FieldErrors, field: string, quantity: string): boolean {
  if (compareQuantities(quantity, '0') > 0) return true;
  to.invalid(field, quantity, 'must be greater than zero');
  return false;
}

export function checkClaimSpec(to: FieldErrors, spec: JsonObject, field: string): void {
  if (texts(spec, 'accessModes').length === 0)
    to.required(`${field}.accessModes`, 'at least 1 access mode is required');
  const selector = maybe(spec, 'selector');
  if (selector !== undefined) checkSelector(to, selector, `${field}.selector`);
  checkAccessModes(to, spec, field);
  const requests = maybe(spec, 'resources.requests');
  const storage = requests === undefined ? undefined : quantityText(requests, 'storage');
  if (storage === undefined) to.required(`${field}.resources[storage]`);
  else if (checkPositiveQuantity(to, `${field}.resources[storage]`, storage))
    checkQuantity(to, 'storage', storage, `${field}.resources[storage]`);
  const className = text(spec, 'storageClassName');
  if (className !== '') to.invalidEach(`${field}.storageClassName`, className, subdomain(className));
  to.oneOf(spec, field, 'volumeMode', VOLUME_MODES);
  checkDataSources(to, spec, field);
  const attributes = text(spec, 'volumeAttributesClassName');
  if (attributes !== '') to.invalidEach(`${field}.volumeAttributesClassName`, attributes, subdomain(attributes));
}

function checkDataSources(to: FieldErrors, spec: JsonObject, field: string): void {
  const source = maybe(spec, 'dataSource');
  const ref = maybe(spec, 'dataSourceRef');
  if (source !== undefined) checkDataSource(to, source, `${field}.dataSource`);
  if (ref !== undefined) {
    checkDataSource(to, ref, `${field}.dataSourceRef`);
    const namespace = text(ref, 'namespace');
    if (namespace !== '') to.invalidEach(`${field}.dataSourceRef.namespace`, namespace, dnsLabel(namespace));
  }
  if (source === undefined || ref === undefined) return;
  if (text(ref, 'namespace') !== '')
    to.invalid(field, {}, 'may not be specified when dataSourceRef.namespace is specified');
  else if (['apiGroup', 'kind', 'name'].some((key) => own(source, key) !== own(ref, key)))
    to.invalid(field, {}, 'must match dataSourceRef');
}

function checkDataSource(to: FieldErrors, source: JsonObject, field: string): void {
  to.needs(source, field, 'name', 'kind');
  const group = text(source, 'apiGroup');
  const kind = text(source, 'kind');
  if (group === '' && kind !== 'PersistentVolumeClaim')
    to.invalid(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  if (has(source, 'apiGroup') && group !== '') to.invalidEach(`${field}.apiGroup`, group, subdomain(group));
}
