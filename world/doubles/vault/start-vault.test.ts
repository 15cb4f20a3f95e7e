import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startVault, type Vault } from './start-vault.js';

let vault: Vault;
beforeEach(async () => {
  vault = await startVault({ now: () => new Date('2025-12-05T10:00:00Z') });
});
afterEach(() => vault.close());

interface VaultResponse {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function call(method: string, path: string, body?: unknown, token?: string): Promise<VaultResponse> {
  const answer = await fetch(`${vault.url}/v1/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(token === undefined ? {} : { headers: { 'x-vault-token': token } }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

async function initialise(
  shares = 1,
  threshold = 1,
): Promise<{ readonly keys: string[]; readonly root_token: string }> {
  return (await call('PUT', 'sys/init', { secret_shares: shares, secret_threshold: threshold })).body as unknown as {
    keys: string[];
    root_token: string;
  };
}

async function open(): Promise<string> {
  const { keys, root_token: root } = await initialise();
  await call('PUT', 'sys/unseal', { key: keys[0] });
  return root;
}

const account = (namespace: string, name: string, iss = 'https://kubernetes.default.svc.cluster.local'): string => {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return (
    `${part({ alg: 'RS256' })}.` +
    `${part({ iss, 'kubernetes.io': { namespace, serviceaccount: { name, uid: 'u-1' } } })}.` +
    part('signature')
  );
};

describe('seal', () => {
  it('is 501 before it is initialised, 503 while sealed, 200 when open', async () => {
    expect((await call('GET', 'sys/health')).status).toBe(501);
    expect((await call('GET', 'sys/seal-status')).body).toMatchObject({
      type: 'shamir',
      initialized: false,
      sealed: true,
    });
    const { keys } = await initialise();
    expect((await call('GET', 'sys/health')).status).toBe(503);
    expect((await call('PUT', 'sys/unseal', { key: keys[0] })).body).toMatchObject({
      initialized: true,
      sealed: false,
      t: 1,
      n: 1,
    });
    expect((await call('GET', 'sys/health')).status).toBe(200);
    expect(await call('PUT', 'sys/init', { secret_shares: 1, secret_threshold: 1 })).toEqual({
      status: 400,
      body: { errors: ['Vault is already initialized'] },
    });
  });

  it('opens with so many different keys as it was told, and not with others', async () => {
    const { keys } = await initialise(5, 3);
    for (const key of [keys[0], keys[0], keys[1]]) await call('PUT', 'sys/unseal', { key });
    expect((await call('GET', 'sys/seal-status')).body).toMatchObject({ sealed: true, progress: 2, t: 3, n: 5 });
    expect((await call('PUT', 'sys/unseal', { key: '00'.repeat(33) })).status).toBe(400);
    for (const key of keys.slice(2)) await call('PUT', 'sys/unseal', { key });
    expect((await call('GET', 'sys/seal-status')).body).toMatchObject({ sealed: false });
    expect((await call('PUT', 'sys/unseal', { key: '!' })).body).toEqual({
      errors: ["'key' must be a valid hex or base64 string"],
    });
  });

  it('is sealed after a restart, and answers everything with 503', async () => {
    const token = await open();
    await call('POST', 'secret/data/minio', { data: { user: 'root' } }, token);
    vault.restart();
    expect(await call('GET', 'secret/data/minio', undefined, token)).toEqual({
      status: 503,
      body: { errors: ['Vault is sealed'] },
    });
  });

  it('opens itself where a key service does it', async () => {
    await vault.close();
    vault = await startVault({ autoUnseal: true });
    await call('PUT', 'sys/init', { recovery_shares: 1, recovery_threshold: 1 });
    vault.restart();
    expect((await call('GET', 'sys/health')).status).toBe(200);
  });
});

describe('logins of service accounts', () => {
  async function configured(config: Record<string, unknown> = {}): Promise<string> {
    const token = await open();
    await call(
      'POST',
      'auth/kubernetes/config',
      { kubernetes_host: 'https://kubernetes.default.svc', ...config },
      token,
    );
    await call(
      'POST',
      'auth/kubernetes/role/eso',
      {
        bound_service_account_names: 'default',
        bound_service_account_namespaces: 'ameide-dev,ameide-staging',
        token_policies: ['reader'],
      },
      token,
    );
    await call('PUT', 'sys/policies/acl/reader', { policy: 'path "secret/data/*" { capabilities = ["read"] }' }, token);
    await call('POST', 'secret/data/minio', { data: { user: 'root' } }, token);
    return token;
  }
  const login = (namespace: string, iss?: string): Promise<VaultResponse> =>
    call('POST', 'auth/kubernetes/login', { role: 'eso', jwt: account(namespace, 'default', iss) });

  it('gives a token that may read what its policies say', async () => {
    await configured();
    const { body } = await login('ameide-dev');
    const { client_token: token } = body['auth'] as { client_token: string };
    expect((await call('GET', 'secret/data/minio', undefined, token)).status).toBe(200);
    expect(await call('POST', 'secret/data/minio', { data: {} }, token)).toEqual({
      status: 403,
      body: { errors: ['1 error occurred:\n\t* permission denied\n\n'] },
    });
  });

  it('refuses other namespaces, an unknown role and a wrong issuer with the words of Vault', async () => {
    const token = await configured({ issuer: 'kubernetes/serviceaccount', disable_iss_validation: false });
    expect(await login('ameide-dev')).toEqual({ status: 403, body: { errors: ['invalid issuer (iss) claim'] } });
    await call(
      'POST',
      'auth/kubernetes/config',
      { kubernetes_host: 'https://kubernetes.default.svc', disable_iss_validation: 'true' },
      token,
    );
    expect((await login('ameide-dev')).status).toBe(200);
    expect(await login('ameide-prod')).toEqual({ status: 403, body: { errors: ['namespace not authorized'] } });
    expect(
      await call('POST', 'auth/kubernetes/login', { role: 'lost', jwt: account('ameide-dev', 'default') }),
    ).toEqual({ status: 400, body: { errors: ['invalid role name "lost"'] } });
  });

  it('is 403 where the cluster does not know the token, and where no token or a wrong one is sent', async () => {
    await vault.close();
    vault = await startVault({ review: () => undefined });
    await configured();
    expect(await login('ameide-dev')).toEqual({ status: 403, body: { errors: ['permission denied'] } });
    expect(await call('GET', 'secret/data/minio')).toEqual({ status: 403, body: { errors: ['permission denied'] } });
    expect(await call('GET', 'secret/data/minio', undefined, 'hvs.guess')).toEqual({
      status: 403,
      body: { errors: ['2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n'] },
    });
  });
});

describe('key values', () => {
  it('keeps versions, finds by number, and is 404 with nothing where nothing is', async () => {
    const token = await open();
    await call('POST', 'secret/data/app/db', { data: { password: 'one' } }, token);
    await call('POST', 'secret/data/app/db', { data: { password: 'two' }, options: { cas: 1 } }, token);
    expect((await call('GET', 'secret/data/app/db', undefined, token)).body).toMatchObject({
      data: { data: { password: 'two' }, metadata: { version: 2, created_time: '2025-12-05T10:00:00.000Z' } },
    });
    expect((await call('GET', 'secret/data/app/db?version=1', undefined, token)).body).toMatchObject({
      data: { data: { password: 'one' } },
    });
    expect(await call('POST', 'secret/data/app/db', { data: {}, options: { cas: 1 } }, token)).toEqual({
      status: 400,
      body: { errors: ['check-and-set parameter did not match the current version'] },
    });
    expect(await call('GET', 'secret/data/lost', undefined, token)).toEqual({ status: 404, body: { errors: [] } });
  });

  it('hides what is deleted, still describes it, and brings it back', async () => {
    const token = await open();
    await call('POST', 'secret/data/app/db', { data: { password: 'one' } }, token);
    expect((await call('DELETE', 'secret/data/app/db', undefined, token)).status).toBe(204);
    expect(await call('GET', 'secret/data/app/db', undefined, token)).toMatchObject({
      status: 404,
      body: { data: { data: null, metadata: { version: 1, destroyed: false } } },
    });
    await call('POST', 'secret/undelete/app/db', { versions: [1] }, token);
    expect((await call('GET', 'secret/data/app/db', undefined, token)).status).toBe(200);
  });

  it('lists names and folders, and tells metadata', async () => {
    const token = await open();
    for (const path of ['app/db', 'app/deep/key', 'minio'])
      await call('POST', `secret/data/${path}`, { data: { a: 1 } }, token);
    expect((await call('GET', 'secret/metadata/app?list=true', undefined, token)).body).toMatchObject({
      data: { keys: ['db', 'deep/'] },
    });
    expect((await call('GET', 'secret/metadata/?list=true', undefined, token)).body).toMatchObject({
      data: { keys: ['app/', 'minio'] },
    });
    await call('POST', 'secret/metadata/minio', { custom_metadata: { owner: 'data' } }, token);
    expect((await call('GET', 'secret/metadata/minio', undefined, token)).body).toMatchObject({
      data: {
        current_version: 1,
        oldest_version: 1,
        custom_metadata: { owner: 'data' },
        versions: { 1: { destroyed: false } },
      },
    });
    expect((await call('GET', 'kv/data/minio', undefined, token)).body).toEqual({
      errors: ['no handler for route "kv/data/minio". route entry not found.'],
    });
  });
});
