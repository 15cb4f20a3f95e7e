import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject, writeJson, type JsonObject, type KubeObject } from '../../model/index.js';
import { ApiError, badRequest, notFound } from '../api-error.js';
import type { User } from '../access/user.js';
import { fromStored, resourceOf, type Answer, type Call, type RestContext } from '../rest/context.js';
import { create } from '../rest/create.js';
import { decodeObject, readFieldValidation } from '../rest/decode.js';
import { readDeleteOptions, remove } from '../rest/delete.js';
import { get, list, readRevision, type ListOptions, type ListResult } from '../rest/read.js';
import { patch, type PatchKind } from '../rest/patch.js';
import { applyByServer } from '../rest/server-side-apply.js';
import { scaleOf, withScale } from '../rest/scale.js';
import { readSelection } from '../rest/selection.js';
import { update } from '../rest/update.js';
import { watch } from '../rest/watch.js';
import type { ResourceType } from '../resources/resource-type.js';
import { mediaType, objectBody, parseBody, readBytes, type Body } from './body.js';
import { negotiate, objectForms } from './negotiate.js';
import { listMetadata, listText, objectText } from './object-text.js';
import { isTrue, type ResourceRequest } from './request-info.js';
import { sendObject, sendText, type Reply } from './respond.js';
import { partialMetadata, tableOf, type IncludeObject } from './table.js';
import { WatchStream } from './watch-stream.js';
import type { SpecialHandlers } from './special.js';

/** One HTTP request for a resource, authenticated and authorised. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: ResourceRequest;
  readonly query: URLSearchParams;
  readonly user: User;
}

interface Handling extends Exchange {
  readonly context: RestContext;
  readonly type: ResourceType;
  readonly call: Call;
  readonly reply: Reply;
}

/** Answers a request for a resource that the catalogue serves. */
export async function handleResource(context: RestContext, special: SpecialHandlers, exchange: Exchange): Promise<void> {
  const { info, query, request, response } = exchange;
  const type = context.types.find(info.group, info.version, info.plural);
  if (!type || (info.subresource !== '' && !type.subresources.has(info.subresource))) throw pageNotFound();
  if (info.namespace !== '' && !type.namespaced && info.plural !== 'namespaces') throw pageNotFound();
  const warnings: string[] = [];
  const format = negotiate(request.headers.accept, objectForms);
  const reply = { response, format, pretty: wantsPretty(request, query), warnings };
  const call: Call = {
    type, namespace: type.namespaced ? info.namespace : '', name: info.name, subresource: info.subresource, user: exchange.user,
    dryRun: readDryRun(query), fieldManager: query.get('fieldManager') ?? defaultManager(request), warn: (message) => warnings.push(message),
  };
  const handling = { ...exchange, context, type, call, reply };
  const own = special.get(`${type.group}/${type.plural}${info.subresource === '' ? '' : `/${info.subresource}`}`);
  if (own?.[info.verb]) return sendSpecial(handling, await own[info.verb]?.({ ...handling, body: () => bodyOf(handling) }));
  checkVerb(type, info);
  return VERBS[info.verb](handling);
}

const VERBS: Record<ResourceRequest['verb'], (handling: Handling) => Promise<void>> = {
  get: handleGet, list: handleList, watch: handleWatch, create: handleCreate, update: handleUpdate, patch: handlePatch, delete: handleDelete, deletecollection: handleDeleteCollection,
};

function checkVerb(type: ResourceType, info: ResourceRequest): void {
  const verbs = info.subresource === '' ? type.verbs : (type.subresources.get(info.subresource)?.verbs ?? []);
  if (!verbs.includes(info.verb)) throw new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  if (type.namespaced && info.namespace === '' && ['create', 'deletecollection'].includes(info.verb)) {
    throw new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  }
}

