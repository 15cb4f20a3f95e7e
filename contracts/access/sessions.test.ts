import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab } from './access-lab.js';
import { APP_PROJECTS } from '../../src/model/resources/index.js';

const missing = embeddedMissing();

describe.skipIf(missing !== undefined)(`sessions and tokens${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  const mayList = async (token: string): Promise<number> =>
    (await lab.request('/api/v1/applications', { token })).status;
  const cookieOf = (header: string | null): string => (header ?? '').split(';')[0] ?? '';
  beforeAll(async () => {
    lab = await AccessLab.open();
  });
  afterAll(async () => {
    await lab.close();
  });

  it('a password of admin is made once, and kept as a hash', async () => {
    expect(lab.password).toMatch(/^[\w-]{20}$/);
    const secret = JSON.stringify(await lab.readSecret('argocd-secret'));
    expect(Buffer.from(/"admin\.password":"([^"]+)"/.exec(secret)?.[1] ?? '', 'base64').toString()).toMatch(
      /^\$2b\$10\$/,
    );
    expect(secret).not.toContain(Buffer.from(lab.password).toString('base64').replace(/=+$/, ''));
    const first = lab.password;
    await lab.restart();
    expect(lab.password).toBe(first);
  });

  it('a session opens by header and by cookie, and is as Argo CD makes it', async () => {
    const seen = await lab.login();
    expect(seen.status).toBe(200);
    const token = String(seen.body.token);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
    expect(claims).toMatchObject({ iss: 'argocd', sub: 'admin:login' });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(24 * 3600);
    const header = seen.headers.get('set-cookie') ?? '';
    expect(header).toMatch(/^argocd\.token=[^;]+; path=\/; SameSite=lax; httpOnly$/);
    expect(await mayList(token)).toBe(200);
    expect((await lab.request('/api/v1/applications', { headers: { cookie: cookieOf(header) } })).status).toBe(200);
    expect((await lab.request('/api/v1/session/userinfo', { token })).body).toEqual({
      loggedIn: true,
      username: 'admin',
      iss: 'argocd',
    });
    expect((await lab.request('/api/v1/session/userinfo')).body).toEqual({});
  });

  it.each([
    ['admin', 'wrong', 401, 'Invalid username or password'],
    ['nobody', 'wrong', 401, 'Invalid username or password'],
    ['', 'x', 401, 'no credentials supplied'],
    ['admin', '', 401, 'no credentials supplied'],
    ['x'.repeat(33), 'x', 400, 'Username is too long (32 bytes max)'],
    ['constructor', 'x', 401, 'Invalid username or password'],
  ])('%j with %j is refused', async (name, password, status, message) => {
    const { status: got, body } = await lab.login(name, password);
    expect([got, body.message]).toEqual([status, message]);
  });

  it('a session ends where it is ended, also after a restart', async () => {
    const [one, other] = [await lab.token(), await lab.token()];
    expect((await lab.request('/api/v1/session', { method: 'DELETE', token: one })).status).toBe(200);
    expect([await mayList(one), await mayList(other)]).toEqual([401, 200]);
    await lab.restart();
    expect([await mayList(one), await mayList(other)]).toEqual([401, 200]);
  });

  it('a new password ends sessions of before, and no other', async () => {
    const before = await lab.token();
    const change = (currentPassword: string, newPassword: string) =>
      lab.request('/api/v1/account/password', { method: 'PUT', token: before, body: { currentPassword, newPassword } });
    expect((await change('wrong', 'a new password')).body.message).toBe('current password does not match');
    expect((await change(lab.password, 'short')).body.message).toContain('does not match the following expression');
    expect((await change(lab.password, 'a new password')).status).toBe(200);
    expect(await mayList(before)).toBe(401);
    expect((await lab.login()).status).toBe(401);
    lab.password = 'a new password';
    expect(await mayList(await lab.token())).toBe(200);
  });

  it('accounts of argocd-cm have tokens that can be deleted, and are shut at once', async () => {
    await lab.settings('argocd-cm', { 'accounts.ci': 'apiKey', 'accounts.alice': 'login' });
    await lab.settings('argocd-rbac-cm', { 'policy.csv': 'g, ci, role:readonly' });
    const admin = await lab.token();
    const make = (name: string, body: object) =>
      lab.request(`/api/v1/account/${name}/token`, { method: 'POST', token: admin, body: { ...body } });
    await lab.until(
      'the account is known',
      async () => (await lab.request('/api/v1/account/ci', { token: admin })).status === 200,
    );
    const made = await make('ci', { id: 'build', expiresIn: 3600 });
    const token = String(made.body.token);
    await lab.until(
      'its rights are known',
      async () => (await lab.request('/api/v1/account/can-i/applications/get/*/*', { token })).body.value === 'yes',
    );
    expect(await mayList(token)).toBe(200);
    expect([
      (await make('ci', { id: 'build' })).status,
      (await make('alice', {})).status,
      (await make('nobody', {})).status,
    ]).toEqual([409, 400, 404]);
    expect((await lab.request('/api/v1/account/ci', { token: admin })).body).toMatchObject({
      name: 'ci',
      enabled: true,
      capabilities: ['apiKey'],
      tokens: [{ id: 'build' }],
    });
    expect((await lab.request('/api/v1/account/ci/token/build', { method: 'DELETE', token: admin })).status).toBe(200);
    expect(await mayList(token)).toBe(401);
    const other = String((await make('ci', { expiresIn: '60' })).body.token);
    expect(await mayList(other)).toBe(200);
    await lab.settings('argocd-cm', { 'accounts.ci.enabled': 'false' });
    await lab.until('the account is shut', async () => (await mayList(other)) === 401);
  });

  it('roles of projects have tokens', async () => {
    const project = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'shop', namespace: 'argocd' },
      spec: { roles: [{ name: 'ci', policies: ['p, proj:shop:ci, applications, sync, shop/*, allow'], groups: [] }] },
    };
    await lab.cluster.create(APP_PROJECTS, project);
    const admin = await lab.token();
    const path = '/api/v1/projects/shop/roles/ci/token';
    const made = await lab.request(path, { method: 'POST', token: admin, body: { expiresIn: 3600, id: 'build' } });
    const token = String(made.body.token);
    const may = async (what: string): Promise<unknown> =>
      (await lab.request(`/api/v1/account/can-i/${what}`, { token })).body.value;
    await lab.until('the token is known', async () => (await may('projects/get/shop')) === 'yes');
    expect([
      await may('applications/sync/shop/web'),
      await may('applications/sync/bank/web'),
      await may('projects/update/shop'),
    ]).toEqual(['yes', 'no', 'no']);
    expect((await lab.request(path, { method: 'POST', token, body: {} })).status).toBe(403);
    expect(
      (await lab.request('/api/v1/projects/shop/roles/none/token', { method: 'POST', token: admin, body: {} })).status,
    ).toBe(404);
    expect((await lab.request(path, { method: 'POST', token: admin, body: { id: 'build' } })).status).toBe(400);
    expect((await lab.request(`${path}/0?id=build`, { method: 'DELETE', token: admin })).status).toBe(200);
    await lab.until('the token is gone', async () => (await mayList(token)) === 401);
  });

  it('a lock from a time when the clock was ahead does not last until that time comes', async () => {
    lab.ahead = 24 * 3600_000;
    for (let tried = 0; tried < 5; tried++) await lab.login('admin', 'wrong');
    expect((await lab.login()).status).not.toBe(200);
    lab.ahead = 0;
    expect((await lab.login()).status).toBe(200);
  });

  it('a token ends at its time', async () => {
    const token = await lab.token();
    lab.ahead = 24 * 3600_000 + 1000;
    expect((await lab.request('/api/v1/applications', { token })).body).toMatchObject({
      code: 16,
      message: 'invalid session: token is expired',
    });
    lab.ahead = 0;
  });
});
