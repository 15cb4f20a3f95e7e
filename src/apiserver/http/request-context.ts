import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeJson } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError } from '../errors/index.js';
import type { User } from '../access/index.js';
import {
  internalName,
  fromStored,
  type VerbResult,
  type Call,
  type RestContext,
  type WriteOptions,
} from '../rest/index.js';
import type { ResourceType } from '../resources/index.js';
import { mediaType, parseBody, readBytes, unknownFormat, type Body } from './body.js';
import { objectText } from './object-text.js';
import { PROTOBUF } from './protobuf/read-protobuf.js';
import type { ResourceRequest } from './request-info.js';
import { sendObject, sendText, type Reply } from './respond.js';
import { partialMetadata, tableOf } from './table.js';
import type { Upgrade } from '../../net/web-socket/index.js';

/** One HTTP request for a resource, authenticated and authorised. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: ResourceRequest;
  readonly query: URLSearchParams;
  readonly user: User;
  /** Of a client that asks for another protocol. */
  readonly upgrade?: Upgrade | undefined;
}

/** The same, with what the catalogue and the headers say of it. */
export interface RequestContext extends Exchange {
  readonly context: RestContext;
  readonly type: ResourceType;
  readonly call: Call;
  readonly options: WriteOptions;
  readonly reply: Reply;
}

export async function bodyOf({
  request,
  type,
  info,
}: Pick<RequestContext, 'request' | 'type' | 'info'>): Promise<Body | undefined> {
  const media = mediaType(request);
  const deletes = info.verb === 'delete' || info.verb === 'deletecollection';
  const { group, version, kind } = type.subresources.get(info.subresource) ?? type;
  // Protobuf has no form for them; the real server breaks off the connection.
  if (media === PROTOBUF && type.custom && !deletes && group === type.group)
    throw unknownFormat('application/json, application/yaml');
  return parseBody(await readBytes(request), media, { group, version, kind: deletes ? 'DeleteOptions' : kind });
}

/** Sends one object in the form that the client asked for. */
export function sendResult(reply: Reply, call: Call, context: RestContext, code: number, answer: VerbResult): void {
  const { type } = call;
  const object = (): KubeObject => (answer.stored ? fromStored(type, answer.stored) : answer.object);
  if (reply.format.as === 'Table') {
    const found = object();
    const table = tableOf(
      type,
      [found],
      { resourceVersion: found.metadata.resourceVersion ?? '' },
      'Metadata',
      context.clock.now(),
    );
    return sendObject(reply, code, table);
  }
  if (reply.format.as === 'PartialObjectMetadataList')
    throw new ApiError(
      406,
      'NotAcceptable',
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${internalName(type)})`,
    );
  if (reply.format.as !== '') return sendObject(reply, code, partialMetadata(object()));
  sendText(reply, code, answer.stored ? objectText(type, answer.stored) : writeJson(answer.object));
}
