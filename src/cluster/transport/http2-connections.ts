import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { Clock } from '../timing/index.js';
import type { RawResponse, RawRequest } from './raw-request.js';

export interface Http2Options {
  readonly url: URL;
  readonly tls: ConnectionOptions;
  readonly connectWithin: number;
  readonly clock: Clock;
}

/** Streams of one connection: servers allow 100 or more, and some room is left for requests beside the watches. */
const MAX_STREAMS = 90;
/** A connection that carries something is asked for a sign of life so often, and has so long to give it. */
const PING_EVERY = 30_000;
const PING_WITHIN = 15_000;
/** After a request that was given up: perhaps it was not the request. */
const PROBE_WITHIN = 5_000;
const STREAM_WINDOW = 1 << 20;
const CONNECTION_WINDOW = 16 << 20;
/** In megabytes. What lists may take is limited where they are read. */
const SESSION_MEMORY = 1024;

/** The HTTP/2 code of a stream that the server did not process. */
const REFUSED_STREAM = 7;
const MAX_REJECTIONS = 3;

class StreamRefused extends Error {}

interface Connection {
  readonly session: ClientHttp2Session;
  streams: number;
  /** Signs of life that are waited for, by the time they have: many requests may be given up at once. */
  readonly awaited: Set<number>;
  stopPings: () => void;
}

/**
 * HTTP/2 to one server: all requests and watches share a connection, and more of them are opened where one is full. A
 * handshake takes longer than most requests, and with one connection for each watch there would be a hundred.
 */
export class Http2Connections {
  readonly #options: Http2Options;
  readonly #connections = new Set<Connection>();
  #opening: Promise<Connection | undefined> | undefined;
  #isSpoken = true;
  #isClosed = false;

  constructor(options: Http2Options) {
    this.#options = options;
  }

  /** The answer as soon as its headers are there; undefined where the server speaks only HTTP/1.1. */
  async send(call: RawRequest, headers: Readonly<Record<string, string | string[]>>): Promise<RawResponse | undefined> {
    for (let rejections = 0; this.#isSpoken; rejections++) {
      const line = this.#take() ?? (await this.#open());
      if (line === undefined) return undefined;
      try {
        return await this.#request(line, call, headers);
      } catch (error) {
        // After GOAWAY the server has not processed later streams.
        if (!(error instanceof StreamRefused) || rejections === MAX_REJECTIONS) throw error;
      }
    }
    return undefined;
  }

  /** Ends when the streams that are open have ended. */
  retire(): void {
    this.#isClosed = true;
    for (const { session } of this.#connections) session.close();
  }

  destroy(): void {
    this.#isClosed = true;
    for (const { session } of this.#connections) session.destroy();
  }

  /** A place on a connection that has one. */
  #take(): Connection | undefined {
    for (const line of this.#connections) {
      if (line.streams >= MAX_STREAMS || line.session.closed || line.session.destroyed) continue;
      line.streams++;
      return line;
    }
    return undefined;
  }

  /** Whoever comes while a connection is made waits for the same one, and for another where it is full by then. */
  async #open(): Promise<Connection | undefined> {
    for (;;) {
      this.#opening ??= this.#connect().finally(() => {
        this.#opening = undefined;
      });
      if ((await this.#opening) === undefined) return undefined;
      const line = this.#take();
      if (line !== undefined) return line;
    }
  }

  async #connect(): Promise<Connection | undefined> {
    const { url, tls, connectWithin } = this.#options;
    const socket = await secured(
      {
        ...tls,
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: Number(url.port === '' ? 443 : url.port),
        ALPNProtocols: ['h2', 'http/1.1'],
      },
      connectWithin,
    );
    if (socket.alpnProtocol !== 'h2') {
      this.#isSpoken = false;
      socket.destroy();
      return undefined;
    }
    const { connect } = await import('node:http2');
    const session = connect(url.origin, {
      createConnection: () => socket,
      maxSessionMemory: SESSION_MEMORY,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
    });
    const line: Connection = { session, streams: 0, awaited: new Set(), stopPings: () => undefined };
    this.#connections.add(line);
    const leave = (): void => {
      this.#connections.delete(line);
      line.stopPings();
    };
    session.on('error', leave);
    session.on('close', leave);
    // The server goes, or wants us on another of its kind: what it has begun it ends, the rest goes elsewhere.
    session.on('goaway', () => {
      leave();
      session.close();
    });
    session.once('connect', () => {
      session.setLocalWindowSize(CONNECTION_WINDOW);
    });
    this.#pingAgain(line);
    if (this.#isClosed) session.destroy();
    return line;
  }

  #pingAgain(line: Connection): void {
    line.stopPings = this.#options.clock.after(PING_EVERY, () => {
      if (line.streams > 0) this.#ping(line, PING_WITHIN);
      this.#pingAgain(line);
    });
  }

  /** Ends a connection whose other end is gone without a word. */
  #ping({ session, awaited }: Connection, within: number): void {
    if (session.destroyed || session.closed || awaited.has(within)) return;
    awaited.add(within);
    const stop = this.#options.clock.after(within, () => {
      session.destroy(new Error('the connection gave no sign of life'));
    });
    session.once('close', stop);
    session.ping(() => {
      awaited.delete(within);
      stop();
      session.off('close', stop);
    });
  }

  #request(
    line: Connection,
    { method, path, body, signal }: RawRequest,
    headers: Readonly<Record<string, string | string[]>>,
  ): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      let stream: ClientHttp2Stream;
      try {
        stream = line.session.request(
          { ...headers, ':method': method, ':path': path },
          { signal, endStream: body === undefined },
        );
      } catch (error) {
        line.streams--;
        reject(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      stream.once('response', (received: IncomingHttpHeaders & { ':status'?: number }) => {
        isAnswered = true;
        resolve({ statusCode: received[':status'] ?? 0, headers: received, body: stream });
      });
      // Readers of the body hear of it too; nobody may be reading yet.
      stream.on('error', (error: Error) => {
        reject(stream.rstCode === REFUSED_STREAM ? new StreamRefused(error.message) : error);
      });
      stream.once('close', () => {
        line.streams--;
        if (isAnswered) return;
        if (signal.aborted) this.#ping(line, PROBE_WITHIN);
        reject(new Error('the connection was closed before the answer'));
      });
      if (body !== undefined) stream.end(body);
    });
  }
}

function secured(options: ConnectionOptions, within: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls(options);
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error('the connection timed out'), { code: 'ETIMEDOUT' }));
    }, within);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, PING_EVERY);
    socket.once('error', (error: Error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });
}
