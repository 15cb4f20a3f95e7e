import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isArray, isObject, textAt, type Json } from '../../model/json/index.js';
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
import {
  type Answer,
  ApiError,
  BodyBudget,
  type BodyShare,
  parseBody,
  parseStream,
  readBody,
  TurnQueue,
} from '../http/index.js';
import type { RequestAudit } from './request-audit.js';
import type { Context, Input, Route, Fields, ServerState, Values, Match } from '../route/index.js';

/** What every request is answered with. */
export interface DispatchContext {
  readonly services: ControlServices;
  readonly access: Access;
  readonly state: ServerState;
}

/** What a request says beside its headers, known once it has been read. */
export interface ReadRequest {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What the shape of the route reads. */
  readonly body: Json;
  readonly rawBody: Buffer;
}

export interface DispatchRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly signal: AbortSignal;
  readonly remoteAddress: string;
  readonly origin: string;
  /** To a WebSocket. */
  readonly isUpgrade: boolean;
  readonly audit: RequestAudit;
  /** Takes the body, once the sender is known; what it gives asks for no other rights than the route. */
  read(share: BodyShare | undefined): Promise<ReadRequest>;
}

/** A page of another origin can open a socket as easily as it sends a form: it is checked as a write is. */
const UPGRADE = 'UPGRADE';

/** One thread answers everybody. */
const TURN_QUEUE = new TurnQueue();

/** For those who need not sign in. */
const STRANGERS = new BodyBudget();

/** Authenticates, reads, authorizes and handles one request. The body is not read before the sender is known. */
export async function dispatch(route: Route, sent: DispatchRequest, context: DispatchContext): Promise<Answer> {
  await TURN_QUEUE.next();
  if (route.access !== 'anonymous') return await answer(route, sent, context);
  const share = STRANGERS.open(sent.remoteAddress);
  try {
    return await answer(route, sent, context, share);
  } finally {
    share.release();
  }
}

/** A request of REST, as it is read. */
export function readRest(
  { route, path }: Match,
  request: IncomingMessage,
  query: URLSearchParams,
): DispatchRequest['read'] {
  return async (share) => {
    checkContentType(request);
    const takesBody = route.body !== undefined || route.takesRawBody;
    const rawBody = takesBody ? await readBody(request, route.bodyLimit, share) : Buffer.alloc(0);
    if (route.body === undefined) return { route, path, query, rawBody, body: {} };
    return { route, path, query, rawBody, body: route.takesStream ? await parseStream(rawBody) : parseBody(rawBody) };
  };
}

async function answer(
  asked: Route,
  sent: DispatchRequest,
  { services, access, state }: DispatchContext,
  share?: BodyShare,
): Promise<Answer> {
  const { signal, remoteAddress, origin, headers, audit } = sent;
  const subject = await identify(asked, sent, access);
  audit.identified(subject);
  const { route, path, query, body: given, rawBody } = await sent.read(share);
  audit.matched({ route, path });
  const values = readQuery(route.query, query);
  const body = route.body?.read(given, '');
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
    headers,
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
  { access: required }: Route,
  { method, path, headers, remoteAddress, isUpgrade }: DispatchRequest,
  access: Access,
): Promise<Subject> {
  if (required === 'anonymous') return ANONYMOUS;
  const answer = await access.authenticate({ method: isUpgrade ? UPGRADE : method, path, headers, remoteAddress });
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
  if (object === undefined || (row.couldBe !== undefined && !authoriser.may(row.kind, action, object)))
    throw absence(row, request, action);
  authoriser.mustFound(row.kind, action, object);
  return { application: NO_APPLICATION, object };
}

/** Not there, for who may learn that. */
function absence(
  { kind, named, couldBe, absent }: Extract<Route['access'], { readonly find: unknown }>,
  { input, services, authoriser }: Decided,
  action: string,
): ApiError {
  const candidates = couldBe?.(input, services) ?? (named === undefined ? [] : [named(input)]);
  if (!candidates.some((each) => authoriser.may(kind, action, each)))
    return new ApiError('PermissionDenied', 'permission denied');
  const [name = ''] = Object.values(input.path);
  const said = name === '' ? 'not found: the request names nothing' : `${name} not found`;
  return new ApiError('NotFound', absent?.(input) ?? said);
}

/** What the first message of a stream names, as if the path and the query did. */
function namedInStream({ body }: Input): Pick<Input, 'path' | 'query' | 'body'> {
  const [first] = isArray(body as Json) ? (body as Json[]) : [];
  const query = isObject(first) && isObject(first.query) ? first.query : {};
  return { path: { name: textAt(query, 'name') }, query, body: undefined };
}

function actionOf(action: string | ((input: Input) => string), input: Input): string {
  return typeof action === 'string' ? action : action(input);
}

function authoriseApplication(
  { input, subject, services, access, audit }: Decided,
  row: Extract<Route['access'], { readonly object: 'application' }>,
): KubeObject {
  const application = findApplication({
    input: row.named === 'in-stream' ? namedInStream(input) : input,
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
