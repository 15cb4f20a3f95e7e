import { messageType, serviceRows, type RuleRow, type WireShape } from '../../src/api/rpc/table.js';
import { isObject, own, put, type Json, type JsonObject } from '../../src/model/json/index.js';

/** A method of Argo CD's services beside the route that serves it. */
export interface RpcRoute {
  /** Such as `version.VersionService/Version`. */
  readonly method: string;
  readonly path: string;
  /** As the OpenAPI document has it, with the names of the path as we call them; the first of several. */
  readonly route: string;
  readonly routes: readonly string[];
  readonly isStream: boolean;
}

/** A request of REST. */
interface RestRequest {
  /** With the query. */
  readonly path: string;
  readonly body: Json | undefined;
}

/** Our names for what Argo CD's gateway calls otherwise. */
const OUR_NAMES: Readonly<Record<string, string>> = {
  'id.value': 'id',
  applicationName: 'name',
  appName: 'name',
  'app.metadata.name': 'name',
  'application.metadata.name': 'name',
  'project.metadata.name': 'name',
  'repo.repo': 'repo',
  'source.repoURL': 'repo',
  'creds.url': 'url',
};

export function rpcMethods(): RpcRoute[] {
  return Object.entries(serviceRows()).flatMap(([service, methods]) =>
    Object.entries(methods).map(([name, { routes, serverStreams }]) => {
      const ours = routes.map(routeOf);
      return {
        method: `${service}/${name}`,
        path: `/${service}/${name}`,
        route: ours[0] ?? '',
        routes: ours,
        isStream: serverStreams === true,
      };
    }),
  );
}

function routeOf({ method, path }: RuleRow): string {
  return `${method} ${path.replaceAll(/\{([^{}=]+)(=\*\*)?\}/g, (_, name: string) => `{${OUR_NAMES[name] ?? name}}`)}`;
}

/** The message of a method that a gateway would make of a request of its first route. */
export function rpcMessage(method: string, { path, body }: RestRequest): JsonObject {
  const [service = '', name = ''] = method.split('/');
  const row = serviceRows()[service]?.[name];
  const [rule] = row?.routes ?? [];
  if (row === undefined || rule === undefined) throw new Error(`${method} has no route`);
  const message: JsonObject = {};
  if (rule.body === '*') Object.assign(message, isObject(body) ? body : {});
  else if (rule.body !== undefined && body !== undefined) put(message, rule.body, body);
  const [plain = '', query = ''] = path.split('?');
  const parts = plain.split('/');
  for (const [index, part] of rule.path.split('/').entries()) {
    const [, field, isRest] = /^\{([^{}=]+)(=\*\*)?\}$/.exec(part) ?? [];
    if (field !== undefined)
      set(
        message,
        row.in,
        field,
        decodeURIComponent((isRest === undefined ? [parts[index] ?? ''] : parts.slice(index)).join('/')),
      );
  }
  for (const [field, value] of new URLSearchParams(query)) set(message, row.in, field, value);
  return message;
}

/** Sets a field by its dotted name, as the type of the message has it; unknown ones are left out. */
function set(message: JsonObject, type: string, field: string, text: string): void {
  const [name = '', ...rest] = field.split('.');
  const shape = messageType(type).fields.find((each) => each.name === name)?.shape;
  if (shape === undefined) return;
  if (rest.length > 0 && shape.kind === 'S') {
    const inner = own(message, name);
    const nested: JsonObject = isObject(inner) ? inner : {};
    put(message, name, nested);
    set(nested, shape.type, rest.join('.'), text);
  } else put(message, name, valueOf(shape, text));
}

function valueOf(shape: WireShape, text: string): Json {
  if (shape.kind === 'L') return [valueOf(shape.of, text)];
  if (shape.kind === 'b') return text === 'true';
  return shape.kind === 'i' || shape.kind === 'l' || shape.kind === 'u' ? Number(text) || 0 : text;
}
