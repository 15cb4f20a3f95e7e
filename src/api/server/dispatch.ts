import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ControlServices } from '../../control/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import {
  ANONYMOUS,
  type Access,
  Authoriser,
  type Subject,
  findApplication,
  rbacNameOf,
  guardAnswer,
  permissionDenied,
} from '../access/index.js';
import { type Answer, ApiError, BodyBudget, type BodyShare, parseBody, readBody, TurnQueue } from '../http/index.js';
import type { RequestAudit } from './request-audit.js';
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
  readonly audit: RequestAudit;
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
  { request, query, signal, remoteAddress, origin, isUpgrade, audit }: DispatchRequest,
  { services, access, state }: DispatchContext,
  share?: BodyShare,
): Promise<Answer> {
  const subject = await identify(route, request, remoteAddress, access, isUpgrade);
  audit.identified(subject);
  const values = readQuery(route.query, query);
  checkContentType(request);
  const rawBody =
    route.body === undefined && !route.takesRawBody ? Buffer.alloc(0) : await readBody(request, route.bodyLimit, share);
  const body = route.body === undefined ? undefined : route.body.read(parseBody(rawBody), '');
  const input: Input = { path, query: values, body, controlNamespace: services.namespace };
  audit.read(input);
  const authoriser = new Authoriser(subject, access, services, audit);
  const decided = { route, input, subject, services, access, authoriser, audit };
  const { application, object } = await authorise(decided);
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
    object,
    authoriser,
    audit,
  };
  return guardAnswer(await route.handle(context), {
    subject,
    access,
    isAllowed: () => isStillAllowed(decided, object),
    after: (milliseconds, act) => services.clock.after(milliseconds, act),
  });
}

interface Decided {
  readonly route: Route;
  readonly input: Input;
  readonly subject: Subject;
  readonly services: ControlServices;
  readonly access: Access;
  readonly authoriser: Authoriser;
  readonly audit: RequestAudit;
}

/** Asked again while a stream is open. */
function isStillAllowed(request: Decided, object: unknown): boolean {
  const row = request.route.access;
  if (typeof row === 'string' || 'each' in row) return true;
  if ('kind' in row) return request.authoriser.may(row.kind, actionOf(row.action, request.input), object);
  try {
    authoriseApplication(request, row);
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

/** Decides on the object that the route declares; on further ones the handler asks the same authoriser. */
async function authorise(request: Decided): Promise<{ readonly application: KubeObject; readonly object: unknown }> {
  const { route, input, subject, services, authoriser } = request;
  const row = route.access;
  if (typeof row === 'string' || 'each' in row) return { application: NO_APPLICATION, object: undefined };
  if ('object' in row) return { application: authoriseApplication(request, row), object: undefined };
  const action = actionOf(row.action, input);
  if ('describe' in row) {
    const object = row.describe(input, subject);
    authoriser.must(row.kind, action, object);
    return { application: NO_APPLICATION, object };
  }
  const object = await row.find(input, services);
  if (object !== undefined) authoriser.mustFound(row.kind, action, object);
  else if (row.named === undefined || !authoriser.may(row.kind, action, row.named(input)))
    throw new ApiError('PermissionDenied', 'permission denied');
  else throw new ApiError('NotFound', `${Object.values(input.path)[0] ?? ''} not found`);
  return { application: NO_APPLICATION, object };
}

function actionOf(action: string | ((input: Input) => string), input: Input): string {
  return typeof action === 'string' ? action : action(input);
}

function authoriseApplication(
  { input, subject, services, access, audit }: Decided,
  row: Extract<Route['access'], { readonly object: 'application' }>,
): KubeObject {
  const application = findApplication({
    input,
    action: actionOf(row.action, input),
    subject,
    services,
    access,
    namespaceIn: row.namespaceIn ?? 'appNamespace',
    isInQuery: row.named === 'in-query',
  });
  const name = rbacNameOf(application, services.namespace);
  audit.decided(true, row.resource, actionOf(row.action, input), name);
  if (row.also !== undefined) {
    const isAllowed = access.enforce(subject, row.also.resource, row.also.action, name);
    audit.decided(isAllowed, row.also.resource, row.also.action, name);
    if (!isAllowed) throw permissionDenied(subject, row.also.resource, row.also.action, name);
  }
  return application;
}
