import type { Route } from '../route/index.js';
import { ApiError } from '../http/index.js';
import { serviceRows, type MethodRow, type RuleRow } from './table.js';

/** A route that serves a method, and where the fields of the message go. */
export interface Binding {
  readonly rule: RuleRow;
  readonly route: Route;
  /** The dotted names of the fields in the path, in the order of the names of the route. */
  readonly fields: readonly string[];
  /** The names of the same in the route. */
  readonly names: readonly string[];
}

export interface RpcMethod {
  /** As in the address of a request, such as /version.VersionService/Version. */
  readonly path: string;
  readonly row: MethodRow;
  readonly first: Binding;
  /** In the order of preference: those whose path has fields that the message leaves empty come last. */
  readonly bindings: readonly Binding[];
}

/** Methods that no route serves, each with the reason that a caller is told. */
export const WITHOUT_ROUTE: Readonly<Record<string, string>> = {
  '/application.ApplicationService/GetOCIMetadata':
    'manifests in OCI registries are no source here, so they have no metadata: only Helm charts are',
  '/repository.RepositoryService/ListOCITags':
    'manifests in OCI registries are no source here, so no tags are listed: only Helm charts are',
};

const PARAMETER = /\{([^{}=]+)(=\*\*)?\}/g;

/** The methods of Argo CD's services, each with the route of the table that it is. */
export class RpcMethods {
  readonly #methods = new Map<string, RpcMethod>();
  readonly #services = new Set<string>();

  constructor(routes: readonly Route[]) {
    const byPath = new Map(routes.map((route) => [keyOf(route), route]));
    for (const [service, methods] of Object.entries(serviceRows())) {
      this.#services.add(service);
      for (const [name, row] of Object.entries(methods)) {
        const bindings = row.routes.flatMap((rule) => {
          const route = byPath.get(keyOf(rule));
          return route === undefined
            ? []
            : [{ rule, route, fields: parametersOf(rule.path), names: parametersOf(route.path) }];
        });
        const [first] = bindings;
        const path = `/${service}/${name}`;
        if (first !== undefined) this.#methods.set(path, { path, row, first, bindings });
      }
    }
  }

  get all(): readonly RpcMethod[] {
    return [...this.#methods.values()];
  }

  /** Whether a request is meant for a service, whether or not there is such a method. */
  static isPath(path: string): boolean {
    return /^\/[a-z]+\.[A-Za-z]+Service\/[A-Za-z]+$/.test(path);
  }

  find(path: string): RpcMethod {
    const found = this.#methods.get(path);
    if (found !== undefined) return found;
    const reason = WITHOUT_ROUTE[path];
    if (reason !== undefined) throw new ApiError('Unimplemented', reason);
    const [, service = '', method = ''] = path.split('/');
    throw new ApiError(
      'Unimplemented',
      this.#services.has(service)
        ? `unknown method ${method.slice(0, 100)} for service ${service}`
        : `unknown service ${service.slice(0, 100)}`,
    );
  }
}

/** Two routes with parameters in the same places are one, whatever the parameters are called. */
function keyOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path.replaceAll(PARAMETER, (_, _name, rest: string | undefined) => `{${rest ?? ''}}`)}`;
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
}
