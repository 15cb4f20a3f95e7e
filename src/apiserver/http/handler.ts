import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import {
  ApiError,
  PlainTextError,
  methodNotAllowed,
  noSuchPath,
  resourceNotFound,
  unauthorized,
} from '../errors/index.js';
import { forbiddenRequest, type AccessAttributes, type User } from '../access/index.js';
import type { RestContext } from '../rest/index.js';
import { readRequest, type RequestInfo } from './request-info.js';
import type { Metrics } from './metrics.js';
import { errorFormat } from './negotiate.js';
import { handleResource, wantsPretty } from './resource-handler.js';
import { sendError } from './respond.js';
import type { SpecialHandlers } from './special-handlers.js';
import type { Upgrade } from '../../net/web-socket/index.js';

/** Who may do what; `access/` implements it. */
export interface RequestAccess {
  /** Undefined means: credentials were given and are wrong. No credentials are the anonymous user. */
  authenticate(request: IncomingMessage): Promise<User | undefined> | User | undefined;
  authorize(user: User, attributes: AccessAttributes): { readonly allowed: boolean; readonly reason: string };
  /** The user to act as, after Impersonate-* headers were checked. */
  impersonate(user: User, request: IncomingMessage): User;
}

export interface HandlerParts {
  readonly context: RestContext;
  readonly special: SpecialHandlers;
  readonly access: RequestAccess;
  readonly metrics: Metrics;
  /** Documents that are no resource: discovery, OpenAPI, version, health. False: no such path. */
  readonly documents: (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ) => boolean;
  /** Host names that this server answers to, without port. */
  readonly hosts: ReadonlySet<string>;
  readonly onUnexpectedError: (error: unknown, request: IncomingMessage) => void;
}

/** The server's one request listener. */
export function requestHandler(
  parts: HandlerParts,
): (request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade) => void {
  return (request, response, upgrade) => {
    response.setHeader('audit-id', randomUUID());
    handle(parts, request, response, upgrade).catch((error: unknown) => {
      const pretty = wantsPretty(request, new URLSearchParams((request.url ?? '').split('?')[1] ?? ''));
      if (error instanceof PlainTextError) sendPlain(response, error);
      else
        sendError({ response, format: errorFormat(request.headers.accept), pretty }, error, (surprise) =>
          parts.onUnexpectedError(surprise, request),
        );
      request.resume(); // let a body that nobody read drain, so that the connection can be used again
    });
  };
}

async function handle(
  parts: HandlerParts,
  request: IncomingMessage,
  response: ServerResponse,
  upgrade: Upgrade | undefined,
): Promise<void> {
  const { context, access } = parts;
  checkHost(parts, request);
  const url = readUrl(request);
  const real = await access.authenticate(request);
  if (!real) throw unauthorized();
  const user = access.impersonate(real, request);
  const info = readRequest(request.method ?? 'GET', url.pathname, url.searchParams);
  response.once('finish', () => parts.metrics.count(info, response.statusCode));
  authorize(access, user, info);
  if (url.pathname === '/metrics') return sendMetrics(response, parts.metrics);
  if (info.kind === 'path' || !context.types.hasGroupVersion(info.group, info.version)) {
    if (info.kind === 'resource' && context.types.builtin.some((type) => type.group === info.group))
      throw resourceNotFound();
    if (!['GET', 'HEAD'].includes(request.method ?? '')) throw methodNotAllowed();
    if (!parts.documents(request, response, url.pathname, url.searchParams)) throw noSuchPath();
    return;
  }
  await handleResource(context, parts.special, { request, response, info, query: url.searchParams, user, upgrade });
}

function sendMetrics(response: ServerResponse, metrics: Metrics): void {
  response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
  response.end(metrics.text());
}

function sendPlain(response: ServerResponse, { code, message }: PlainTextError): void {
  response.statusCode = code;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.setHeader('x-content-type-options', 'nosniff');
  response.end(`${message}\n`);
}

function readUrl(request: IncomingMessage): URL {
  try {
    return new URL(request.url ?? '/', 'https://localhost');
  } catch {
    throw new ApiError(400, 'BadRequest', 'the request path is not a valid URL');
  }
}

/** A page in a browser that resolved its own name to this address must not reach the server. */
function checkHost(parts: HandlerParts, request: IncomingMessage): void {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  if (!parts.hosts.has(host))
    throw new ApiError(403, 'Forbidden', `host ${JSON.stringify(host)} is not a name of this server`);
}

function authorize(gate: RequestAccess, user: User, info: RequestInfo): void {
  const attributes = attributesOf(info);
  const { allowed, reason } = gate.authorize(user, attributes);
  if (!allowed) throw forbiddenRequest(user, attributes, reason);
}

function attributesOf(info: RequestInfo): AccessAttributes {
  if (info.kind === 'path')
    return {
      verb: info.verb,
      path: info.path,
      group: '',
      version: '',
      resource: '',
      subresource: '',
      namespace: '',
      name: '',
    };
  const { verb, group, version, plural, subresource, namespace, name } = info;
  return { verb, group, version, resource: plural, subresource, namespace, name };
}
