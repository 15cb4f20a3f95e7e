import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../api-client/index.js';
import { ssoLogin } from './sso-login.js';

let answer = '';
const server = createServer((request, response) => {
  const url = `http://${request.headers.host ?? ''}`;
  if (request.url === '/api/v1/settings') response.end(JSON.stringify({ oidcConfig: { issuer: url, clientID: 'a' } }));
  else response.end(answer.replaceAll('ISSUER', url));
});
let api: ApiClient;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api = new ApiClient({
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isInsecure: false,
  });
});
afterAll(async () => {
  await api.close();
  server.close();
});

const login = (printed: string[]): Promise<string> =>
  ssoLogin(api, { port: 0, timeout: 50, print: (line) => printed.push(line) });

it('accepts a long discovery document, and reports one of over 1 MiB', async () => {
  const endpoints = '"issuer":"ISSUER","authorization_endpoint":"ISSUER/auth","token_endpoint":"ISSUER/token"';
  answer = `{${endpoints},"scopes_supported":["${'x'.repeat(1_000_000)}"]}`;
  const printed: string[] = [];
  await expect(login(printed)).rejects.toThrow('no login within 0 s');
  expect(printed.join()).toContain('/auth?response_type=code');
  answer = `{${endpoints},"scopes_supported":["${'x'.repeat(1_100_000)}"]}`;
  await expect(login([])).rejects.toThrow('the provider answered with more than 1048576 bytes');
});
