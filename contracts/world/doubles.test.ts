import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isObject, parseJson, type Json, type JsonObject } from '../../src/model/json/index.js';
import { startKeycloak, startRegistry, startVault, type Double } from '../../world/doubles/index.js';
import { goProgram } from '../real/go-build.js';

const program = await goProgram('world-clients', join(import.meta.dirname, 'clients'));
const doubles: Double[] = [];
afterEach(async () => {
  for (const double of doubles.splice(0)) await double.close();
});

/** What a client prints, or the error that it ends with. */
function runClient(...words: string[]): Promise<Json> {
  if (program.kind === 'missing') throw new Error(program.reason);
  return new Promise((resolve, reject) => {
    execFile(
      program.path,
      words,
      { env: { PATH: process.env['PATH'], HOME: '/nonexistent' } },
      (error, stdout, stderr) => {
        if (error === null) resolve(parseJson(stdout));
        else reject(new Error(stderr.trim()));
      },
    );
  });
}

async function start<Started extends Double>(starting: Promise<Started>): Promise<Started> {
  const double = await starting;
  doubles.push(double);
  return double;
}

const object = (value: Json): JsonObject => (isObject(value) ? value : {});
const suffix = program.kind === 'missing' ? ` (skipped: ${program.reason})` : '';

describe.skipIf(program.kind === 'missing')(`doubles with the clients of others${suffix}`, () => {
  it("Vault: Vault's own client initialises, unseals, writes, reads and lists", async () => {
    const { url } = await start(startVault());
    expect(await runClient('vault', url, '', 'status')).toMatchObject({ initialized: false, sealed: true });
    const { keys, root_token: root } = object(await runClient('vault', url, '', 'init')) as {
      keys: string[];
      root_token: string;
    };
    await expect(runClient('vault', url, root, 'get', 'minio')).rejects.toThrow(
      /Code: 503\. Errors:\s+\* Vault is sealed/,
    );
    expect(await runClient('vault', url, '', 'unseal', keys[0] ?? '')).toMatchObject({ sealed: false });
    await expect(runClient('vault', url, root, 'get', 'minio')).rejects.toThrow('secret not found');
    expect(await runClient('vault', url, root, 'put', 'minio', 'user=root', 'password=one')).toMatchObject({
      VersionMetadata: { Version: 1 },
    });
    expect(await runClient('vault', url, root, 'get', 'minio')).toMatchObject({
      Data: { user: 'root' },
      VersionMetadata: { Version: 1, Destroyed: false },
    });
    expect(await runClient('vault', url, root, 'list', '')).toMatchObject({ data: { keys: ['minio'] } });
  });

  it("Vault: a service account logs in, and is told in Vault's words why not", async () => {
    const { url } = await start(startVault());
    const { keys, root_token: root } = object(await runClient('vault', url, '', 'init')) as {
      keys: string[];
      root_token: string;
    };
    await runClient('vault', url, '', 'unseal', keys[0] ?? '');
    await runClient(
      'vault',
      url,
      root,
      'config',
      'kubernetes_host=https://kubernetes.default.svc',
      'issuer=kubernetes/serviceaccount',
      'disable_iss_validation=false',
    );
    await runClient(
      'vault',
      url,
      root,
      'role',
      'eso',
      'bound_service_account_names=default',
      'bound_service_account_namespaces=ameide-dev',
      'token_policies=reader',
    );
    await runClient('vault', url, root, 'policy', 'reader', 'path "secret/data/*" { capabilities = ["read"] }');
    await runClient('vault', url, root, 'put', 'minio', 'user=root');
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const jwt =
      `${part({ alg: 'RS256' })}.` +
      part({
        iss: 'https://kubernetes.default.svc',
        'kubernetes.io': { namespace: 'ameide-dev', serviceaccount: { name: 'default', uid: 'u' } },
      }) +
      `.${part('s')}`;
    await expect(runClient('vault', url, '', 'login', 'eso', jwt)).rejects.toThrow(
      /Code: 403\. Errors:\s+\* invalid issuer \(iss\) claim/,
    );
    await runClient(
      'vault',
      url,
      root,
      'config',
      'kubernetes_host=https://kubernetes.default.svc',
      'disable_iss_validation=true',
    );
    const { auth } = object(await runClient('vault', url, '', 'login', 'eso', jwt)) as {
      auth: { client_token: string };
    };
    expect(await runClient('vault', url, auth.client_token, 'get', 'minio')).toMatchObject({ Data: { user: 'root' } });
    await expect(runClient('vault', url, auth.client_token, 'put', 'minio', 'user=me')).rejects.toThrow(
      /Code: 403[\s\S]*permission denied/,
    );
  });

  it('registry: the client of crane pulls images and lists tags', async () => {
    const registry = await start(
      startRegistry({
        images: ['library/nginx:1.27', 'ameideio/transformation:dev'],
        private: ['ameideio/transformation'],
        users: [{ name: 'robot', password: 'ghp_1' }],
        style: 'docker',
      }),
    );
    expect(await runClient('image', registry.url, 'library/nginx:1.27')).toMatchObject({
      architecture: 'amd64',
      layers: 1,
    });
    expect(await runClient('tags', registry.url, 'library/nginx')).toEqual(['1.27']);
    await expect(runClient('image', registry.url, 'library/nginx:main')).rejects.toThrow(
      'MANIFEST_UNKNOWN: manifest unknown',
    );
    await expect(runClient('image', registry.url, 'ameideio/transformation:dev')).rejects.toThrow(
      'UNAUTHORIZED: authentication required',
    );
    expect(await runClient('image', registry.url, 'ameideio/transformation:dev', 'robot', 'ghp_1')).toMatchObject({
      layers: 1,
    });
    registry.limitPulls(0);
    await expect(runClient('image', registry.url, 'library/nginx:1.27')).rejects.toThrow(
      'TOOMANYREQUESTS: You have reached your unauthenticated pull rate limit.',
    );
  });

  it('Keycloak: the OIDC library of Argo CD discovers, exchanges, verifies, and follows rotated keys', async () => {
    const [callback, verifier] = ['http://localhost:8080/auth/callback', 'v'.repeat(43)];
    const keycloak = await start(
      startKeycloak({
        admin: { username: 'admin', password: 'a' },
        realms: [
          {
            realm: 'ameide',
            clients: [{ clientId: 'argocd', secret: 'first', redirectUris: [callback] }],
            users: [{ username: 'ada', password: 'lace', groups: ['admins'] }],
          },
        ],
      }),
    );
    const issuer = keycloak.issuer('ameide');
    const code = async (): Promise<string> => {
      const query = new URLSearchParams({
        client_id: 'argocd',
        redirect_uri: callback,
        response_type: 'code',
        scope: 'openid profile email groups',
        nonce: 'n',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      const page = await (await fetch(`${issuer}/protocol/openid-connect/auth?${query.toString()}`)).text();
      const back = await fetch(/action="([^"]+)"/.exec(page)?.[1] ?? '', {
        method: 'POST',
        body: new URLSearchParams({ username: 'ada', password: 'lace' }),
        redirect: 'manual',
      });
      return new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '';
    };
    expect(await runClient('oidc', issuer, 'argocd', 'first', callback, await code(), verifier)).toMatchObject({
      groups: ['admins'],
      username: 'ada',
      nonce: 'n',
      email: 'ada@example.com',
    });
    keycloak.rotateKeys('ameide');
    expect(await runClient('oidc', issuer, 'argocd', 'first', callback, await code(), verifier)).toMatchObject({
      username: 'ada',
    });
    await expect(runClient('oidc', issuer, 'argocd', 'old', callback, await code(), verifier)).rejects.toThrow(
      '"unauthorized_client" "Invalid client or Invalid client credentials"',
    );
    await expect(runClient('oidc', issuer, 'argocd', 'first', callback, await code(), 'w'.repeat(43))).rejects.toThrow(
      '"invalid_grant" "PKCE verification failed: Code mismatch"',
    );
  });
});
