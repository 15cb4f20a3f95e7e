import { Agent, request as httpRequest } from 'node:http';
import { connect, constants, type ClientHttp2Session } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { messageType, serviceRows, type MethodRow, type WireShape } from '../../src/api/rpc/table.js';
import { writeMessage } from '../../src/api/rpc/write-message.js';
import { put, type Json, type JsonObject } from '../../src/model/json/index.js';
import { frameOf } from '../harness/rpc-client.js';
import type { ApiLab } from './api-lab.js';
import type { Chance } from './chance.js';
import { ODD } from './mutations.js';

/** What one call was, and why its end is not one that a client may get. */
export interface BadCall {
  readonly call: string;
  readonly why: string;
}

export interface MutatedCall {
  readonly transport: 'gRPC-Web' | 'gRPC';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Of HTTP, after the body. */
  readonly trailers: Readonly<Record<string, string>>;
  /** The client goes away after so many bytes. */
  readonly cut: number | undefined;
}

/** How a call ended: a code of gRPC, a status of HTTP, or nothing because the client left. */
interface CallEnd {
  readonly code: number | undefined;
  readonly status: number;
  readonly text: string;
}

const MAX_WAIT = 30_000;
const AT_ONCE = 8;
/** They end the session that everything else is called with. */
const LEFT_OUT = ['/session.SessionService/Delete', '/account.AccountService/UpdatePassword'];
const METHODS = Object.entries(serviceRows()).flatMap(([service, methods]) =>
  Object.entries(methods)
    .map(([name, row]) => ({ path: `/${service}/${name}`, row }))
    .filter(({ path }) => !LEFT_OUT.includes(path)),
);
const BOMB = gzipSync(Buffer.alloc(24 * 1024 * 1024));
const LARGE = Buffer.alloc(5 * 1024 * 1024);

export function makeCall(chance: Chance): MutatedCall {
  const { path, row } = chance.pick(METHODS);
  const named = chance.under(0.02)
    ? chance.pick([`${path}X`, '/a.BService/C', '/version.VersionService/', path.toLowerCase()])
    : path;
  const { body, encoding } = bodyOf(row, chance);
  const transport = chance.under(0.5) ? 'gRPC-Web' : 'gRPC';
  return {
    transport,
    path: named,
    body,
    headers: {
      'content-type': typeOf(transport, chance),
      ...(encoding === '' ? {} : { 'grpc-encoding': encoding }),
      // What streams would go on for ever.
      'grpc-timeout': row.serverStreams === true || chance.under(0.8) ? '30m' : chance.pick(ODD_TIMEOUTS),
      ...(chance.under(0.05)
        ? { 'grpc-accept-encoding': chance.pick(['snappy', 'gzip,gzip', ',,,', 'x'.repeat(900)]) }
        : {}),
      ...(chance.under(0.05) ? { 'x-odd-bin': chance.pick(['!!!', 'AAAA', '='.repeat(50)]) } : {}),
    },
    trailers: chance.under(0.05)
      ? { 'grpc-status': chance.pick(['0', 'x', '-1']), 'x-end': 'y'.repeat(chance.below(900)) }
      : {},
    cut: chance.under(0.02) ? chance.below(body.length + 1) : undefined,
  };
}

const ODD_TIMEOUTS = ['', '1', '0n', '99999999H', '-1S', '1.5S', '999999999S', 'S', '1S1S', 'x'.repeat(300)];

function typeOf(transport: MutatedCall['transport'], chance: Chance): string {
  const plain = transport === 'gRPC' ? 'application/grpc' : 'application/grpc-web';
  if (chance.under(0.9)) return chance.under(0.5) ? plain : `${plain}+proto`;
  return chance.pick([`${plain}+json`, `${plain}-text`, `${plain}; charset=utf-8`, `${plain}+proto;;;`, 'text/plain']);
}

