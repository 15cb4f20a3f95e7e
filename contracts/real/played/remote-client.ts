import { ApiError } from '../../../src/apiserver/errors/index.js';
import { EventRecorder } from '../../../src/apiserver/controller-runtime/event-recorder.js';
import type { LocalClient, ResourceName } from '../../../src/apiserver/rest/index.js';
import {
  clone,
  isObject,
  parseJson,
  textAt,
  writeJson,
  type Json,
  type JsonObject,
} from '../../../src/model/json/index.js';
import { gvkOf, type KubeObject } from '../../../src/model/kubernetes/index.js';
import type { Mirror, MirroredKind } from './mirror.js';

const TRIES = 8;
const EVERY_CONTENT = {
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
  json: 'application/json',
};

interface Write {
  readonly method: string;
  readonly kind: MirroredKind;
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string | undefined;
  readonly query?: Readonly<Record<string, string>>;
  readonly content?: string;
  readonly body: JsonObject;
}

/**
 * What controllers of the embedded server use, spoken over HTTP to another server: they read from the mirror, and what
 * they wrote is there at once. Each component is the field manager of its writes.
 */
export function remoteClient(mirror: Mirror, component: string): LocalClient {
  const send = async (write: Write): Promise<KubeObject> => {
    const { kind, method, content = EVERY_CONTENT.json, query = {} } = write;
    const answer = await mirror.connection.send({
      method,
      path: `${pathOf(write)}?${new URLSearchParams({ fieldManager: component, ...query }).toString()}`,
      headers: { 'content-type': content, 'user-agent': component },
      body: writeJson(write.body),
    });
    const object = parseJson(answer.text);
    if (answer.code >= 300 || !isObject(object)) throw errorOf(answer.code, object, answer.text);
    const written = object as unknown as KubeObject;
    if (method !== 'DELETE' && written.kind === kind.kind) mirror.wrote(kind, written);
    return written;
  };
  const client: LocalClient = {
    get: (of, namespace, name) => mirror.get(of, namespace, name),
    list: (of, namespace) => mirror.list(of, namespace),
    create: (of, object) => {
      const kind = mirror.kindOf(of);
      return send({
        method: 'POST',
        kind,
        namespace: object.metadata.namespace ?? '',
        name: '',
        body: typed(kind, object),
      });
    },
    update: (of, object, subresource) => {
      const { namespace = '', name = '' } = object.metadata;
      const kind = mirror.kindOf(of);
      return send({ method: 'PUT', kind, namespace, name, subresource, body: typed(kind, object) });
    },
    async edit(of, namespace, name, change, subresource) {
      let current = mirror.get(of, namespace, name);
      for (let tries = 1; current !== undefined; tries++) {
        const copy = clone(current);
        if (change(copy) === false) return current;
        try {
          return await client.update(of, copy, subresource);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          if (error.code === 404) return undefined;
          if (error.code !== 409 || tries === TRIES) throw error;
          current = await newest(mirror, mirror.kindOf(of), namespace, name);
        }
      }
      return undefined;
    },
    mergePatch: (of, namespace, name, body, subresource) =>
      send({
        ...{ method: 'PATCH', kind: mirror.kindOf(of), namespace, name, subresource, body },
        content: EVERY_CONTENT.merge,
        query: { fieldValidation: 'Strict' },
      }),
    apply(object, subresource) {
      const { group, kind: name } = gvkOf(object);
      const kind = mirror.byKind(group, name);
      if (kind === undefined)
        throw new ApiError(404, 'NotFound', `no matches for kind ${JSON.stringify(name)} in ${object.apiVersion}`, {});
      const { namespace = '', name: its = '' } = object.metadata;
      return send({
        ...{ method: 'PATCH', kind, namespace, name: its, subresource, body: object },
        content: EVERY_CONTENT.apply,
        query: { fieldValidation: 'Strict', force: 'true' },
      });
    },
    async remove(of, namespace, name, { uid, propagation, gracePeriodSeconds } = {}) {
      await send({
        ...{ method: 'DELETE', kind: mirror.kindOf(of), namespace, name },
        body: {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          ...(uid === undefined ? {} : { preconditions: { uid } }),
          ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
          ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        },
      });
    },
    watch: (of, listener) => mirror.watch(of, listener),
    served: (group, kind) => mirror.served(group, kind),
    onResources: (listener) => ({ close: mirror.onServed(listener) }),
    event: (about, type, reason, message, source, place = {}) =>
      recorder.record(about, { type, reason, message, source, ...place }),
    bind: () => Promise.reject(new Error('the real scheduler gives pods their nodes')),
  };
  const recorder = new EventRecorder(
    client,
    () => new Date(),
    () => undefined,
  );
  return client;
}

/** What an object read from a list lacks. */
function typed({ ref }: MirroredKind, object: KubeObject): JsonObject {
  return {
    ...object,
    apiVersion: ref.group === '' ? ref.version : `${ref.group}/${ref.version}`,
    kind: ref.kind,
  };
}

async function newest(
  mirror: Mirror,
  kind: MirroredKind,
  namespace: string,
  name: string,
): Promise<KubeObject | undefined> {
  const found = await mirror.cluster.get(kind.ref, { namespace, name });
  if (found !== undefined) mirror.wrote(kind, found);
  return found;
}

function pathOf({ kind: { ref }, namespace, name, subresource }: Write): string {
  return [
    ref.group === '' ? `/api/${ref.version}` : `/apis/${ref.group}/${ref.version}`,
    ...(ref.namespaced ? ['namespaces', namespace] : []),
    ref.plural,
    ...(name === '' ? [] : [encodeURIComponent(name)]),
    ...(subresource === undefined || subresource === '' ? [] : [subresource]),
  ].join('/');
}

function errorOf(code: number, status: Json, text: string): ApiError {
  return new ApiError(code, textAt(status, 'reason'), textAt(status, 'message') || text.slice(0, 400), {});
}

/** The kinds whose objects a kubelet and its pods look up by name: they are at hand before it starts. */
export const NODE_KINDS: readonly ResourceName[] = [
  ...[
    ...['pods', 'nodes', 'configmaps', 'secrets', 'namespaces', 'serviceaccounts', 'services', 'events'],
    ...['persistentvolumeclaims', 'persistentvolumes'],
  ].map((plural) => ({ group: '', plural })),
  { group: 'coordination.k8s.io', plural: 'leases' },
  ...['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'].map((plural) => ({
    group: 'rbac.authorization.k8s.io',
    plural,
  })),
  { group: 'batch', plural: 'jobs' },
  { group: 'storage.k8s.io', plural: 'storageclasses' },
];
