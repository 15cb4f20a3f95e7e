import { ApiError } from '../http/index.js';
import type { Method, Route } from './route.js';

interface Node {
  readonly words: Map<string, Node>;
  /** Whatever one part of the path may be. */
  name: Node | undefined;
  /** All parts that follow, as one: `{name=**}`. */
  rest: Node | undefined;
  readonly routes: Map<Method, { readonly route: Route; readonly names: readonly string[] }>;
}

export interface Match {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

/** Finds the route of a request. A fixed part of a path wins over a parameter. */
export class Router {
  readonly #root = newNode();

  constructor(readonly routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  /** Undefined if no route has the path; throws 405 with `allow` if only other methods have it. */
  find(method: string, path: string): Match | undefined {
    const parts = split(path);
    const found = search(this.#root, parts, 0, []);
    if (found === undefined) return undefined;
    const entry = found.node.routes.get(method as Method);
    if (entry === undefined)
      throw new ApiError('Unimplemented', 'Method Not Allowed', {
        status: 405,
        headers: { allow: [...found.node.routes.keys()].join(', ') },
      });
    return {
      route: entry.route,
      path: Object.fromEntries(entry.names.map((name, index) => [name, found.values[index] ?? ''])),
    };
  }

  #add(route: Route): void {
    const names: string[] = [];
    let node = this.#root;
    for (const part of route.path.slice(1).split('/')) {
      const [, name, isRest] = /^\{([^=}]+)(=\*\*)?\}$/.exec(part) ?? [];
      if (name !== undefined && isRest !== undefined) {
        names.push(name);
        node = node.rest ??= newNode();
      } else if (name === undefined) {
        const next = node.words.get(part) ?? newNode();
        node.words.set(part, next);
        node = next;
      } else {
        names.push(name);
        node = node.name ??= newNode();
      }
    }
    if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, { route, names });
  }
}

function newNode(): Node {
  return { words: new Map(), name: undefined, rest: undefined, routes: new Map() };
}

function split(path: string): string[] {
  return path
    .slice(1)
    .split('/')
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        throw new ApiError('InvalidArgument', `invalid escape in the path: ${part.slice(0, 100)}`);
      }
    });
}

function search(
  node: Node,
  parts: readonly string[],
  at: number,
  values: readonly string[],
): { node: Node; values: readonly string[] } | undefined {
  const part = parts[at];
  if (part === undefined) return node.routes.size === 0 ? undefined : { node, values };
  const word = node.words.get(part);
  const exact = word === undefined ? undefined : search(word, parts, at + 1, values);
  const named =
    exact ?? (node.name === undefined || part === '' ? undefined : search(node.name, parts, at + 1, [...values, part]));
  return (
    named ?? (node.rest === undefined ? undefined : { node: node.rest, values: [...values, parts.slice(at).join('/')] })
  );
}
