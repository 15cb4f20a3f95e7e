import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject } from '../../src/model/json/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab } from './access-lab.js';
import { forgeries } from './forgeries.js';

const missing = embeddedMissing();

describe.skipIf(missing !== undefined)(`attempts to come in${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  const CAN = '/api/v1/account/can-i/clusters/create/x';
  beforeAll(async () => {
    lab = await AccessLab.open();
  });
  afterAll(async () => {
    await lab.close();
  });

  const key = async (): Promise<Buffer> => {
    const data = (await lab.readSecret('argocd-secret'))?.data;
    return Buffer.from(isObject(data) ? String(data['server.secretkey']) : '', 'base64');
  };

  it('S19: an invalid token gives no rights, or only those of anonymous users where these are allowed', async () => {
    const tokens = Object.entries(forgeries(await key(), Math.floor(Date.now() / 1000)));
    expect((await lab.request(CAN, { token: await lab.token() })).body).toEqual({ value: 'yes' });
    for (const [name, token] of tokens)
      expect([name, (await lab.request(CAN, { token })).status]).toEqual([name, token.length > 20_000 ? 431 : 401]);
    await lab.settings('argocd-cm', { 'users.anonymous.enabled': 'true' });
    await lab.until('nobody need sign in', async () => (await lab.request(CAN)).status === 200);
    expect((await lab.request('/api/v1/session/userinfo')).body).toEqual({ loggedIn: false });
    for (const [name, token] of tokens)
      if (token.length < 20_000)
        expect([name, (await lab.request(CAN, { token })).body]).toEqual([name, { value: 'no' }]);
    await lab.settings('argocd-cm', { 'users.anonymous.enabled': undefined });
    await lab.until('people must sign in', async () => (await lab.request(CAN)).status === 401);
    expect((await lab.request('/api/v1/session/userinfo')).body).toEqual({});
  });

  it('S24: five wrong passwords lock an account, whatever else happens', async () => {
    for (let tried = 0; tried < 5; tried++) expect((await lab.login('admin', 'wrong')).status).toBe(401);
    expect((await lab.login()).body).toMatchObject({ code: 16, message: 'Invalid username or password' });
    const others = await Promise.all(Array.from({ length: 6 }, (_, index) => lab.login(`nobody-${index}`, 'x')));
    expect([...new Set(others.map(({ status }) => status))]).toEqual([401]);
    expect((await lab.login()).status).toBe(401);
    await lab.restart();
    expect((await lab.login()).status).toBe(401);
    lab.ahead += 301_000;
    expect((await lab.login()).status).toBe(200);
  });

  it('S24: sixty at once are counted as sixty, and nothing breaks', async () => {
    const tries = await Promise.all(Array.from({ length: 60 }, () => lab.login('admin', 'wrong')));
    expect([...new Set(tries.map(({ status }) => status))].sort()).toEqual([401, 429]);
    expect((await lab.login()).status).toBe(401);
    lab.ahead += 301_000;
    expect((await lab.login()).status).toBe(200);
  });

  it('S17: a page of somebody else changes nothing with the cookie of a session', async () => {
    const cookie = `argocd.token=${await lab.token()}`;
    const host = new URL(lab.url).host;
    const paths = (await lab.request('/api/openapi.json')).body.paths;
    const rows = Object.entries(isObject(paths) ? paths : {}).flatMap(([path, methods]) =>
      Object.keys(isObject(methods) ? methods : {})
        .filter((method) => method !== 'get')
        .map((method) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{[^{}]+\}/g, 'ghost') })),
    );
    expect(rows.length).toBeGreaterThan(5);
    const attacks: readonly Readonly<Record<string, string>>[] = [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      {},
      { 'content-type': 'application/json' },
      { 'content-type': 'application/json', origin: 'https://evil.example.com' },
      { 'content-type': 'application/json', origin: `http://sub.${host}` },
      { 'content-type': 'application/json', 'sec-fetch-site': 'same-site' },
      { 'content-type': 'application/json', origin: 'null' },
    ];
    for (const { method, path } of rows) {
      for (const headers of attacks) {
        // Without a word of where it comes from, as no browser sends it, the command line of Argo CD signs out.
        if (path === '/auth/logout' && !('origin' in headers || 'sec-fetch-site' in headers)) continue;
        const { status } = await lab.request(path, { method, headers: { ...headers, cookie } });
        // Neither signing in nor a webhook, which proves itself by its signature, looks at the cookie.
        const needsNoSession = (path === '/api/v1/session' && method === 'POST') || path === '/api/webhook';
        expect([
          method,
          path,
          headers,
          status >= 400 && status < 500,
          needsNoSession || status === 403 || status === 415,
        ]).toEqual([method, path, headers, true, true]);
      }
    }
    const fine = await lab.request('/api/v1/account/admin/token', {
      method: 'POST',
      body: {},
      headers: { cookie, origin: lab.url },
    });
    expect([fine.status, fine.body.message]).toEqual([400, "account 'admin' does not have apiKey capability"]);
  });

  it('S23: a stream ends with the session of who listens', async () => {
    const token = await lab.token();
    const stream = await fetch(`${lab.url}/api/v1/stream/applications`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(stream.status).toBe(200);
    const reader = stream.body?.getReader();
    await lab.request('/api/v1/session', { method: 'DELETE', token });
    for (;;) if ((await reader?.read())?.done !== false) break;
    expect((await lab.request('/api/v1/stream/applications', { token })).status).toBe(401);
  });

  it('S23: a session that is used while it ends goes on with a new token', async () => {
    const token = await lab.token();
    lab.ahead += (24 * 3600 - 120) * 1000;
    const seen = await lab.request('/api/v1/account/admin', { headers: { cookie: `argocd.token=${token}` } });
    const renewed = /^argocd\.token=([^;]+)/.exec(seen.headers.get('set-cookie') ?? '')?.[1] ?? '';
    lab.ahead += 180_000;
    expect([(await lab.request(CAN, { token })).status, (await lab.request(CAN, { token: renewed })).status]).toEqual([
      401, 200,
    ]);
  });
});
