import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject } from '../../src/model/json/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab } from './access-lab.js';

const missing = embeddedMissing();

/** What is wrong with the headers of an answer; whoever answers, and whatever it is. */
function wrongIn(header: (name: string) => string | null): string[] {
  const policy = new Map(
    (header('content-security-policy') ?? '')
      .split(';')
      .map((part) => part.trim().split(/\s+/))
      .map(([name = '', ...values]) => [name, values]),
  );
  const scripts = policy.get('script-src') ?? policy.get('default-src') ?? ['anything'];
  return [
    ...(scripts.every((source) => source === "'none'" || source === "'self'")
      ? []
      : [`scripts may come from ${scripts.join(' ')}`]),
    ...(policy.get('frame-ancestors')?.join() === "'none'" ? [] : ['it may be put in a frame']),
    ...(policy.get('default-src')?.join() === "'none'" ? [] : ['what is not named is allowed']),
    ...(header('x-content-type-options') === 'nosniff' ? [] : ['its type may be guessed']),
    ...(header('x-frame-options') === 'DENY' ? [] : ['old browsers put it in a frame']),
  ];
}

describe.skipIf(missing !== undefined)(`headers of every answer${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  let token = '';
  beforeAll(async () => {
    lab = await AccessLab.open({ webFolder: join(import.meta.dirname, '../../dist/web') });
    token = await lab.token();
  });
  afterAll(async () => {
    await lab.close();
  });

  const look = async (path: string, init: RequestInit): Promise<string[]> => {
    const gone = new AbortController();
    const answer = await fetch(`${lab.url}${path}`, { redirect: 'manual', ...init, signal: gone.signal });
    gone.abort();
    return wrongIn((name) => answer.headers.get(name)).map(
      (problem) => `${init.method ?? 'GET'} ${path} ${answer.status}: ${problem}`,
    );
  };

  it('S18: every route, for nobody and for admin, well asked and badly', async () => {
    const paths = (await lab.request('/api/openapi.json')).body.paths;
    const routes = Object.entries(isObject(paths) ? paths : {}).flatMap(([path, methods]) =>
      Object.keys(isObject(methods) ? methods : {}).map((method) => ({
        path: path.replaceAll(/\{[^{}]+\}/g, 'ghost'),
        method: method.toUpperCase(),
      })),
    );
    expect(routes.length).toBeGreaterThan(90);
    const wrong: string[] = [];
    for (const { path, method } of routes) {
      // The session that everything is asked with goes on.
      const isEnd = path === '/api/v1/session' && method === 'DELETE';
      const asks: RequestInit[] = [
        { method },
        ...(isEnd ? [] : [{ method, headers: { authorization: `Bearer ${token}` } }]),
        ...(method === 'GET'
          ? []
          : [{ method, headers: { authorization: 'Bearer x', 'content-type': 'application/json' }, body: '{"a":' }]),
        { method: 'OPTIONS' },
      ];
      for (const init of asks) wrong.push(...(await look(path, init)));
    }
    expect(wrong).toEqual([]);
  });

  it('S18: paths that nobody serves, files of the page, and other names of the server', async () => {
    const paths = [
      '/',
      '/applications/argocd/shop',
      '/index.html',
      '/theme.js',
      '/mark.svg',
      '/assets/none.js',
      '/api/none',
      '/api/v1/none/at/all',
      '/%zz',
      '/..%2f..%2fetc%2fpasswd',
      `/${'a'.repeat(9000)}`,
      '/api/v1/applications/%00',
    ];
    const wrong = (
      await Promise.all(
        paths.flatMap((path) => [
          look(path, {}),
          look(path, { method: 'HEAD' }),
          look(path, { method: 'POST', body: 'x' }),
        ]),
      )
    ).flat();
    expect(wrong).toEqual([]);
    expect((await fetch(`${lab.url}/`)).headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a header without an end', `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['another host', 'GET /api/v1/applications HTTP/1.1\r\nhost: evil.example.com\r\n\r\n'],
    [
      'two lengths',
      'POST /api/webhook HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd',
    ],
    [
      'a length and chunks',
      'POST /api/webhook HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n' +
        '\r\n0\r\n\r\n',
    ],
    [
      'a chunk that is none',
      'POST /api/webhook HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['an expectation', 'GET /api/version HTTP/1.1\r\nhost: localhost\r\nexpect: tea\r\n\r\n'],
    ['another version', 'GET / HTTP/9.9\r\nhost: localhost\r\n\r\n'],
    ['an address of its own', 'GET http://evil.example.com/ HTTP/1.1\r\nhost: evil.example.com\r\n\r\n'],
    [
      'an upgrade',
      'GET /terminal HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
        'sec-websocket-key: x\r\nsec-websocket-version: 13\r\n\r\n',
    ],
  ])('S18: what is no request: %s', async (_, bytes) => {
    const socket = connect(Number(new URL(lab.url).port), '127.0.0.1');
    let said = '';
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1');
      if (said.includes('\r\n\r\n')) socket.end();
    });
    socket.write(bytes);
    await once(socket, 'close');
    const [head = ''] = said.split('\r\n\r\n');
    const headers = new Map(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    expect(head).toMatch(/^HTTP\/1\.1 [245]\d\d /);
    expect(wrongIn((name) => headers.get(name) ?? null)).toEqual([]);
  });
});
