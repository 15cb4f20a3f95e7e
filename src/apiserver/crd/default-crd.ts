import { isObject, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { list, object, text } from './crd.js';

/** Fills in what a CRD's author may leave out: names, conversion, and the first stored version. */
export function defaultCrd(crd: KubeObject): void {
  if (!isObject(crd.spec)) return;
  const spec = crd.spec;
  if (isObject(spec.names)) {
    const names = spec.names;
    const kind = text(names.kind);
    if (text(names.singular) === '' && kind !== '') names.singular = kind.toLowerCase();
    if (text(names.listKind) === '' && kind !== '') names.listKind = `${kind}List`;
  }
  if (!isObject(spec.conversion)) spec.conversion = { strategy: 'None' };
  defaultWebhookPort(spec.conversion);
  if (list(object(crd.status).storedVersions).length === 0) {
    const stored = list(spec.versions)
      .map(object)
      .find((version) => version.storage === true);
    if (stored !== undefined) crd.status = { ...object(crd.status), storedVersions: [text(stored.name)] };
  }
}

function defaultWebhookPort(conversion: JsonObject): void {
  const service = object(object(object(conversion.webhook).clientConfig).service);
  if (Object.keys(service).length > 0 && service.port === undefined) service.port = 443;
}
