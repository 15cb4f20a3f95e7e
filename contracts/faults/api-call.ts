/** One request of the controller, as the proxy saw it, in the words of the API server's audit log. */
export interface ApiCall {
  /** Milliseconds of performance.now(). */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'discovery';
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly isDryRun: boolean;
}

const VERBS = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete', GET: 'get' } as const;

/** Reads method and address as kube-apiserver does. */
export function describeCall(method: string, url: string): ApiCall {
  const { pathname, searchParams } = new URL(url, 'https://proxy');
  const parts = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const address = addressOf(parts);
  return {
    at: performance.now(),
    method,
    path: url,
    verb: verbOf(method, address, searchParams),
    ...address,
    isDryRun: searchParams.has('dryRun'),
  };
}

type Address = Pick<ApiCall, 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>;

const NOWHERE: Address = { group: '', resource: '', subresource: '', namespace: '', name: '' };

function addressOf(parts: readonly string[]): Address {
  const [root, second = ''] = parts;
  if (root !== 'api' && root !== 'apis') return NOWHERE;
  const group = root === 'api' ? '' : second;
  const rest = parts.slice(root === 'api' ? 2 : 3);
  if (rest.length === 0) return { ...NOWHERE, group };
  // A namespace itself is addressed like any object without one.
  const isInNamespace =
    rest[0] === 'namespaces' &&
    rest.length > 2 &&
    !(rest.length === 3 && (rest[2] === 'status' || rest[2] === 'finalize'));
  const [resource = '', name = '', subresource = ''] = isInNamespace ? rest.slice(2) : rest;
  return { group, resource, name, subresource, namespace: isInNamespace ? (rest[1] ?? '') : '' };
}

function verbOf(method: string, address: Address, query: URLSearchParams): ApiCall['verb'] {
  if (address.resource === '') return 'discovery';
  const verb = VERBS[method as keyof typeof VERBS];
  if (verb === 'get' && address.name === '')
    return query.has('watch') && query.get('watch') !== 'false' ? 'watch' : 'list';
  return verb === 'delete' && address.name === '' ? 'deletecollection' : verb;
}

/** Whether it changes the cluster. Leases and Events are no part of what is delivered. */
export function isDelivery({
  verb,
  resource,
  isDryRun,
  group,
}: Pick<ApiCall, 'verb' | 'resource' | 'isDryRun' | 'group'>): boolean {
  if (isDryRun || resource === 'leases' || resource === 'events') return false;
  if (group === 'authorization.k8s.io' || group === 'authentication.k8s.io') return false;
  return verb === 'create' || verb === 'update' || verb === 'patch' || verb === 'delete' || verb === 'deletecollection';
}

export function callText({ verb, resource, subresource, namespace, name, isDryRun }: ApiCall): string {
  return (
    `${verb}${isDryRun ? ' (dry run)' : ''} ${resource}${subresource === '' ? '' : `/${subresource}`} ` +
    `${namespace === '' ? '' : `${namespace}/`}${name}`
  ).trim();
}
