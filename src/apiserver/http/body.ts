import type { IncomingMessage } from 'node:http';
import { Fault } from '../../model/faults/index.js';
import { findDuplicateKeys, isObject, parseJson, type Json, type JsonObject } from '../../model/json/index.js';
import { quoteGo } from '../../model/go/index.js';
import { readOneYaml, type DuplicateKey } from '../../model/yaml/index.js';
import type { GroupVersionKind } from '../../model/kubernetes/index.js';
import { ApiError, badRequest } from '../errors/index.js';
import type { StrictError } from '../rest/index.js';
import { PROTOBUF, readProtobuf } from './protobuf/read-protobuf.js';

const MAX_BODY = 3 * 1024 * 1024;

/** A parsed request body, as it came, and the keys that it repeats. */
export interface Body {
  readonly value: Json;
  readonly text: string;
  readonly duplicates: readonly StrictError[];
}

/**
 * A body that is too large is still read up to here, so that its sender hears the answer; then the connection is cut.
 */
const MAX_DRAINED = 64 * 1024 * 1024;

/** Reads the bytes, at most 3 MiB by count, whatever Content-Length says. */
export function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY) chunks.push(chunk);
      else if (size > MAX_DRAINED) request.destroy();
    });
    request.on('end', () => {
      if (size > MAX_BODY)
        reject(new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY}`));
      else resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks));
    });
    request.on('error', reject);
    request.on('close', () => {
      // Comes after every body; making an error costs more than reading a small one.
      if (!request.complete) reject(badRequest('the connection was closed before the body was complete'));
    });
  });
}

export function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/**
 * Parses JSON, YAML or protobuf by content type; an empty body is undefined. `as` is what a body is that does not say.
 */
export function parseBody(bytes: Buffer, type: string, as: GroupVersionKind): Body | undefined {
  if (type === PROTOBUF && (bytes.length > 0 || as.kind !== 'DeleteOptions'))
    return { value: readProtobuf(bytes, as), text: '', duplicates: [] };
  const text = bytes.toString('utf8');
  if (text.trim() === '') return undefined;
  if (
    type === 'application/yaml' ||
    type === 'application/x-yaml' ||
    type === 'text/yaml' ||
    type === 'application/apply-patch+yaml'
  )
    return parseYaml(text);
  if (type === '' || type === 'application/json' || type.endsWith('+json')) return parseJsonBody(text);
  throw unknownFormat('application/json, application/yaml, application/vnd.kubernetes.protobuf');
}

export function unknownFormat(accepted: string): ApiError {
  return new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );
}

/** A body that is no JSON or YAML. The message depends on the expected kind of body. */
export class UnreadableBody extends Error {
  constructor(
    readonly language: 'json' | 'yaml',
    readonly why: string,
    readonly text: string,
  ) {
    super(why);
  }
}

function parseJsonBody(text: string): Body {
  try {
    return {
      value: parseJson(text),
      text,
      duplicates: findDuplicateKeys(text).map(({ path }) => ({ path, text: `duplicate field ${quoteGo(path)}` })),
    };
  } catch (error) {
    if (error instanceof Fault) throw new UnreadableBody('json', depthMessage(error.message, text), text);
    throw error;
  }
}

/** Go names the bracket that went too far. */
function depthMessage(message: string, text: string): string {
  return message.startsWith('exceeded max depth')
    ? `invalid character '${text.includes('[[[') ? '[' : '{'}' ${message}`
    : message;
}

function parseYaml(text: string): Body {
  const duplicates: StrictError[] = [];
  try {
    const value = readOneYaml(text, {
      dialect: 'kubernetes',
      duplicates: 'last',
      onDuplicate: (found) => duplicates.push(duplicateKeyError(found)),
    });
    return { value, text, duplicates };
  } catch (error) {
    if (error instanceof Fault) throw new UnreadableBody('yaml', yamlMessage(error), text);
    throw error;
  }
}

function duplicateKeyError({ path, key, valueLine }: DuplicateKey): StrictError {
  const text = `line ${valueLine}: key ${quoteGo(key)} already set in map`;
  return { path, text, errorText: `yaml: unmarshal errors:\n  ${text}` };
}

/** Messages that the Go library gives without a line. */
const NO_LINE = new RegExp(
  '^(document contains excessive aliasing|mapping values are not allowed|' +
    'found character that cannot start|unknown anchor)',
);

/** As the Go library says it: with the line, except where the whole document is at fault. */
function yamlMessage({ message, where }: Fault): string {
  const line = where.split(':')[0] ?? '';
  return NO_LINE.test(message) ? `yaml: ${message.split(':')[0] ?? ''}` : `yaml: line ${line}: ${message}`;
}

/** The body as an object, or the error that the real server gives for a list, a string or nothing. */
export function objectBody(body: Body | undefined, what: string): JsonObject {
  if (body === undefined)
    throw badRequest(`the object provided is unrecognized (must be of type ${what}): Object 'Kind' is missing in ''`);
  if (!isObject(body.value))
    throw badRequest(
      `the object provided is unrecognized (must be of type ${what}): couldn't get version/kind; json parse ` +
        `error: json: cannot unmarshal ${jsonKind(body.value)} into Go value of type struct { APIVersion ` +
        'string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    );
  return body.value;
}

function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
