import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCode } from './error-code.js';
import { HttpClient, requestOnce, ResponseTooLarge, splitUrl } from './http-client.js';

describe('the HTTP client', () => {
  let server: Server;
  let url: string;
  const client = new HttpClient({ within: 5000 });

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/' }).end();
      else if (request.url === '/silent') return;
      else if (request.url === '/chunks') {
        response.write('x'.repeat(800));
        response.end('x'.repeat(800));
      } else response.writeHead(404, { 'x-path': request.url }).end('nothing here');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    await client.destroy();
    server.closeAllConnections();
    server.close();
  });

  const get = (path: string) => ({ ...splitUrl(`${url}${path}`), method: 'GET', headers: {} });

  it('gives every status as a response', async () => {
    const { status, headers, body } = await client.exchange(get('/a?b=c'), { maxBytes: 100 });
    expect([status, headers['x-path'], body.toString()]).toEqual([404, '/a?b=c', 'nothing here']);
  });

  it('fails on a body over the limit, with and without content-length, or cuts it', async () => {
    await expect(client.exchange(get('/'), { maxBytes: 5 })).rejects.toThrow(ResponseTooLarge);
    await expect(client.exchange(get('/chunks'), { maxBytes: 1000 })).rejects.toThrow(ResponseTooLarge);
    const { body } = await client.exchange(get('/chunks'), { maxBytes: 1000, whenLarger: 'cut' });
    expect(body.toString()).toBe('x'.repeat(1000));
  });

  it('follows no redirect, and refuses one if asked to', async () => {
    expect((await client.exchange(get('/moved'), { maxBytes: 100 })).status).toBe(302);
    const refusing = requestOnce(
      `${url}/moved`,
      { method: 'GET', headers: {} },
      { within: 1000, maxBytes: 100, refusesRedirects: true },
    );
    await expect(refusing).rejects.toThrow('the server redirects');
  });

  it('ends a request that takes too long, and names what failed below HTTP', async () => {
    const request = { method: 'GET', headers: {} };
    await expect(requestOnce(`${url}/silent`, request, { within: 50, maxBytes: 1 })).rejects.toThrow(/timeout/i);
    const refused: unknown = await requestOnce('http://127.0.0.1:9', request, { within: 1000, maxBytes: 1 }).catch(
      (error: unknown) => error,
    );
    expect(errorCode(refused)).toBe('ECONNREFUSED');
  });
});
