import type { JsonObject } from '../../model/json/index.js';
import { ApiError, badRequest } from '../errors/index.js';
import {
  fromStored,
  internalName,
  checkWatchOptions,
  get,
  list,
  readExactRevision,
  type ListOptions,
  type ListResult,
  readSelection,
  watch,
} from '../rest/index.js';
import type { ResourceType } from '../resources/index.js';
import { sendResult, type RequestContext } from './request-context.js';
import { notAcceptable } from './negotiate.js';
import { listMetadata, listText } from './object-text.js';
import { isTrue, type ResourceRequest } from './request-info.js';
import { sendObject, sendPieces } from './respond.js';
import { sendScale } from './send-scale.js';
import { partialMetadata, tableOf, type IncludeObject } from './table.js';
import { WatchStream, type StreamOptions } from './watch-stream.js';

export async function handleGet({ context, type, call, query, reply }: RequestContext): Promise<void> {
  const stored = await get(context, type, call.namespace, call.name, query.get('resourceVersion') ?? '');
  if (call.subresource === 'scale') return sendScale(reply, context, type, fromStored(type, stored));
  return sendResult(reply, call, context, 200, { object: stored.object, stored });
}

export async function handleList({ context, type, query, reply, info }: RequestContext): Promise<void> {
  const selection = readSelection(type, query);
  const result = await list(context, type, info.namespace, selection, listOptions(query));
  if (reply.format.as === 'Table') {
    const objects = result.items.map((stored) => fromStored(type, stored));
    return sendObject(reply, 200, tableOf(type, objects, listMetadata(result), includeOf(query), context.clock.now()));
  }
  if (reply.format.as === 'PartialObjectMetadata')
    throw new ApiError(
      406,
      'NotAcceptable',
      `you requested PartialObjectMetadata, but the requested object is a list (*${internalName(type)}List)`,
    );
  if (reply.format.as === 'PartialObjectMetadataList') return sendObject(reply, 200, metadataList(type, result));
  return sendPieces(reply, 200, listText(type, result));
}

function metadataList(type: ResourceType, result: ListResult): JsonObject {
  const items = result.items.map((stored) => partialMetadata(fromStored(type, stored)));
  return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: listMetadata(result), items };
}

export function listOptions(query: URLSearchParams): ListOptions {
  readInteger(query.get('timeoutSeconds') ?? '0');
  return {
    limit: readInteger(query.get('limit') ?? '0'),
    continueToken: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    sendInitialEvents: isTrue(query.get('sendInitialEvents')),
  };
}

export function handleWatch({ context, type, info, query, reply, response }: RequestContext): Promise<void> {
  if (reply.format.encoding === 'yaml')
    throw notAcceptable('application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch');
  const version = query.get('resourceVersion') ?? '';
  checkWatchOptions(query.get('resourceVersionMatch') ?? '', query.get('sendInitialEvents'));
  const selection = readSelection(type, nameSelected(info, query));
  const seconds = readInteger(query.get('timeoutSeconds') ?? '0');
  const form = formOf(reply.format.as);
  const timeout = seconds > 0 ? seconds * 1000 : 1_800_000 + Math.floor(Math.random() * 1_800_000);
  const options = {
    form,
    include: includeOf(query),
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeout,
  } as const;
  const from = readExactRevision(version);
  const stream = new WatchStream(response, type, options, context.clock, () => context.store.revision);
  const sendInitialEvents = isTrue(query.get('sendInitialEvents'));
  const watching = watch(
    context,
    type,
    info.namespace,
    selection,
    { from, sendInitialEvents, markInitialEnd: options.bookmarks && version === '' },
    (event) => stream.send(event),
  );
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
  narrowed.set(
    'fieldSelector',
    [query.get('fieldSelector') ?? '', `metadata.name=${info.name}`].filter((part) => part !== '').join(','),
  );
  return narrowed;
}

function readInteger(text: string): number {
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function includeOf(query: URLSearchParams): IncludeObject {
  const text = query.get('includeObject') ?? '';
  if (text === '' || text === 'Metadata') return 'Metadata';
  if (text === 'None' || text === 'Object') return text;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must ` +
      `be 'Metadata', 'Object', 'None', or empty`,
  );
}

function formOf(as: string): StreamOptions['form'] {
  if (as === 'Table') return 'Table';
  return as.startsWith('PartialObjectMetadata') ? 'PartialObjectMetadata' : 'object';
}
