import { isArray, isObject, own, valueAt, writeJson, type Json, type JsonObject } from '../../model/json/index.js';
import type { Route } from '../route/index.js';
import type { Binding, RpcMethod } from './methods.js';

/** A message as the request of its route: what a gateway would make of it, the other way round. */
export interface RoutedRequest {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Json;
  /** For routes that take the body as it came. */
  readonly rawBody: Buffer;
}

export function toRequest({ bindings, first }: RpcMethod, message: JsonObject): RoutedRequest {
  const binding = bindings.find(({ fields }) => fields.every((field) => textOf(at(message, field)) !== '')) ?? first;
  const { route, rule } = binding;
  const body = rule.body === undefined || rule.body === '*' ? message : (own(message, rule.body) ?? {});
  return {
    route,
    path: pathOf(binding, message),
    query: rule.body === '*' ? new URLSearchParams() : queryOf(route, message),
    body,
    rawBody: route.takesRawBody ? Buffer.from(writeJson(body)) : Buffer.alloc(0),
  };
}

/** What a client streams is the body, as a list. */
export function toStream({ first }: RpcMethod, messages: readonly JsonObject[]): RoutedRequest {
  return {
    route: first.route,
    path: {},
    query: new URLSearchParams(),
    body: [...messages],
    rawBody: Buffer.alloc(0),
  };
}

function pathOf({ fields, names }: Binding, message: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name, index) => [name, textOf(at(message, fields[index] ?? name))]));
}

/** The parameters that the route knows, by their names in the message; those of messages inside it are dotted. */
function queryOf({ query }: Route, message: JsonObject): URLSearchParams {
  const out = new URLSearchParams();
  for (const name of Object.keys(query)) {
    const value = at(message, name);
    for (const item of isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && !isObject(item)) out.append(name, textOf(item));
    }
  }
  return out;
}

/** `name`: dotted. */
function at(message: JsonObject, name: string): Json | undefined {
  return valueAt(message, ...name.split('.'));
}

function textOf(value: Json | undefined): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