/** Frames by chance: well made ones, and what is wrong in one of many ways. */
function bodyOf(row: MethodRow, chance: Chance): { readonly body: Buffer; readonly encoding: string } {
  const message = messageBytes(row, chance);
  if (chance.under(0.4)) return { body: frameOf(message), encoding: '' };
  switch (chance.below(10)) {
    case 0:
      return {
        body: withLength(frameOf(message), chance.pick([0, 1, message.length + 1, 0x7fffffff, 0xffffffff])),
        encoding: '',
      };
    case 1:
      return { body: frameOf(message, chance.pick([1, 2, 0x7f, 0x80, 0x81, 0xff])), encoding: '' };
    case 2:
      return {
        body: frameOf(gzipSync(message), 1),
        encoding: chance.pick(['gzip', 'gzip', '', 'identity', 'snappy', 'x'.repeat(200)]),
      };
    case 3:
      return { body: frameOf(mutated(gzipSync(message), chance), 1), encoding: 'gzip' };
    case 4:
      return { body: Buffer.concat(Array.from({ length: chance.below(5) }, () => frameOf(message))), encoding: '' };
    case 5:
      return { body: frameOf(message).subarray(0, chance.below(message.length + 5)), encoding: '' };
    case 6:
      return { body: mutated(frameOf(message), chance), encoding: '' };
    case 7:
      return { body: Buffer.concat([frameOf(message), noise(chance, 40)]), encoding: '' };
    case 8:
      return chance.under(0.02) ? tooMuch(chance) : { body: noise(chance, 300), encoding: chance.pick(['', 'gzip']) };
    default:
      return {
        body: Buffer.concat([frameOf(message), frameOf(Buffer.from('grpc-status: 0\r\n'), 0x80)]),
        encoding: '',
      };
  }
}

function tooMuch(chance: Chance): { readonly body: Buffer; readonly encoding: string } {
  return chance.under(0.5) ? { body: frameOf(BOMB, 1), encoding: 'gzip' } : { body: frameOf(LARGE), encoding: '' };
}

function withLength(frame: Buffer, length: number): Buffer {
  const copy = Buffer.from(frame);
  copy.writeUInt32BE(length, 1);
  return copy;
}

/** A message of the type, with values by chance; or bytes that are none. */
function messageBytes(row: MethodRow, chance: Chance): Buffer {
  if (chance.under(0.1)) return noise(chance, 200);
  if (chance.under(0.03)) return nested(chance.below(3000));
  const bytes = writeMessage(valueOf(row.in, chance, 0), row.in);
  return chance.under(0.4) ? mutated(bytes, chance) : bytes;
}

/** Field 1 in field 1 in field 1. */
function nested(depth: number): Buffer {
  let bytes = Buffer.alloc(0);
  for (let level = 0; level < depth && bytes.length < 20_000; level++) {
    const length: number[] = [];
    for (let left = bytes.length; ; left >>= 7) {
      length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
      if (left <= 0x7f) break;
    }
    bytes = Buffer.concat([Buffer.from([0x0a, ...length]), bytes]);
  }
  return bytes;
}

function valueOf(type: string, chance: Chance, depth: number): JsonObject {
  const value: JsonObject = {};
  for (const { name, shape } of messageType(type).fields)
    if (name !== '' && depth < 4 && chance.under(depth === 0 ? 0.6 : 0.25)) {
      const field = fieldOf(shape, chance, depth);
      if (field !== undefined) put(value, name, field);
    }
  return value;
}

function fieldOf(shape: WireShape, chance: Chance, depth: number): Json | undefined {
  switch (shape.kind) {
    case 's':
      return chance.under(0.5)
        ? chance.pick(['web', 'default', 'main', 'argocd', 'https://kubernetes.default.svc'])
        : oddText(chance);
    case 'y':
      return noise(chance, 60).toString('base64');
    case 'b':
      return chance.under(0.5);
    case 'i':
    case 'l':
    case 'u':
      return chance.pick([0, 1, 7, -1, 2 ** 31 - 1]);
    case 'd':
    case 'f':
      return chance.pick([0, 1.5, -1]);
    case 'S':
      return valueOf(shape.type, chance, depth + 1);
    case 'L':
    case 'I':
      return Array.from({ length: chance.below(3) }, () => fieldOf(shape.of, chance, depth + 1)).filter(
        (each) => each !== undefined,
      );
    case 'M':
      return Object.fromEntries(
        Array.from({ length: chance.below(3) }, (_, index) => [
          `key${index}`,
          fieldOf(shape.of, chance, depth + 1) ?? '',
        ]),
      );
    default:
      // Their bytes come from the mutations.
      return undefined;
  }
}

