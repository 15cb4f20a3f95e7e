/** What a URL path and method ask for. */
export type RequestInfo = ResourceRequest | { readonly kind: 'path'; readonly path: string; readonly verb: string };

export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** Splits `/apis/apps/v1/namespaces/shop/deployments/cart/status`; paths that are no resource come back as they are. */
export function readRequest(method: string, path: string, query: URLSearchParams): RequestInfo {
  // An encoded slash separates like a plain one: the real server decodes the path before it splits it.
  const parts = decodePath(path)
    .split('/')
    .filter((part) => part !== '');
  const prefix = parts[0];
  const skip = prefix === 'api' ? 2 : 3;
  if ((prefix !== 'api' && prefix !== 'apis') || parts.length <= skip)
    return { kind: 'path', path, verb: method.toLowerCase() };
  const group = prefix === 'api' ? '' : (parts[1] ?? '');
  const version = parts[skip - 1] ?? '';
  const rest = parts.slice(skip);
  const legacyWatch = rest[0] === 'watch' && rest.length > 1;
  if (legacyWatch) rest.shift();
  const target = readTarget(group, rest);
  const watch = legacyWatch || isTrue(query.get('watch'));
  return { kind: 'resource', group, version, ...target, verb: verbOf(method, target.name, watch, target.subresource) };
}

const PROXIED = new Set(['pods', 'services', 'nodes']);

function readTarget(
  group: string,
  rest: readonly string[],
): Pick<ResourceRequest, 'plural' | 'namespace' | 'name' | 'subresource'> {
  // `namespaces/NS/status` is a subresource of the Namespace itself, not a resource called status inside it.
  const inside =
    rest[0] === 'namespaces' && rest.length > 2 && !(group === '' && (rest[2] === 'status' || rest[2] === 'finalize'));
  const own = inside ? rest.slice(2) : rest;
  const plural = own[0] ?? '';
  const name = own[1] ?? '';
  const ownNamespace = group === '' && plural === 'namespaces' ? name : '';
  const namespace = inside ? (rest[1] ?? '') : ownNamespace;
  // What stands behind `proxy` is a path of somebody else's.
  const isProxy = group === '' && own[2] === 'proxy' && PROXIED.has(plural);
  return { plural, name, namespace, subresource: isProxy ? 'proxy' : own.slice(2).join('/') };
}

function verbOf(method: string, name: string, watch: boolean, subresource: string): Verb {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      if (watch && subresource === '') return 'watch';
      return name === '' ? 'list' : 'get';
  }
}

/** A query flag: everything but a clear no is a yes, as in the real server. */
export function isTrue(value: string | null): boolean {
  return value !== null && !['false', 'False', 'FALSE', 'f', 'F', '0'].includes(value);
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a stray percent sign: keep the text, no object has such a name
  }
}