export function pageNotFound(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

async function handleGet({ context, type, call, query, reply }: Handling): Promise<void> {
  const stored = await get(context, type, call.namespace, call.name, query.get('resourceVersion') ?? '');
  if (call.subresource === 'scale') return sendObject(reply, 200, scaleOf(type, fromStored(type, stored)));
  return sendAnswer(reply, call, context, 200, { object: stored.object, stored });
}

async function handleList({ context, type, call, query, reply, info }: Handling): Promise<void> {
  const selection = readSelection(type, query);
  const result = await list(context, type, info.namespace, selection, listOptions(query));
  if (reply.format.as === 'Table') {
    const objects = result.items.map((stored) => fromStored(type, stored));
    return sendObject(reply, 200, tableOf(type, objects, listMetadata(result), includeOf(query), context.clock.now()));
  }
  if (reply.format.as === 'PartialObjectMetadataList' || reply.format.as === 'PartialObjectMetadata') return sendObject(reply, 200, metadataList(type, result));
  call.dryRun satisfies boolean;
  return sendText(reply, 200, listText(type, result));
}

function metadataList(type: ResourceType, result: ListResult): JsonObject {
  const items = result.items.map((stored) => partialMetadata(fromStored(type, stored)));
  return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: listMetadata(result), items };
}

function listOptions(query: URLSearchParams): ListOptions {
  const limit = query.get('limit') ?? '0';
  if (!/^-?\d+$/.test(limit)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(limit)}: invalid syntax`);
  return {
    limit: Number(limit), continueToken: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '', resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
  };
}

function handleWatch({ context, type, info, query, reply, response }: Handling): Promise<void> {
  const selection = readSelection(type, nameSelected(info, query));
  const seconds = Number(query.get('timeoutSeconds') ?? 0);
  const form = reply.format.as === 'Table' ? 'Table' : reply.format.as.startsWith('PartialObjectMetadata') ? 'PartialObjectMetadata' : 'object';
  const timeout = seconds > 0 ? seconds * 1000 : 1_800_000 + Math.floor(Math.random() * 1_800_000);
  const options = { form, include: includeOf(query), bookmarks: isTrue(query.get('allowWatchBookmarks')), timeout } as const;
  const from = readRevision(query.get('resourceVersion') ?? '');
  const stream = new WatchStream(response, type, options, context.clock, () => context.store.revision);
  const sendInitialEvents = isTrue(query.get('sendInitialEvents'));
  const watching = watch(context, type, info.namespace, selection, { from, sendInitialEvents }, (event) => stream.send(event));
  response.on('close', () => {
    watching.close();
    stream.end();
  });
  return Promise.resolve();
}

/** A watch of one named object is a watch of the resource with a selector on its name. */
function nameSelected(info: ResourceRequest, query: URLSearchParams): URLSearchParams {
  if (info.name === '') return query;
  const narrowed = new URLSearchParams(query);
  narrowed.set('fieldSelector', [query.get('fieldSelector') ?? '', `metadata.name=${info.name}`].filter((part) => part !== '').join(','));
  return narrowed;
}

async function handleCreate(handling: Handling): Promise<void> {
  const { context, call, reply } = handling;
  return sendAnswer(reply, call, context, 201, await create(context, call, await decodedBody(handling)));
}

async function handleUpdate(handling: Handling): Promise<void> {
  const { context, call, reply, type } = handling;
  if (call.subresource === 'scale') {
    const live = fromStored(type, await get(context, type, call.namespace, call.name));
    const scale = objectBody(await bodyOf(handling), 'Scale');
    if (!isObject(scale.metadata)) scale.metadata = {};
    const answer = await update(context, call, withScale(type, live, scale as KubeObject));
    return sendObject(reply, 200, scaleOf(type, answer.object));
  }
  const answer = await update(context, call, await decodedBody(handling));
  return sendAnswer(reply, call, context, answer.created === true ? 201 : 200, answer);
}

const PATCH_KINDS: Readonly<Record<string, PatchKind>> = {
  'application/json-patch+json': 'json', 'application/merge-patch+json': 'merge', 'application/strategic-merge-patch+json': 'strategic',
};

async function handlePatch(handling: Handling): Promise<void> {
  const { context, call, reply, query, request, type } = handling;
  const media = mediaType(request);
  const validation = readFieldValidation(query.get('fieldValidation'));
  const kind = PATCH_KINDS[media];
  const apply = media === 'application/apply-patch+yaml';
  if ((kind === undefined && !apply) || (kind === 'strategic' && type.custom)) throw unsupportedPatch(type);
  const body = await bodyOf(handling);
  const answer = apply
    ? await applyByServer(context, call, { body: objectBody(body, type.kind), duplicates: body?.duplicates ?? [], validation, force: isTrue(query.get('force')), manager: query.get('fieldManager') ?? '' })
    : await patch(context, call, { kind: kind ?? 'merge', body: body?.value ?? null, duplicates: body?.duplicates ?? [], validation });
  if (call.subresource === 'scale') return sendObject(reply, 200, scaleOf(type, answer.object));
  return sendAnswer(reply, call, context, answer.created === true ? 201 : 200, answer);
}

function unsupportedPatch(type: ResourceType): ApiError {
  const strategic = type.custom ? '' : ', application/strategic-merge-patch+json';
  return new ApiError(415, 'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json${strategic}, application/apply-patch+yaml, application/apply-patch+cbor`, {});
}