function oddText(chance: Chance): string {
  const value = chance.pick(ODD);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function noise(chance: Chance, most: number): Buffer {
  return Buffer.from(Array.from({ length: chance.below(most) }, () => chance.below(256)));
}

function mutated(bytes: Buffer, chance: Chance): Buffer {
  const copy = Buffer.from(bytes);
  for (let count = chance.below(4) + 1; count > 0 && copy.length > 0; count--)
    copy[chance.below(copy.length)] = chance.under(0.5) ? chance.below(256) : chance.pick([0, 0x7f, 0x80, 0xff]);
  if (chance.under(0.2)) return copy.subarray(0, chance.below(copy.length + 1));
  return chance.under(0.2) ? Buffer.concat([copy, copy.subarray(chance.below(copy.length + 1))]) : copy;
}

/** Both ways to call; broken connections are opened again. */
export class MutationClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  #session: ClientHttp2Session | undefined;

  constructor(private readonly lab: Pick<ApiLab, 'url' | 'token'>) {}

  send(call: MutatedCall): Promise<CallEnd> {
    return call.transport === 'gRPC' ? this.#native(call) : this.#web(call);
  }

  close(): void {
    this.#agent.destroy();
    this.#session?.destroy();
  }

  #web({ path, headers, body, trailers, cut }: MutatedCall): Promise<CallEnd> {
    return new Promise((resolve) => {
      const names = Object.keys(trailers);
      const sent = httpRequest(`${this.lab.url}${path}`, {
        method: 'POST',
        agent: this.#agent,
        headers: {
          token: this.lab.token,
          ...headers,
          ...(names.length === 0 ? { 'content-length': String(body.length) } : { trailer: names.join(', ') }),
        },
      });
      const give = once(resolve, () => sent.destroy());
      sent.on('error', (error) => give({ code: undefined, status: 0, text: cut === undefined ? String(error) : '' }));
      sent.on('response', (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', () => give({ code: undefined, status: 0, text: 'the answer broke off' }));
        answer.on('end', () => {
          const content = Buffer.concat(pieces);
          const end = endFrameIn(content);
          const code = answer.headers['grpc-status'] ?? end.get('grpc-status');
          const message = answer.headers['grpc-message'] ?? end.get('grpc-message') ?? '';
          give({
            code: code === undefined ? undefined : Number(code),
            status: answer.statusCode ?? 0,
            text: code === undefined ? content.toString('utf8', 0, 1000) : String(message),
          });
        });
      });
      if (cut !== undefined) {
        sent.write(body.subarray(0, cut), () => give({ code: undefined, status: 0, text: '' }));
        return;
      }
      if (names.length > 0) sent.addTrailers(trailers);
      sent.end(body);
    });
  }

  #native({ path, headers, body, trailers, cut }: MutatedCall): Promise<CallEnd> {
    return new Promise((resolve) => {
      const hasTrailers = Object.keys(trailers).length > 0;
      const stream = this.#open().request(
        { ':method': 'POST', ':path': path, te: 'trailers', token: this.lab.token, ...headers },
        { waitForTrailers: hasTrailers },
      );
      const give = once(resolve, () => stream.close(constants.NGHTTP2_CANCEL));
      let [code, message, status, text] = ['', '', 0, ''];
      const hear = (given: Readonly<Record<string, unknown>>): void => {
        code = String(given['grpc-status'] ?? code);
        message = String(given['grpc-message'] ?? message);
        status = Number(given[':status'] ?? status);
      };
      stream.on('response', hear);
      stream.on('trailers', hear);
      stream.on('data', (piece: Buffer) => {
        if (text.length < 1000) text += piece.toString('latin1');
      });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      stream.on('error', (error) => give({ code: undefined, status: 0, text: cut === undefined ? String(error) : '' }));
      stream.on('close', () =>
        give({ code: code === '' ? undefined : Number(code), status, text: code === '' ? text : message }),
      );
      if (cut === undefined) stream.end(body);
      else stream.write(body.subarray(0, cut), () => give({ code: undefined, status: 0, text: '' }));
    });
  }

  #open(): ClientHttp2Session {
    if (this.#session !== undefined && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const session = connect(this.lab.url);
    session.on('error', () => undefined);
    this.#session = session;
    return session;
  }
}

