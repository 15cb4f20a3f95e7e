import { isObject, own, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Collected } from './collect.js';
import type { ObjectRef, Sign } from './injection/label.js';

/** Those of the signs that cannot be seen. */
export function missingSigns(signs: readonly Sign[], world: Collected): Sign[] {
  return signs.filter((sign) => !isPresent(sign, world));
}

function isPresent({ object, shows, isAbsent, event, log }: Sign, { objects, events, logs }: Collected): boolean {
  const found = objects.filter((each) =>
    isNamed(object, each.apiVersion, each.kind, each.metadata.namespace, each.metadata.name),
  );
  if (isAbsent === true) return found.length === 0;
  if (event !== undefined) {
    return events.some(
      ({ involvedObject: about, reason, message }) =>
        isObject(about) &&
        reason === event.reason &&
        String(message).includes(event.words) &&
        isNamed(object, text(about.apiVersion), text(about.kind), text(about.namespace), text(about.name)),
    );
  }
  if (log !== undefined)
    return logs.some(
      ({ namespace, pod, text: lines }) => isNamed(object, 'v1', 'Pod', namespace, pod) && lines.includes(log),
    );
  return found.some((each) => hasAll(each, shows ?? {}));
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function isNamed(
  ref: ObjectRef,
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
  name: string | undefined,
): boolean {
  return (
    kind === ref.kind &&
    apiVersion === ref.apiVersion &&
    (namespace ?? '') === (ref.namespace ?? '') &&
    (ref.name.endsWith('*') ? (name ?? '').startsWith(ref.name.slice(0, -1)) : name === ref.name)
  );
}

/**
 * Maps have what is asked for, lists some item for each; a text that begins with `~` is part of one, and null is
 * nothing.
 */
function hasAll(value: Json | KubeObject | undefined, wanted: Json | JsonObject): boolean {
  if (wanted === null) return value === undefined || value === null;
  if (typeof wanted === 'string' && wanted.startsWith('~'))
    return typeof value === 'string' && value.includes(wanted.slice(1));
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.every((each) => value.some((item) => hasAll(item, each)));
  if (isObject(wanted))
    return isObject(value) && Object.keys(wanted).every((key) => hasAll(own(value, key), own(wanted, key) ?? null));
  return value === wanted;
}
