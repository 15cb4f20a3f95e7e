import { clone } from '../../model/json/index.js';
import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { ApiError, cannotWrite } from '../errors/index.js';
import { SYSTEM_USER, type User } from '../access/index.js';
import { EventRecorder } from './event-recorder.js';
import {
  type LocalClient,
  type ResourceName,
  type ServedKind,
  type ServedResource,
  bind,
  fromStored,
  keyFor,
  prefixOf,
  type Call,
  type RestContext,
  create,
  remove,
  patch,
  scaledPodsOf,
  scalePaths,
  applyByServer,
  update,
  watch,
} from '../rest/index.js';
import type { ResourceType, TypeCatalog } from '../resources/index.js';

/** The LocalClient of one component, named as the field manager and user of its writes. */
export function inProcessClient(context: RestContext, component: string, user: User = SYSTEM_USER): LocalClient {
  const typeOf = ({ group, plural }: ResourceName): ResourceType => {
    const type = context.types.preferred(group, plural);
    if (!type) throw new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
    return type;
  };
  const callFor = (of: ResourceName, namespace: string, name: string, subresource = ''): Call => {
    const type = typeOf(of);
    if (type.readOnly !== undefined) throw cannotWrite(type.readOnly);
    return {
      type,
      namespace: type.namespaced ? namespace : '',
      name,
      subresource,
      user,
      dryRun: false,
      fieldManager: component,
      warn: () => undefined,
    };
  };
  const newest = (of: ResourceName, namespace: string, name: string): KubeObject | undefined => {
    const type = typeOf(of);
    const stored = context.store.head(keyFor(type, namespace, name));
    return stored && fromStored(type, stored);
  };
  const client: LocalClient = {
    get: newest,
    list(of, namespace = '') {
      const type = typeOf(of);
      return context.store.range(prefixOf(type, namespace)).map((stored) => fromStored(type, stored));
    },
    async create(of, object) {
      const copy = clone(object);
      return (await create(context, callFor(of, copy.metadata.namespace ?? '', ''), copy)).object;
    },
    async update(of, object, subresource) {
      const copy = clone(object);
      const { namespace = '', name = '' } = copy.metadata;
      return (await update(context, callFor(of, namespace, name, subresource), copy)).object;
    },
    async edit(of, namespace, name, change, subresource) {
      // Reading the head and handing in the write happen in one turn, so there is nothing to retry.
      const current = newest(of, namespace, name);
      if (!current) return undefined;
      const copy = clone(current);
      if (change(copy) === false) return current;
      return (await update(context, callFor(of, namespace, name, subresource), copy)).object;
    },
    ...patchVerbs(context, component, callFor),
    async remove(of, namespace, name, options = {}) {
      await remove(context, callFor(of, namespace, name), options);
    },
    watch(of, listener) {
      const type = typeOf(of);
      return watch(context, type, '', undefined, { from: 0, sendInitialEvents: false }, (event) => {
        if (event.type === 'BOOKMARK' || event.type === 'ERROR') return;
        // What the object was before, so that controllers see which owner or label it lost.
        const before = event.source?.previous;
        listener({
          type: event.type,
          object: fromStored(type, event.stored),
          previous: before && fromStored(type, before),
        });
      });
    },
    served: (group, kind) => servedKind(context.types, group, kind),
    onResources: (listener) => followResources(context.types, listener),
    event: (about, type, reason, message, source, place = {}) =>
      recorder.record(about, { type, reason, message, source, ...place }),
    bind: async (namespace, name, binding) =>
      (await bind(context, callFor({ group: '', plural: 'pods' }, namespace, name), binding)).object,
  };
  const recorder = new EventRecorder(
    client,
    () => context.clock.now(),
    (line) => {
      context.report(line);
    },
  );
  return client;
}

/** Writes that are read as strictly as those of a client on the network. */
function patchVerbs(
  context: RestContext,
  component: string,
  callFor: (of: ResourceName, namespace: string, name: string, subresource?: string) => Call,
): Pick<LocalClient, 'mergePatch' | 'apply'> {
  return {
    async mergePatch(of, namespace, name, body, subresource) {
      return (
        await patch(context, callFor(of, namespace, name, subresource), {
          kind: 'merge',
          body: clone(body),
          duplicates: [],
          validation: 'Strict',
        })
      ).object;
    },
    async apply(object, subresource = '') {
      const { group, version, kind } = gvkOf(object);
      const type = context.types.byKind(group, version, kind);
      if (!type)
        throw new ApiError(
          404,
          'NotFound',
          `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(object.apiVersion)}`,
          {},
        );
      const { namespace = '', name = '' } = object.metadata;
      const call = { ...callFor(type, namespace, name, subresource), type };
      return (
        await applyByServer(context, call, {
          body: clone(object),
          duplicates: [],
          validation: 'Strict',
          force: true,
          manager: component,
        })
      ).object;
    },
  };
}

function servedKind(types: TypeCatalog, group: string, kind: string): ServedKind | undefined {
  const type = types.byKind(group, '', kind);
  if (!type) return undefined;
  const scaled = type.subresources.has('scale')
    ? {
        scale: {
          replicasPath: scalePaths(type).specPath,
          selectorOf: (object: KubeObject) => scaledPodsOf(type, object),
        },
      }
    : {};
  return {
    group,
    plural: type.plural,
    kind,
    namespaced: type.namespaced,
    hasStatus: type.subresources.has('status'),
    ...scaled,
  };
}

/** Tells of each watchable resource once, and again when it comes back after it was gone. */
function followResources(types: TypeCatalog, listener: (of: ServedResource) => void): { close(): void } {
  const announced = new Set<string>();
  const announce = (): void => {
    for (const type of types.all) {
      const name = `${type.group}/${type.plural}`;
      if (announced.has(name) || !type.verbs.includes('watch')) continue;
      announced.add(name);
      listener({ group: type.group, plural: type.plural, kind: type.kind, namespaced: type.namespaced });
    }
    for (const name of announced) {
      const [group = '', plural = ''] = name.split('/');
      if (!types.preferred(group, plural)) announced.delete(name);
    }
  };
  announce();
  return types.onChange(announce);
}