async function handleDelete(handling: Handling): Promise<void> {
  const { context, call, reply, query, type } = handling;
  const options = readDeleteOptions(deleteBody(await bodyOf(handling)), query);
  const removed = await remove(context, { ...call, dryRun: options.dryRun }, options);
  if (!removed.gone || type.strategy.returnsDeleted === true) return sendAnswer(reply, call, context, 200, removed);
  const details = { name: call.name, ...(type.group === '' ? {} : { group: type.group }), kind: type.plural, uid: removed.object.metadata.uid ?? '' };
  return sendObject(reply, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
}

async function handleDeleteCollection(handling: Handling): Promise<void> {
  const { context, call, reply, query, type } = handling;
  const options = readDeleteOptions(deleteBody(await bodyOf(handling)), query);
  const found = await list(context, type, call.namespace, readSelection(type, query), listOptions(query));
  const objects = found.items.map((stored) => fromStored(type, stored));
  for (const object of objects) {
    const each = { ...call, name: object.metadata.name ?? '', namespace: object.metadata.namespace ?? '', dryRun: options.dryRun };
    await remove(context, each, options).catch(ignoreMissing);
  }
  return sendText(reply, 200, listText(type, found));
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 404)) throw error;
}

function deleteBody(body: Body | undefined): KubeObject | undefined {
  return body === undefined || !isObject(body.value) ? undefined : (body.value as KubeObject);
}

async function bodyOf({ request }: Pick<Handling, 'request'>): Promise<Body | undefined> {
  return parseBody(await readBytes(request), mediaType(request));
}

async function decodedBody(handling: Handling): Promise<KubeObject> {
  const body = await bodyOf(handling);
  const value = objectBody(body, handling.type.kind);
  return decodeObject(handling.call, value, body?.duplicates ?? [], readFieldValidation(handling.query.get('fieldValidation')));
}

function sendAnswer(reply: Reply, call: Call, context: RestContext, code: number, answer: Answer): void {
  const { type } = call;
  const object = (): KubeObject => (answer.stored ? fromStored(type, answer.stored) : answer.object);
  if (reply.format.as === 'Table') {
    const found = object();
    const table = tableOf(type, [found], { resourceVersion: found.metadata.resourceVersion ?? '' }, 'Metadata', context.clock.now());
    return sendObject(reply, code, table);
  }
  if (reply.format.as !== '') return sendObject(reply, code, partialMetadata(object()));
  sendText(reply, code, answer.stored ? objectText(type, answer.stored) : writeJson(answer.object));
}

function sendSpecial({ reply, call, context }: Handling, result: { code: number; object?: JsonObject; answer?: Answer; sent?: true } | undefined): void {
  if (result === undefined) throw notFound(resourceOf(call.type), call.name);
  if (result.sent === true) return;
  if (result.answer) sendAnswer(reply, call, context, result.code, result.answer);
  else sendObject(reply, result.code, result.object ?? {});
}

function includeOf(query: URLSearchParams): IncludeObject {
  const text = query.get('includeObject') ?? '';
  if (text === '' || text === 'Metadata') return 'Metadata';
  if (text === 'None' || text === 'Object') return text;
  throw badRequest(`unrecognized includeObject value: ${JSON.stringify(text)}`);
}

function readDryRun(query: URLSearchParams): boolean {
  const values = query.getAll('dryRun').filter((value) => value !== '');
  for (const value of values) {
    if (value !== 'All') throw badRequest(`dryRun: Unsupported value: ${JSON.stringify(value)}: supported values: "All"`);
  }
  return values.length > 0;
}

/** The user agent up to its slash, as the real server names a manager that gave no name. */
function defaultManager(request: IncomingMessage): string {
  return (request.headers['user-agent'] ?? 'unknown').split('/')[0] ?? 'unknown';
}

function wantsPretty(request: IncomingMessage, query: URLSearchParams): boolean {
  const asked = query.get('pretty');
  if (asked !== null) return asked !== 'false' && asked !== '0';
  return /^(curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '');
}
