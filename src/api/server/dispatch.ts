import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ControlServices } from '../../control/index.js';
import type { RbacResource } from '../../model/rbac/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import {
  ANONYMOUS,
  type Access,
  type Subject,
  findApplication,
  rbacNameOf,
  guardAnswer,
  permissionDenied,
} from '../access/index.js';
import { type Answer, ApiError, BodyBudget, type BodyShare, parseBody, readBody, TurnQueue } from '../http/index.js';
import type { Context, Input, Route, Fields, ServerState, Values, Match } from '../route/index.js';

/** What every request is answered with. */
export interface DispatchContext {
  readonly services: ControlServices;
  readonly access: Access;
  readonly state: ServerState;
}

export interface DispatchRequest {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
  readonly remoteAddress: string;
  readonly origin: string;
  /** To a WebSocket. */
  readonly isUpgrade: boolean;
}

/** A page of another origin can open a socket as easily as it sends a form: it is checked as a write is. */
const UPGRADE = 'UPGRADE';

/** One thread answers everybody. */
const TURN_QUEUE = new TurnQueue();

/** For those who need not sign in. */
const STRANGERS = new BodyBudget();

/** Authenticates, reads, authorizes and handles one request. The body is not read before the sender is known. */
export async function dispatch(match: Match, sent: DispatchRequest, context: DispatchContext): Promise<Answer> {
  await TURN_QUEUE.next();
  if (match.route.access !== 'anonymous') return await answer(match, sent, context);
  const share = STRANGERS.open(sent.remoteAddress);
  try {
    return await answer(match, sent, context, share);
  } finally {
    share.release();
  }
}

async function answer(
  { route, path }: Match,
  { request, query, signal, remoteAddress, origin, isUpgrade }: DispatchRequest,
  { services, access, state }: DispatchContext,
  share?: BodyShare,
): Promise<Answer> {
  const subject = await identify(route, request, remoteAddress, access, isUpgrade);
  const values = readQuery(route.query, query);
  checkContentType(request);
  const rawBody =
    route.body === undefined && !route.takesRawBody ? Buffer.alloc(0) : await readBody(request, route.bodyLimit, share);
  const body = route.body === undefined ? undefined : route.body.read(parseBody(rawBody), '');
  const input: Input = { path, query: values, body, controlNamespace: services.namespace };
  const application = authorize(route, input, subject, services, access);
  const context: Context = {
    path,
    query: values,
    body,
    subject,
    services,
    server: state,
    access,
    headers: request.headers,
    rawBody,
    signal,
    origin,
    remoteAddress,
    application,
    may: (resource, action, object) => access.enforce(subject, resource, action, object),
    must: (resource, action, object) => {
      if (!access.enforce(subject, resource, action, object)) throw permissionDenied(subject, resource, action, object);
    },
  };
  return guardAnswer(await route.handle(context), {
    subject,
    access,
    isAllowed: () => isAllowed(route, input, subject, services, access),
    after: (milliseconds, act) => services.clock.after(milliseconds, act),
  });
}

/** Checked again while a stream is open. */
function isAllowed(route: Route, input: Input, subject: Subject, services: ControlServices, access: Access): boolean {
  try {
    authorize(route, input, subject, services, access);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

async function identify(
  route: Route,
  request: IncomingMessage,
  remoteAddress: string,
  access: Access,
  isUpgrade: boolean,
): Promise<Subject> {
  if (route.access === 'anonymous') return ANONYMOUS;
  const answer = await access.authenticate({
    method: isUpgrade ? UPGRADE : (request.method ?? ''),
    path: pathOf(request),
    headers: request.headers,
    remoteAddress,
  });
  if (!('refused' in answer)) return answer;
  throw new ApiError(
    answer.refused,
    answer.message,
    answer.refused === 'Unauthenticated' ? { headers: { 'www-authenticate': 'Bearer' } } : {},
  );
}

export function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** A form of another page can send these types without a preflight, unless it has to set an Authorization header. */
function checkContentType({ method = '', headers }: IncomingMessage): void {
  if (method === 'GET' || method === 'HEAD' || !hasFormType(headers)) return;
  if (headers.authorization !== undefined || (headers.cookie === undefined && headers.origin === undefined)) return;
  throw new ApiError('InvalidArgument', 'Invalid content type: send application/json', { status: 415 });
}

const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

function hasFormType({ 'content-type': header = '', 'content-length': length = '0' }: IncomingHttpHeaders): boolean {
  const type = header.split(';')[0]?.trim().toLowerCase() ?? '';
  return type === '' ? length !== '0' : FORM_TYPES.includes(type);
}

function readQuery(known: Fields, query: URLSearchParams): Values<Fields> {
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, shape]) => {
      const values = query.getAll(name);
      return values.length === 0 || (values.length === 1 && values[0] === '')
        ? []
        : [[name, shape.readTexts(values, name)]];
    }),
  );
}

const NO_APPLICATION: KubeObject = { apiVersion: '', kind: '', metadata: {} };

function authorize(
  route: Route,
  input: Input,
  subject: Subject,
  services: ControlServices,
  access: Access,
): KubeObject {
  const row = route.access;
  if (row === 'anonymous' || row === 'signed-in' || row.object === 'each') return NO_APPLICATION;
  const action = typeof row.action === 'string' ? row.action : row.action(input);
  if (row.object === 'application') {
    const application = findApplication({
      input,
      action,
      subject,
      services,
      access,
      namespaceIn: row.namespaceIn ?? 'appNamespace',
      isInQuery: row.named === 'in-query',
    });
    const name = rbacNameOf(application, services.namespace);
    if (row.also !== undefined && !access.enforce(subject, row.also.resource, row.also.action, name))
      throw permissionDenied(subject, row.also.resource, row.also.action, name);
    return application;
  }
  const resource: RbacResource = row.resource;
  const object = row.object(input);
  if (!access.enforce(subject, resource, action, object)) throw permissionDenied(subject, resource, action, object);
  return NO_APPLICATION;
}
