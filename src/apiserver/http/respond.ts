import type { ServerResponse } from 'node:http';
import { Fault } from '../../model/faults/index.js';
import { parseJson, writeJson, type JsonObject } from '../../model/json/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { ApiError, internalError } from '../errors/index.js';
import type { Format } from './negotiate.js';
import { prettyJson } from './pretty-json.js';

/** Everything an answer needs to know of its request. */
export interface Reply {
  readonly response: ServerResponse;
  readonly format: Format;
  readonly pretty: boolean;
  readonly warnings: readonly string[];
}

/** Sends JSON text that is ready, or the YAML of it where the client asked for that. */
export function sendText(reply: Reply, code: number, text: string): void {
  const body = bodyText(reply, text);
  setHead(reply, code);
  reply.response.end(body);
}

function bodyText({ format, pretty }: Reply, text: string): string {
  if (format.encoding === 'yaml') return writeYaml(parseJson(text));
  return pretty ? prettyJson(text) : `${text}\n`;
}

const PIECE = 256 * 1024;

/** The same for JSON text in pieces. A long one is sent as fast as its reader takes it, and never held as a whole. */
export async function sendPieces(reply: Reply, code: number, pieces: Iterable<string>): Promise<void> {
  const { response } = reply;
  if (reply.format.encoding === 'yaml' || reply.pretty) return sendText(reply, code, [...pieces].join(''));
  setHead(reply, code);
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE) continue;
    if (!response.write(text)) await drained(response);
    if (response.destroyed) return;
    text = '';
  }
  response.end(`${text}\n`);
}

/** Resolves when the response takes more, or never will. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function setHead({ response, format, warnings }: Reply, code: number): void {
  response.statusCode = code;
  response.setHeader('content-type', format.encoding === 'yaml' ? 'application/yaml' : 'application/json');
  response.setHeader('cache-control', 'no-cache, private');
  setWarnings(response, warnings);
}

export function sendObject(reply: Reply, code: number, value: JsonObject): void {
  sendText(reply, code, writeJson(value));
}

/** Every failure becomes a Status; an unexpected one goes to the log, and the client gets no details of it. */
export function sendError(reply: Omit<Reply, 'warnings'>, error: unknown, onSurprise: (error: unknown) => void): void {
  const { response } = reply;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const known = error instanceof ApiError ? error : fromFault(error);
  if (known.code === 500 && !(error instanceof ApiError)) onSurprise(error);
  const retry = known.details?.['retryAfterSeconds'];
  if (typeof retry === 'number') response.setHeader('retry-after', String(retry));
  sendObject({ ...reply, warnings: [] }, known.code, known.toStatus());
}

function fromFault(error: unknown): ApiError {
  if (error instanceof Fault && error.code === 'STORE_WRITE')
    return new ApiError(503, 'ServiceUnavailable', `${error.message}: ${error.hint}`, { retryAfterSeconds: 1 });
  if (error instanceof Fault) return internalError(error.message);
  return internalError('unexpected failure; the server log has the details');
}

export function setWarnings(response: ServerResponse, warnings: readonly string[]): void {
  if (warnings.length > 0) response.setHeader('warning', withinLimit([...new Set(warnings)]).map(warningHeader));
}

const MAX_CHARACTERS = 4 * 1024;
const MAX_CHARACTERS_OF_ONE = 256;

/** As the real server: with more than 4,096 characters in all, each is cut, and further ones are left out. */
function withinLimit(warnings: readonly string[]): readonly string[] {
  const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);
  if (lengthOf(warnings) <= MAX_CHARACTERS) return warnings;
  const kept: string[] = [];
  for (const text of warnings) {
    if (lengthOf(kept) >= MAX_CHARACTERS) break;
    kept.push(text.slice(0, MAX_CHARACTERS_OF_ONE));
  }
  return kept;
}

/** RFC 7234 warning with code 299; quotes and control characters would break the header. */
function warningHeader(text: string): string {
  const safe = text.replace(/[\u0000-\u001f\u007f]/g, ' ').replace(/["\\]/g, '\\$&');
  return `299 - "${[...safe].map((char) => ((char.codePointAt(0) ?? 0) < 256 ? char : '?')).join('')}"`;
}
