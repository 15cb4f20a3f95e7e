import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { SnapshotBuilder } from '../../triage/index.js';
import { collectPrometheus } from './collect-prometheus.js';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that speaks the documented HTTP API of Prometheus. */
async function prometheus(
  answer: (url: URL, response: ServerResponse, request: IncomingMessage) => void,
): Promise<string> {
  const server = createServer((request, response) =>
    answer(new URL(request.url ?? '', 'http://localhost'), response, request),
  );
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const success = (response: ServerResponse, data: unknown): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'success', data }));

it('asks for ranges and alerts with GET alone, and keeps what the server computed', async () => {
  const asked: string[] = [];
  const host = await prometheus((url, response, { method, headers }) => {
    asked.push(`${method ?? ''} ${url.pathname} ${headers.authorization ?? ''}`);
    if (url.pathname.endsWith('/alerts'))
      return success(response, {
        alerts: [
          {
            labels: { alertname: 'KubePodNotReady', namespace: 'shop', pod: 'cart-1', severity: 'warning' },
            annotations: { summary: 'not ready' },
            state: 'firing',
            activeAt: '2026-11-16T11:00:00Z',
          },
        ],
      });
    const isThrottling = (url.searchParams.get('query') ?? '').includes('throttled');
    return success(response, {
      resultType: 'matrix',
      result: isThrottling
        ? [
            {
              metric: { namespace: 'shop', pod: 'cart-1', container: 'web' },
              values: [
                [NOW / 1000 - 60, '0.1'],
                [NOW / 1000, '0.8'],
              ],
            },
          ]
        : [],
    });
  });
  const builder = new SnapshotBuilder();
  await collectPrometheus(`http://reader:pa%2055@${host}/prom/`, builder, NOW);
  const { series, alerts, problems } = builder.build(NOW);
  expect(problems).toEqual([]);
  expect(series).toEqual([
    {
      name: 'argosy_cpu_throttled_ratio',
      labels: { namespace: 'shop', pod: 'cart-1', container: 'web' },
      samples: [
        [NOW - 60_000, 0.1],
        [NOW, 0.8],
      ],
    },
  ]);
  expect(alerts?.map(({ name, summary }) => `${name}: ${summary}`)).toEqual(['KubePodNotReady: not ready']);
  const authorization = `Basic ${Buffer.from('reader:pa 55').toString('base64')}`;
  expect([...new Set(asked)].sort()).toEqual([
    `GET /prom/api/v1/alerts ${authorization}`,
    `GET /prom/api/v1/query_range ${authorization}`,
  ]);
});

it('names what was not answered, and makes nothing of it', async () => {
  const host = await prometheus((_url, response) => void response.writeHead(503).end('busy'));
  const builder = new SnapshotBuilder();
  await collectPrometheus(`http://${host}`, builder, NOW);
  const { problems, isPartial } = builder.build(NOW);
  expect(problems.join()).toMatch(/^Prometheus 127\.0\.0\.1:\d+: \d+ of \d+ questions: HTTP status 503$/);
  expect(isPartial).toBe(true);
});

it('waits for no server that hangs, whatever it is asked', async () => {
  const host = await prometheus(() => undefined);
  const builder = new SnapshotBuilder();
  await collectPrometheus(`http://${host}`, builder, NOW, 200);
  expect(builder.build(NOW).problems.join()).toMatch(/questions: no answer within 0\.2 seconds$/);
});

it('follows no redirect, and takes no other address', async () => {
  const host = await prometheus(
    (_url, response) => void response.writeHead(302, { location: 'http://127.0.0.1:9' }).end(),
  );
  const builder = new SnapshotBuilder();
  await collectPrometheus(`http://${host}`, builder, NOW);
  expect(builder.build(NOW).problems.join()).toContain('the server redirects');
  await expect(collectPrometheus('file:///etc/passwd', builder, NOW)).rejects.toThrow(
    'begins with http:// or https://',
  );
});
