import { createSecureServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { issueCertificate } from '../../src/model/certificates/index.js';
import { Http2Connections } from '../../src/cluster/transport/http2-connections.js';
import type { RawResponse } from '../../src/cluster/transport/raw-request.js';
import { ManualClock } from '../../src/cluster/testing/manual-clock.js';

// What a real API server does rarely: full connections, a farewell, silence, and servers of the older protocol.
const { certificate: cert, key } = issueCertificate({
  commonName: 'server',
  use: 'server',
  hosts: ['127.0.0.1'],
  notBefore: new Date(Date.now() - 60_000),
  days: 1,
});

describe('HTTP/2 connections', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  async function open(
    server: Server | Http2Server,
  ): Promise<{ connections: Http2Connections; clock: ManualClock; sessions: ServerHttp2Session[]; sockets: Socket[] }> {
    const [sessions, sockets]: [ServerHttp2Session[], Socket[]] = [[], []];
    server.on('session', (session: ServerHttp2Session) => {
      session.on('error', () => {
        /* the client may go as it likes */
      });
      sessions.push(session);
    });
    server.on('connection', (socket: Socket) => {
      sockets.push(socket);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const clock = new ManualClock();
    const connections = new Http2Connections({
      url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
      tls: { ca: cert },
      connectWithin: 5000,
      clock,
    });
    closing.push(
      () => {
        connections.destroy();
      },
      () => {
        for (const socket of sockets) socket.destroy();
      },
      () => {
        server.close();
      },
    );
    return { connections, clock, sessions, sockets };
  }

  /** Watches never end, everything else is answered at once. */
  const apiServer = (): Http2Server =>
    createSecureServer({ cert, key }).on('stream', (stream: ServerHttp2Stream, headers) => {
      stream.on('error', () => {
        /* the client may go as it likes */
      });
      stream.respond({ ':status': 200 });
      if (headers[':path'] === '/watch') stream.write('begun\n');
      else stream.end('whole');
    });
  const send = (
    connections: Http2Connections,
    path: string,
    signal = new AbortController().signal,
  ): Promise<RawResponse | undefined> => connections.send({ method: 'GET', path, headers: {}, signal }, {});
  const textOf = async (answer: RawResponse | undefined): Promise<string> =>
    Buffer.concat((await answer?.body.toArray()) as Buffer[]).toString();
  /** What comes of reading a watch on. */
  const fate = (answer: RawResponse | undefined): Promise<string> =>
    textOf(answer).then(
      () => 'ended',
      () => 'failed',
    );

  it('carry any number of watches, a few hundred on a few connections, and requests beside them', async () => {
    const { connections, sessions } = await open(apiServer());
    const watches = await Promise.all(Array.from({ length: 200 }, () => send(connections, '/watch')));
    expect(watches.map((watch) => watch?.statusCode)).toEqual(watches.map(() => 200));
    expect(await textOf(await send(connections, '/objects'))).toBe('whole');
    expect(sessions).toHaveLength(3);
  });

  it('are made anew when the server says farewell, while what it has begun goes on', async () => {
    const { connections, sessions } = await open(apiServer());
    const watch = await send(connections, '/watch');
    const ending = fate(watch);
    sessions[0]?.goaway();
    for (let tries = 0; sessions.length < 2 && tries < 1000; tries++)
      expect(await textOf(await send(connections, '/objects'))).toBe('whole');
    expect(sessions).toHaveLength(2);
    expect(watch?.body.destroyed).toBe(false);
    sessions[0]?.destroy();
    await ending;
  });

  it('are given up when the other end is silent, with everything on them', async () => {
    const { connections, clock, sockets } = await open(apiServer());
    const watch = await send(connections, '/watch');
    const ending = fate(watch);
    sockets[0]?.pause();
    clock.advance(30_000);
    clock.advance(15_000);
    expect(await ending).toBe('failed');
    expect(await textOf(await send(connections, '/objects'))).toBe('whole');
  });

  it('are doubted after a request that nobody answered in time', async () => {
    const { connections, clock, sockets } = await open(apiServer());
    expect(await textOf(await send(connections, '/objects'))).toBe('whole');
    sockets[0]?.pause();
    const late = new AbortController();
    const unanswered = send(connections, '/objects', late.signal).then(
      () => 'answered',
      () => 'failed',
    );
    late.abort();
    expect(await unanswered).toBe('failed');
    clock.advance(5000);
    expect(await textOf(await send(connections, '/objects'))).toBe('whole');
    expect(sockets).toHaveLength(2);
  });

  it('are asked for one sign of life, however many requests were given up at once', async () => {
    const { connections, sessions, sockets } = await open(apiServer());
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): void => {
      warnings.push(name);
    };
    process.on('warning', onWarning);
    closing.push(() => process.off('warning', onWarning));
    expect(await textOf(await send(connections, '/objects'))).toBe('whole');
    let pings = 0;
    sessions[0]?.on('ping', () => {
      pings++;
    });
    sockets[0]?.pause();
    const late = Array.from({ length: 20 }, () => new AbortController());
    const unanswered = late.map(({ signal }) =>
      send(connections, '/objects', signal).then(
        () => 'answered',
        () => 'failed',
      ),
    );
    for (const controller of late) controller.abort();
    expect(new Set(await Promise.all(unanswered))).toEqual(new Set(['failed']));
    sockets[0]?.resume();
    expect(await textOf(await send(connections, '/objects'))).toBe('whole');
    expect(pings).toBe(1);
    expect(warnings).toEqual([]);
  });

  it('are not for servers that know only HTTP/1.1', async () => {
    const { connections } = await open(createServer({ cert, key }));
    expect(await send(connections, '/objects')).toBeUndefined();
  });

  it('say why there is none, and try again with the next request', async () => {
    const server = apiServer();
    const { connections } = await open(server);
    const { port } = server.address() as AddressInfo;
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
    await expect(send(connections, '/objects')).rejects.toThrow('ECONNREFUSED');
    await new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', resolve);
    });
    expect(await textOf(await send(connections, '/objects'))).toBe('whole');
  });
});
