import { isObject, parseJson, writeJson, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Answer, Connection } from '../apiserver/connection.js';

/**
 * Names one object as cases write it: `Kind/name` or `Kind/namespace/name`, with `group/` before the kind where two
 * groups have it.
 */
export interface ObjectName {
  readonly kind: string;
  readonly group?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name: string;
}

interface Resource {
  readonly kind: string;
  readonly group: string;
  /** `/api/v1` or `/apis/GROUP/VERSION` */
  readonly root: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

export type PatchType = 'merge' | 'json' | 'apply';

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** What cases do to a cluster, by kind and name. */
export class Api {
  #resources: readonly Resource[] = [];

  constructor(readonly connection: Connection) {}

  async get(name: ObjectName): Promise<JsonObject | undefined> {
    const path = await this.#pathOf(name);
    if (path === undefined) return undefined;
    const answer = await this.#send('GET', path);
    return answer.code === 404 ? undefined : good(answer, `GET ${path}`);
  }

  async list(kind: string, namespace?: string): Promise<JsonObject[]> {
    const resource = await this.#resource(kind);
    if (resource === undefined) return [];
    const path = collection(resource, namespace);
    const { items } = good(await this.#send('GET', path), `GET ${path}`);
    return Array.isArray(items) ? items.filter(isObject) : [];
  }

  async create(object: JsonObject, namespace: string, manager?: string): Promise<JsonObject> {
    const { kind, metadata, apiVersion } = object as unknown as KubeObject;
    const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
    const resource = await this.#resource(kind, group);
    if (resource === undefined) throw new Error(`the server has no kind ${kind}`);
    const path = collection(resource, resource.isNamespaced ? (metadata.namespace ?? namespace) : undefined);
    return good(
      await this.#send('POST', `${path}${manager === undefined ? '' : `?fieldManager=${manager}`}`, object),
      `POST ${path}`,
    );
  }

  async patch(name: ObjectName, patch: Json, type: PatchType = 'merge', more = ''): Promise<JsonObject> {
    const path = await this.#pathOf(name);
    if (path === undefined) throw new Error(`the server has no kind ${name.kind}`);
    return good(await this.#send('PATCH', `${path}${more}`, patch, PATCH_TYPES[type]), `PATCH ${path}`);
  }

  /** An object that is gone already is as good as deleted. */
  async delete(name: ObjectName, propagation = 'Background'): Promise<void> {
    const path = await this.#pathOf(name);
    if (path === undefined) return;
    const answer = await this.#send('DELETE', path, { propagationPolicy: propagation });
    if (answer.code !== 404) good(answer, `DELETE ${path}`);
  }

  /** Whether the server would not delete it; nothing is deleted. */
  async refusesDeletion(name: ObjectName): Promise<boolean> {
    const path = await this.#pathOf(name);
    return path !== undefined && (await this.#send('DELETE', `${path}?dryRun=All`)).code >= 400;
  }

  async #pathOf({ kind, group, namespace, name }: ObjectName): Promise<string | undefined> {
    const resource = await this.#resource(kind, group);
    return resource && `${collection(resource, resource.isNamespaced ? namespace : undefined)}/${name}`;
  }

  /** Kinds come and go with their definitions: one that is not known yet is looked for again. */
  async #resource(kind: string, group?: string): Promise<Resource | undefined> {
    const find = (): Resource | undefined =>
      this.#resources.find((one) => one.kind === kind && (group === undefined || one.group === group));
    if (find() === undefined) this.#resources = await this.#discover();
    return find();
  }

  async #discover(): Promise<Resource[]> {
    const accept = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json' };
    const found: Resource[] = [];
    for (const path of ['/api', '/apis']) {
      const answer = await this.connection.send({ method: 'GET', path, headers: accept, body: undefined });
      found.push(...readDiscovery(good(answer, `GET ${path}`)));
    }
    return found;
  }

  #send(method: string, path: string, body?: Json, type = 'application/json'): Promise<Answer> {
    return this.connection.send({
      method,
      path,
      headers: { 'content-type': type },
      body: body === undefined ? undefined : writeJson(body),
    });
  }
}

interface DiscoveryList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly {
        readonly resource: string;
        readonly scope: string;
        readonly responseKind: { readonly kind: string };
      }[];
    }[];
  }[];
}

function readDiscovery(body: JsonObject): Resource[] {
  const { items = [] } = body as unknown as DiscoveryList;
  return items.flatMap(({ metadata, versions }) => {
    const group = metadata?.name ?? '';
    return versions.flatMap(({ version, resources }) =>
      resources.map(({ resource, scope, responseKind }) => ({
        kind: responseKind.kind,
        group,
        root: group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
        plural: resource,
        isNamespaced: scope === 'Namespaced',
      })),
    );
  });
}

function collection({ root, plural }: Resource, namespace: string | undefined): string {
  return `${root}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${plural}`;
}

function good({ code, text }: Answer, what: string): JsonObject {
  if (code >= 300) throw new Error(`${what}: ${code} ${text.slice(0, 2_000)}`);
  const body = parseJson(text);
  return isObject(body) ? body : {};
}

/** `Pod/web`, `Pod/other/web`, `apps/Deployment/web`: a part that begins with a capital letter is the kind. */
export function objectName(text: string, namespace: string): ObjectName {
  const parts = text.split('/');
  const group = /^[A-Z]/.test(parts[0] ?? '') ? undefined : parts.shift();
  const [kind = '', second = '', third] = parts;
  return third === undefined
    ? { kind, group, namespace, name: second }
    : { kind, group, namespace: second, name: third };
}