/** The first end counts; one that never comes is one too. */
function once(resolve: (end: CallEnd) => void, leave: () => void): (end: CallEnd) => void {
  const timer = setTimeout(() => {
    leave();
    resolve({ code: undefined, status: 0, text: `no answer within ${MAX_WAIT / 1000} s` });
  }, MAX_WAIT);
  return (end) => {
    clearTimeout(timer);
    resolve(end);
    if (end.status === 0) leave();
  };
}

function endFrameIn(content: Buffer): ReadonlyMap<string, string> {
  for (let at = 0; at + 5 <= content.length; at += 5 + content.readUInt32BE(at + 1))
    if (content[at] === 0x80)
      return new Map(
        content
          .subarray(at + 5)
          .toString()
          .split('\r\n')
          .filter((line) => line.includes(':'))
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      );
  return new Map();
}

/** Sends calls by chance, some at once; gives those that ended as no call may. */
export async function sendCalls(
  lab: Pick<ApiLab, 'url' | 'token' | 'isRunning' | 'output'>,
  chance: Chance,
  count: number,
): Promise<{ readonly wrong: BadCall[]; readonly counts: Record<string, number> }> {
  const client = new MutationClient(lab);
  const wrong: BadCall[] = [];
  const counts: Record<string, number> = {};
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0 && lab.isRunning) {
      const call = makeCall(chance);
      const end = await client.send(call);
      const name = outcomeOf(end, call);
      counts[name] = (counts[name] ?? 0) + 1;
      const why = problemOf(end, call);
      if (why !== '') wrong.push({ call: told(call), why });
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  } finally {
    client.close();
  }
  if (!lab.isRunning) wrong.push({ call: 'the last ones', why: `the process is gone: ${lab.output.slice(-500)}` });
  return { wrong, counts };
}

function outcomeOf({ code, status }: CallEnd, { cut }: MutatedCall): string {
  if (code !== undefined) return `code ${code}`;
  return cut === undefined ? `HTTP ${status}` : 'cut off by the client';
}

function problemOf({ code, status, text }: CallEnd, { cut }: MutatedCall): string {
  const said = decodeURIComponent(text.replaceAll(/%(?![0-9A-F]{2})/g, '%25'));
  if (/\n\s+at .*:\d+:\d+/.test(said)) return `a stack trace: ${said.slice(0, 300)}`;
  if (/internal error: see/.test(said)) return `a defect: ${said.slice(0, 300)}`;
  if (cut !== undefined) return '';
  if (code === undefined)
    return status >= 400 && status < 500 && said.length > 3
      ? ''
      : `HTTP ${status} without a code: ${said.slice(0, 300)}`;
  if (!Number.isInteger(code) || code < 0 || code > 16) return `no code of gRPC: ${code}`;
  return code !== 0 && said.length < 4 ? `code ${code} without a sentence` : '';
}

function told({ transport, path, headers, body }: MutatedCall): string {
  return `${transport} ${path} ${JSON.stringify(headers)} ${body.toString('hex', 0, 200)} (${body.length} bytes)`;
}
