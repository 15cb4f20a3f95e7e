import { isObject, own, type JsonObject } from '../../../model/json/index.js';
import { labelSelectorOf, matchesLabels, splitApiVersion, type KubeObject } from '../../../model/kubernetes/index.js';
import { maybe, text, type TypeCatalog } from '../../resources/index.js';
import type { HeadLister } from '../head-lister.js';

/** A policy or binding that cannot work; the policy's failurePolicy decides what follows. */
export class ConfigurationError extends Error {}

/** The objects that a binding gives to its policy: one evaluation for each, `undefined` for one without. */
export function paramsFor(
  policy: KubeObject,
  binding: KubeObject,
  namespace: string,
  { newest, types }: { newest: HeadLister; types: TypeCatalog },
): (KubeObject | undefined)[] {
  const [kind, ref] = [maybe(policy, 'spec.paramKind'), maybe(binding, 'spec.paramRef')];
  if (!kind || !ref) return [undefined];
  const { group, version } = splitApiVersion(text(kind, 'apiVersion'));
  const type = types.byKind(group, version, text(kind, 'kind'));
  if (!type)
    throw new ConfigurationError(
      `failed to find resource referenced by paramKind: '${text(kind, 'apiVersion')}, Kind=${text(kind, 'kind')}'`,
    );
  const place = type.namespaced ? placeOf(ref, namespace) : '';
  if (!type.namespaced && text(ref, 'namespace') !== '')
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const found = find(newest, [type.group, type.plural], place, ref);
  if (found.length === 0 && text(ref, 'parameterNotFoundAction') === 'Deny') {
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found;
}

function placeOf(ref: JsonObject, namespace: string): string {
  const place = text(ref, 'namespace') || namespace;
  if (place === '')
    throw new ConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  return place;
}

function find(newest: HeadLister, of: readonly [string, string], namespace: string, ref: JsonObject): KubeObject[] {
  const name = text(ref, 'name');
  if (name !== '') {
    const one = newest.get(of, namespace, name);
    return one ? [one] : [];
  }
  const selector = own(ref, 'selector');
  const wanted = isObject(selector) ? labelSelectorOf(selector) : undefined;
  return wanted
    ? newest.list(of, namespace).filter(({ metadata }) => matchesLabels(wanted, metadata.labels ?? {}))
    : [];
}
