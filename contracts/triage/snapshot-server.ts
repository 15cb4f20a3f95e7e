import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tableOf } from '../../src/apiserver/http/table.js';
import { builtinResourceTypes } from '../../src/apiserver/kinds/builtin-resource-types.js';
import type { ResourceType } from '../../src/apiserver/resources/resource-type.js';
import { splitApiVersion, type KubeObject } from '../../src/model/kubernetes/index.js';
import type { JsonObject } from '../../src/model/json/index.js';

/** Enough of an API server to be asked by kubectl for what is in a snapshot: nothing is checked, nothing changes. */
export interface SnapshotServer {
  readonly url: string;
  close(): Promise<void>;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly type?: ResourceType;
  readonly objects: KubeObject[];
}

const BUILT_IN = new Map(builtinResourceTypes().map((type) => [`${type.group}/${type.version}/${type.kind}`, type]));
const typed = ({ kind, namespaced, plural }: Kind): JsonObject => ({
  name: plural,
  singularName: kind.toLowerCase(),
  namespaced,
  kind,
  verbs: ['get', 'list', 'watch'],
  ...(kind === 'Pod' ? { shortNames: ['po'] } : {}),
});

/** Serves objects as they are. What a kind is called in paths is guessed as everybody does, by an s. */
export async function serveSnapshot(objects: readonly KubeObject[], now: Date): Promise<SnapshotServer> {
  const kinds = kindsOf(objects);
  const server = createServer((request, response) => answer(request, response, kinds, now));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function kindsOf(objects: readonly KubeObject[]): Kind[] {
  const kinds = new Map<string, Kind>();
  for (const type of BUILT_IN.values())
    if (type.verbs.includes('list'))
      kinds.set(`${type.group}/${type.kind}`, {
        group: type.group,
        version: type.version,
        kind: type.kind,
        plural: type.plural,
        namespaced: type.namespaced,
        type,
        objects: [],
      });
  for (const object of objects) {
    const { group, version } = splitApiVersion(object.apiVersion);
    const key = `${group}/${object.kind}`;
    let kind = kinds.get(key);
    if (kind === undefined)
      kinds.set(
        key,
        (kind = {
          group,
          version,
          kind: object.kind,
          plural: `${object.kind.toLowerCase()}s`,
          namespaced: object.metadata.namespace !== undefined,
          objects: [],
        }),
      );
    kind.objects.push(object);
  }
  return [...kinds.values()];
}

function answer(request: IncomingMessage, response: ServerResponse, kinds: readonly Kind[], now: Date): void {
  const url = new URL(request.url ?? '', 'http://snapshot');
  const body = bodyOf(url, request.headers.accept ?? '', kinds, now);
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify(
      body ?? {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'NotFound',
        message: 'not found',
        code: 404,
      },
    ),
  );
}

function bodyOf(url: URL, accept: string, kinds: readonly Kind[], now: Date): JsonObject | undefined {
  const parts = url.pathname.split('/').filter((part) => part !== '');
  if (url.pathname === '/version') return { major: '1', minor: '34', gitVersion: 'v1.34.4' };
  if (url.pathname === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (url.pathname === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(kinds) };
  const group = parts[0] === 'api' ? '' : (parts[1] ?? '');
  const version = parts[0] === 'api' ? (parts[1] ?? '') : (parts[2] ?? '');
  const own = kinds.filter((kind) => kind.group === group && kind.version === version);
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  if (rest.length === 0)
    return own.length === 0
      ? undefined
      : {
          kind: 'APIResourceList',
          apiVersion: 'v1',
          groupVersion: group === '' ? version : `${group}/${version}`,
          resources: own.map(typed),
        };
  const [namespace, plural, name] =
    rest[0] === 'namespaces' && rest.length > 2 ? [rest[1], rest[2], rest[3]] : [undefined, rest[0], rest[1]];
  const kind = own.find((each) => each.plural === plural);
  if (kind === undefined) return undefined;
  const found = kind.objects.filter(
    (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
      isSelected(object, url.searchParams),
  );
  if (name !== undefined) return found[0];
  if (accept.includes('as=Table') && kind.type !== undefined) return tableOf(kind.type, found, {}, 'Metadata', now);
  return {
    kind: `${kind.kind}List`,
    apiVersion: group === '' ? version : `${group}/${version}`,
    metadata: {},
    items: found,
  };
}

function groupsOf(kinds: readonly Kind[]): JsonObject[] {
  const names = [...new Set(kinds.map(({ group }) => group))].filter((group) => group !== '');
  return names.map((name) => {
    const versions = [...new Set(kinds.filter(({ group }) => group === name).map(({ version }) => version))].map(
      (version) => ({ groupVersion: `${name}/${version}`, version }),
    );
    return { name, versions, preferredVersion: versions[0] ?? null };
  });
}

/** Of field and label selectors only what describe asks with: equal to. */
function isSelected(object: KubeObject, query: URLSearchParams): boolean {
  const fields = (query.get('fieldSelector') ?? '').split(',').filter((part) => part !== '');
  const labels = (query.get('labelSelector') ?? '').split(',').filter((part) => part !== '');
  const at = (path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>(
        (here, step) =>
          typeof here === 'object' && here !== null ? (here as Record<string, unknown>)[step] : undefined,
        object,
      );
  return (
    fields.every(
      (part) => part.includes('!=') || String(at(part.split('=')[0] ?? '') ?? '') === part.slice(part.indexOf('=') + 1),
    ) &&
    labels.every(
      (part) => (object.metadata.labels ?? {})[part.split('=')[0] ?? ''] === part.slice(part.indexOf('=') + 1),
    )
  );
}
