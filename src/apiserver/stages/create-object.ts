import { equal, isArray, isObject, own, writeJson, type Json } from '../../model/json/index.js';
import { splitApiVersion, type KubeObject } from '../../model/kubernetes/index.js';
import { controllerOf, controllerReference } from '../controller-runtime/index.js';
import type { LocalClient, ServedKind } from '../rest/index.js';
import type { Values } from './expressions.js';
import type { StageContext } from './look-up.js';
import { kindText } from './ref-index.js';
import { StageError } from './stage-error.js';
import { fill, type Template } from './templates.js';

/**
 * The last applied text of each object, by its key: where that is the same and still true, there is nothing to write.
 */
export type AppliedObjects = Map<string, string>;

/** Creates an object from its template, or restores an existing one to it; true where that changed anything. */
export async function createObject(
  context: StageContext,
  applied: AppliedObjects,
  template: Template,
  values: Values,
  keepTimes: boolean,
): Promise<boolean> {
  const {
    host: { client },
    self,
  } = context;
  const first = asObject(fill(template, { values }));
  const { group } = splitApiVersion(first.apiVersion);
  const served = context.watches.ensureWatched(group, first.kind);
  if (served?.namespaced === true) first.metadata.namespace ??= self.metadata.namespace ?? '';
  const { name = '', namespace = '' } = first.metadata;
  // Reconciled again when it changes or is deleted.
  context.dependencies.push({ kind: 'one', of: kindText(group, first.kind), namespace, name });
  if (served === undefined)
    throw new StageError(
      `nothing serves ${first.apiVersion} ${first.kind}; ${name} is created as soon as something does`,
    );
  if (served.namespaced && namespace === '')
    throw new StageError(`${first.kind} ${name} needs a namespace, because self has none`);
  const current = client.get(served, namespace, name);
  if (current?.metadata.deletionTimestamp !== undefined) return false;
  const object = current === undefined || !keepTimes ? first : asObject(fill(template, { values, keepTimes }, current));
  if (served.namespaced) object.metadata.namespace = namespace;
  addOwner(object, self, current, served);
  const [key, text] = [`${kindText(group, object.kind)} ${namespace}/${name}`, writeJson(object)];
  if (current !== undefined && applied.get(key) === text && isPartOf(object, current)) return false;
  const written = await applyWithStatus(client, object, served);
  applied.set(key, text);
  return written.metadata.resourceVersion !== current?.metadata.resourceVersion;
}

async function applyWithStatus(client: LocalClient, object: KubeObject, served: ServedKind): Promise<KubeObject> {
  const { status, ...rest } = object;
  const written = await client.apply(rest);
  if (!isObject(status)) return written;
  const { apiVersion, kind } = object;
  const { name = '', namespace = '' } = object.metadata;
  return client.apply(
    { apiVersion, kind, metadata: { name, ...(served.namespaced ? { namespace } : {}) }, status },
    served.hasStatus ? 'status' : '',
  );
}

/** Whether a value has everything of another; lists item by item. */
function isPartOf(part: Json, whole: Json | undefined): boolean {
  if (isObject(part))
    return isObject(whole) && Object.keys(part).every((key) => isPartOf(own(part, key) ?? null, own(whole, key)));
  if (isArray(part))
    return isArray(whole) && part.length === whole.length && part.every((item, index) => isPartOf(item, whole[index]));
  return whole !== undefined && equal(part, whole);
}

function asObject(value: Json | undefined): KubeObject {
  const metadata = isObject(value) ? value.metadata : undefined;
  if (
    !isObject(value) ||
    !isObject(metadata) ||
    typeof value.apiVersion !== 'string' ||
    typeof value.kind !== 'string' ||
    typeof metadata['name'] !== 'string' ||
    metadata['name'] === ''
  ) {
    throw new StageError(`an object to create has no apiVersion, kind or name: ${writeJson(value ?? null)}`);
  }
  return { ...value, apiVersion: value.apiVersion, kind: value.kind, metadata: { ...metadata } };
}

/**
 * Self becomes the controller, so that the object goes with it: unless the template says who owns it (an empty list:
 * nobody), or the API has no such owner (a namespaced one of something outside its namespace).
 */
function addOwner(object: KubeObject, self: KubeObject, current: KubeObject | undefined, served: ServedKind): void {
  const { metadata } = object;
  if (metadata.ownerReferences !== undefined) {
    if (metadata.ownerReferences.length === 0) delete metadata.ownerReferences;
    return;
  }
  const mayOwn =
    self.metadata.namespace === undefined || (served.namespaced && self.metadata.namespace === metadata.namespace);
  if (!mayOwn) return;
  const owner = current && controllerOf(current);
  if (owner !== undefined && owner.uid !== self.metadata.uid) {
    throw new StageError(
      `${object.kind} ${metadata.name ?? ''} is controlled by ${owner.kind} ${owner.name} and stays as it is`,
    );
  }
  metadata.ownerReferences = [controllerReference(self)];
}
