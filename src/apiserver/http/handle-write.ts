import { isObject, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError, badRequest, notFound } from '../errors/index.js';
import {
  fromStored,
  keyFor,
  resourceOf,
  create,
  decodeObject,
  readDeleteOptions,
  remove,
  patch,
  type PatchKind,
  list,
  writeScale,
  readSelection,
  applyByServer,
  update,
} from '../rest/index.js';
import type { ResourceType } from '../resources/index.js';
import { checkBodyKind, unrecognized } from '../schema/index.js';
import { UnreadableBody, mediaType, objectBody, type Body } from './body.js';
import { listOptions } from './handle-read.js';
import { bodyOf, sendResult, type RequestContext } from './request-context.js';
import { listText } from './object-text.js';
import { sendObject, sendPieces } from './respond.js';
import { sendScale } from './send-scale.js';

export async function handleCreate(handling: RequestContext): Promise<void> {
  const { context, call, reply } = handling;
  return sendResult(reply, call, context, 201, await create(context, call, await decodedBody(handling)));
}

export async function handleUpdate(handling: RequestContext): Promise<void> {
  const { context, call, reply, type } = handling;
  if (call.subresource === 'scale') {
    const scale = objectBody(await bodyOf(handling), 'Scale');
    return sendScale(reply, context, type, (await writeScale(context, call, () => scale)).object);
  }
  const answer = await update(context, call, await decodedBody(handling));
  return sendResult(reply, call, context, answer.created === true ? 201 : 200, answer);
}

const PATCH_KINDS: Readonly<Record<string, PatchKind>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

export async function handlePatch(handling: RequestContext): Promise<void> {
  const { context, call, options, reply, request, type } = handling;
  const media = mediaType(request);
  const validation = options.fieldValidation;
  const kind = PATCH_KINDS[media];
  const apply = media === 'application/apply-patch+yaml';
  if ((kind === undefined && !apply) || (kind === 'strategic' && type.custom)) throw unsupportedPatch(type);
  const body = await bodyOf(handling).catch((error: unknown) => {
    // Only an apply may create, so other patches of a missing object are 404.
    if (!(error instanceof UnreadableBody)) throw error;
    if (!apply && !context.store.head(keyFor(type, call.namespace, call.name)))
      throw notFound(resourceOf(type), call.name);
    throw badRequest(unreadablePatch(error.why, kind));
  });
  const answer = apply
    ? await applyByServer(context, call, {
        body: configuration(body),
        duplicates: body?.duplicates ?? [],
        validation,
        force: options.force,
        manager: options.fieldManager,
      })
    : await patch(context, call, {
        kind: kind ?? 'merge',
        body: body?.value ?? null,
        duplicates: body?.duplicates ?? [],
        validation,
      });
  if (call.subresource === 'scale') return sendScale(reply, context, type, answer.object);
  return sendResult(reply, call, context, answer.created === true ? 201 : 200, answer);
}

function configuration(body: Body | undefined): JsonObject {
  if (body !== undefined && isObject(body.value)) return body.value;
  const found = Array.isArray(body?.value) ? 'array' : typeof body?.value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} ` +
      'into Go value of type map[string]interface {}',
  );
}

function unreadablePatch(why: string, kind: PatchKind | undefined): string {
  if (kind === undefined) return `error decoding YAML: error converting YAML to JSON: ${why}`;
  return kind === 'strategic' ? why : `error decoding patch: ${why}`;
}

function unsupportedPatch(type: ResourceType): ApiError {
  if (!type.custom) return new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  return new ApiError(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: ' +
      'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  );
}

export async function handleDelete(handling: RequestContext): Promise<void> {
  const { context, call, reply, query, type } = handling;
  const options = readDeleteOptions(await deleteBody(handling), query);
  const removed = await remove(context, { ...call, dryRun: options.dryRun }, options);
  if (!removed.gone || type.strategy.returnsDeleted === true) return sendResult(reply, call, context, 200, removed);
  const details = {
    name: call.name,
    ...(type.group === '' ? {} : { group: type.group }),
    kind: type.plural,
    uid: removed.object.metadata.uid ?? '',
  };
  return sendObject(reply, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
}

export async function handleDeleteCollection(handling: RequestContext): Promise<void> {
  const { context, call, reply, query, type } = handling;
  const options = readDeleteOptions(await deleteBody(handling), query);
  const found = await list(context, type, call.namespace, readSelection(type, query), listOptions(query));
  const objects = found.items.map((stored) => fromStored(type, stored));
  for (const object of objects) {
    const each = {
      ...call,
      name: object.metadata.name ?? '',
      namespace: object.metadata.namespace ?? '',
      dryRun: options.dryRun,
    };
    await remove(context, each, options).catch(ignoreMissing);
  }
  return sendPieces(reply, 200, listText(type, found));
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 404)) throw error;
}

/** DeleteOptions; a body that cannot be read is answered as the real server does, as its own failure. */
async function deleteBody(handling: RequestContext): Promise<KubeObject | undefined> {
  const body = await bodyOf(handling).catch((error: unknown) => {
    if (!(error instanceof UnreadableBody)) throw error;
    throw new ApiError(500, '', `couldn't get version/kind; json parse error: ${error.why}`);
  });
  if (body === undefined || !isObject(body.value)) return undefined;
  const { kind, apiVersion } = body.value;
  if (kind !== undefined && kind !== 'DeleteOptions') {
    throw new ApiError(
      500,
      '',
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion ?? '')} in ` +
        'scheme "pkg/runtime/scheme.go:110"',
    );
  }
  return body.value as KubeObject;
}

async function decodedBody(handling: RequestContext): Promise<KubeObject> {
  const body = await bodyOf(handling);
  if (body === undefined)
    throw unrecognized("couldn't get version/kind; json parse error: unexpected end of JSON input", '', handling.type);
  checkBodyKind(body.value, body.text, handling.type);
  // JSON null is an object with nothing in it.
  const value = body.value === null ? {} : objectBody(body, handling.type.kind);
  return decodeObject(handling.call, value, body.duplicates, handling.options.fieldValidation);
}
