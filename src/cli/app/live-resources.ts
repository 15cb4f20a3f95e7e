import { maskLive, patchLive, removeLive, type LiveResource } from '../../control/index.js';
import { Fault } from '../../model/faults/index.js';
import {
  isArray,
  isObject,
  own,
  parseJson,
  put,
  writeJson,
  type Json,
  type JsonObject,
} from '../../model/json/index.js';
import { keyOf, type KubeObject } from '../../model/kubernetes/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { prettyJson, formatTable } from '../output/index.js';
import { applicationId, findApplication, readSettings, type AppSession } from '../session/index.js';
import {
  readTree,
  type TreeNode,
  isWanted,
  liveResource,
  withManaged,
  type ResourceFlags,
} from '../application/index.js';

export interface GetResourceFlags extends ResourceFlags {
  readonly filterFields?: readonly string[];
  readonly showManagedFields?: boolean;
  readonly output: string;
}

/** `app get-resource`: live objects of the application and of what belongs to it, values of Secrets hidden. */
export async function getResource(session: AppSession, name: string, flags: GetResourceFlags): Promise<string> {
  const found = await withObjects(session, name, async (cluster, kinds, managed) =>
    flatten(await readTree(cluster, kinds, managed)).filter((object) => isWanted(keyOf(object), flags)),
  );
  if (found.length === 0) throw new Fault('USAGE', 'no matching resource found');
  const annotations = await sensitiveAnnotations(session);
  const shown = found.map((object) => {
    const {
      metadata: { managedFields, ...metadata },
      ...rest
    } = maskLive(object, { sensitiveAnnotations: annotations });
    const whole: JsonObject = {
      ...rest,
      metadata: {
        ...metadata,
        ...(flags.showManagedFields === true && managedFields !== undefined ? { managedFields } : {}),
      },
    };
    return {
      name: object.metadata.name ?? '',
      value: flags.filterFields === undefined ? whole : choose(whole, flags.filterFields),
    };
  });
  if (flags.output === 'json') return shown.map(({ value }) => prettyJson(value)).join('---\n');
  if (flags.output === 'yaml') return shown.map(({ value }) => writeYaml(value)).join('---\n');
  const isOne = flags.resourceName !== undefined;
  return formatTable(
    isOne ? ['FIELD', 'VALUE'] : ['FIELD', 'RESOURCE NAME', 'VALUE'],
    shown.flatMap(({ name: each, value }) =>
      flatFields(value, '').map(([field, text]) => (isOne ? [field, text] : [field, each, text])),
    ),
  );
}

/** Only these fields; a list on the way is gone through item by item. */
function choose(object: JsonObject, paths: readonly string[]): JsonObject {
  const chosen: JsonObject = {};
  for (const path of paths) merge(chosen, pick(object, path.split('.')));
  return chosen;
}

function pick(value: Json, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined) return value;
  if (isArray(value)) {
    const items = value.map((item) => pick(item, [name, ...rest])).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  const inner = isObject(value) ? own(value, name) : undefined;
  const picked = inner === undefined ? undefined : pick(inner, rest);
  if (picked === undefined) return undefined;
  const made: JsonObject = {};
  put(made, name, picked);
  return made;
}

function merge(into: JsonObject, more: Json | undefined): void {
  if (!isObject(more)) return;
  for (const [name, value] of Object.entries(more)) {
    const before = own(into, name);
    if (isObject(before) && isObject(value)) {
      merge(before, value);
    } else if (isArray(before) && isArray(value) && before.length === value.length) {
      for (const [at, item] of before.entries()) if (isObject(item)) merge(item, value[at]);
    } else if (value !== undefined) {
      put(into, name, value);
    }
  }
}

/** `spec.containers[0].image` and its value, of everything that has one. */
function flatFields(value: Json, path: string): [string, string][] {
  if (isObject(value))
    return Object.entries(value).flatMap(([name, inner]) =>
      flatFields(inner ?? null, path === '' ? name : `${path}.${name}`),
    );
  if (isArray(value)) return value.flatMap((item, at) => flatFields(item, `${path}[${at}]`));
  return [[path, (typeof value === 'string' ? value : writeJson(value)).replaceAll('\n', '\\n')]];
}

function flatten(nodes: readonly TreeNode[]): KubeObject[] {
  return nodes.flatMap(({ object, children }) => [object, ...flatten(children)]);
}

export interface PatchResourceFlags extends ResourceFlags {
  readonly patch: string;
  readonly patchType: string;
  readonly all?: boolean;
}

/** `app patch-resource`: changes live objects that the application manages. */
export function patchResource(session: AppSession, name: string, flags: PatchResourceFlags): Promise<string> {
  const body = parseJson(flags.patch);
  if (!isObject(body) && !(isArray(body) && body.every(isObject)))
    throw new Fault('PATCH_INVALID', 'a patch is an object, or a list of operations', { where: '--patch' });
  return withChosen(session, name, flags, async (chosen) => {
    let told = '';
    for (const resource of chosen) {
      await patchLive(resource, flags.patchType, body);
      told += `Resource '${resource.object.metadata.name ?? ''}' patched\n`;
    }
    return told;
  });
}

export interface DeleteResourceFlags extends ResourceFlags {
  readonly force?: boolean;
  readonly orphan?: boolean;
  readonly all?: boolean;
  readonly promptsEnabled?: boolean;
}

function propagationOf({ orphan, force }: DeleteResourceFlags): 'orphan' | 'force' | 'foreground' {
  if (orphan === true) return 'orphan';
  return force === true ? 'force' : 'foreground';
}

/** `app delete-resource`: deletes live objects that the application manages. */
export function deleteResource(session: AppSession, name: string, flags: DeleteResourceFlags): Promise<string> {
  const propagation = propagationOf(flags);
  return withChosen(session, name, flags, async (chosen) => {
    let told = '';
    for (const resource of chosen) {
      const { group, kind, namespace, name: each } = keyOf(resource.object);
      const what = `${group}/${kind} ${namespace}/${each}`;
      if (flags.promptsEnabled === true && !(await session.host.confirm(`Are you sure you want to delete ${what}?`))) {
        told += `The command to delete ${what} was cancelled.\n`;
        continue;
      }
      await removeLive(resource, propagation);
      told += `Resource '${each}' deleted\n`;
    }
    return told;
  });
}

/** The managed objects that the flags choose: one, or several with --all. */
function withChosen(
  session: AppSession,
  name: string,
  flags: ResourceFlags & { readonly all?: boolean },
  act: (chosen: readonly LiveResource[]) => Promise<string>,
): Promise<string> {
  return withObjects(session, name, (cluster, kinds, managed) => {
    const chosen = managed
      .filter((object) => isWanted(keyOf(object), flags))
      .map((object) => liveResource(cluster, kinds, object));
    if (chosen.length === 0) throw new Fault('USAGE', 'no matching resource found');
    if (chosen.length > 1 && flags.all !== true)
      throw new Fault(
        'USAGE',
        'multiple resources match inputs, use the --all flag to patch multiple resources: ' +
          chosen.map(({ object }) => object.metadata.name ?? '').join(', '),
      );
    return act(chosen);
  });
}

async function withObjects<T>(
  session: AppSession,
  name: string,
  act: Parameters<typeof withManaged<T>>[2],
): Promise<T> {
  return withManaged(session, await findApplication(session, applicationId(name, session)), act);
}

async function sensitiveAnnotations(session: AppSession): Promise<readonly string[]> {
  const { settingsOf } = await import('../admin/settings.js');
  return settingsOf({ ...(await readSettings(session, 'argocd-cm')) }).sensitiveAnnotations;
}
