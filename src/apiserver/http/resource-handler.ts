import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../model/json/index.js';
import {
  cannotWrite,
  methodNotAllowed,
  noSuchPath,
  notFound,
  resourceNotFound,
  type ApiError,
} from '../errors/index.js';
import { managerName } from '../apply/index.js';
import {
  resourceOf,
  type VerbResult,
  type Call,
  type RestContext,
  readWriteOptions,
  type OptionsKind,
} from '../rest/index.js';
import type { ResourceType } from '../resources/index.js';
import { unrecognized } from '../schema/index.js';
import { UnreadableBody, mediaType } from './body.js';
import { handleGet, handleList, handleWatch } from './handle-read.js';
import { handleCreate, handleDelete, handleDeleteCollection, handlePatch, handleUpdate } from './handle-write.js';
import { bodyOf, sendResult, type Exchange, type RequestContext } from './request-context.js';
import { ROUTES, checkRoute, errorFormat, negotiate, objectForms, type Format } from './negotiate.js';
import type { ResourceRequest } from './request-info.js';
import { sendObject, setWarnings } from './respond.js';
import type { SpecialHandlers } from './special-handlers.js';

/** Answers a request for a resource that the catalogue serves. */
export async function handleResource(
  context: RestContext,
  special: SpecialHandlers,
  exchange: Exchange,
): Promise<void> {
  const { info, query, request, response, user, upgrade } = exchange;
  const type = context.types.find(info.group, info.version, info.plural);
  if (!type) throw unknownResource(context, info);
  if (
    info.subresource !== '' &&
    !type.subresources.has(info.subresource) &&
    playedOf(context, type, info) === undefined
  )
    throw type.custom ? notFound(resourceOf(type), info.name) : unknownResource(context, info);
  if (info.namespace !== '' && !type.namespaced && info.plural !== 'namespaces') throw unknownResource(context, info);
  if (!METHODS.has(request.method ?? '')) throw methodNotAllowed();
  const warnings: string[] = [];
  const format = formatOf(type, info, request.headers.accept);
  const reply = { response, format, pretty: wantsPretty(request, query), warnings };
  const options = readWriteOptions(
    OPTIONS[info.verb] ?? 'CreateOptions',
    query,
    mediaType(request) === 'application/apply-patch+yaml',
  );
  const call: Call = {
    type,
    namespace: type.namespaced ? info.namespace : '',
    name: info.name,
    subresource: info.subresource,
    user,
    dryRun: options.dryRun,
    fieldManager: managerName(options.fieldManager, request.headers['user-agent']),
    warn: (message) => warnings.push(message),
  };
  if (type.deprecationWarning !== undefined) warnings.push(type.deprecationWarning);
  const handling: RequestContext = {
    request,
    response,
    info,
    query,
    user,
    upgrade,
    context,
    type,
    call,
    options,
    reply,
  };
  try {
    await dispatch(special, handling);
  } catch (error) {
    // An error response carries the warnings that came before it.
    if (!response.headersSent) setWarnings(response, warnings);
    throw error instanceof UnreadableBody ? asDecodeError(error, type, info) : error;
  }
}

/** The error for an unreadable body names the expected kind. */
function asDecodeError(
  { language, why, text }: UnreadableBody,
  type: ResourceType,
  { subresource }: ResourceRequest,
): ApiError {
  const message = language === 'json' ? `couldn't get version/kind; json parse error: ${why}` : why;
  return unrecognized(message, text, type.subresources.get(subresource) ?? type);
}

/** What answers a POST to a subresource that stages play. */
function playedOf(
  { subresources }: RestContext,
  { group, kind }: ResourceType,
  { subresource, verb }: ResourceRequest,
): ((call: Call) => Promise<JsonObject>) | undefined {
  return verb === 'create' ? subresources?.get(`${group}/${kind}/${subresource}`) : undefined;
}

async function dispatch(special: SpecialHandlers, handling: RequestContext): Promise<void> {
  const { type, info, context, call, reply } = handling;
  const played = playedOf(context, type, info);
  if (played !== undefined) return sendObject(reply, 201, await played(call));
  const own = special.get(`${type.group}/${type.plural}${info.subresource === '' ? '' : `/${info.subresource}`}`);
  if (own?.[info.verb])
    return sendSpecial(handling, await own[info.verb]?.({ ...handling, body: () => bodyOf(handling) }));
  checkVerb(type, info);
  return VERBS[info.verb](handling);
}

const VERBS: Record<ResourceRequest['verb'], (handling: RequestContext) => Promise<void>> = {
  get: handleGet,
  list: handleList,
  watch: handleWatch,
  create: handleCreate,
  update: handleUpdate,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
};

/** Subresources whose answer is no object, but a stream of the client's choice. */
const CONNECTIONS = new Set(['exec', 'attach', 'portforward', 'proxy']);

function formatOf(
  type: ResourceType,
  { subresource, name, verb }: ResourceRequest,
  accept: string | undefined,
): Format {
  // Custom resources are not behind the router that compares words.
  if (type.custom) return negotiate(accept, objectForms);
  if (subresource === 'log' || CONNECTIONS.has(subresource)) {
    checkRoute(accept, subresource === 'log' ? ROUTES.log : ROUTES.connection);
    return errorFormat(accept);
  }
  const list = name === '' && (verb === 'list' || verb === 'watch') && type.verbs.includes('watch');
  checkRoute(accept, list ? ROUTES.watchableList : ROUTES.object);
  return negotiate(accept, objectForms);
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

const OPTIONS: Partial<Record<ResourceRequest['verb'], OptionsKind>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  delete: 'DeleteOptions',
  deletecollection: 'DeleteOptions',
};

function checkVerb(type: ResourceType, info: ResourceRequest): void {
  if (type.readOnly !== undefined && !type.verbs.includes(info.verb)) throw cannotWrite(type.readOnly);
  const verbs = info.subresource === '' ? type.verbs : (type.subresources.get(info.subresource)?.verbs ?? []);
  const collection = info.verb === 'create' && info.subresource === '';
  const misplaced = ['create', 'update', 'patch'].includes(info.verb) && collection !== (info.name === '');
  const everywhere = type.namespaced && info.namespace === '' && ['create', 'deletecollection'].includes(info.verb);
  if (everywhere && type.custom) throw noSuchPath();
  if (!verbs.includes(info.verb) || misplaced || everywhere) throw methodNotAllowed();
}

/** Groups of custom resources belong to another server inside the real one, which says nothing about what it lacks. */
function unknownResource(context: RestContext, { group }: ResourceRequest): Error {
  return context.types.builtin.some((type) => type.group === group) ? resourceNotFound() : noSuchPath();
}

function sendSpecial(
  { reply, call, context }: RequestContext,
  result: { code: number; object?: JsonObject; answer?: VerbResult; sent?: true } | undefined,
): void {
  if (result === undefined) throw notFound(resourceOf(call.type), call.name);
  if (result.sent === true) return;
  if (result.answer) sendResult(reply, call, context, result.code, result.answer);
  else sendObject(reply, result.code, result.object ?? {});
}

export function wantsPretty(request: IncomingMessage, query: URLSearchParams): boolean {
  const asked = query.get('pretty');
  if (asked !== null) return asked !== 'false' && asked !== '0';
  return /^(curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '');
}
