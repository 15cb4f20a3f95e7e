import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOidcConfig } from './config.js';
import { Provider } from './provider.js';

const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;
const clock = { now: () => Date.now(), steady: () => performance.now() };

/** A provider behind a certificate that it made itself; `moved` is what its documents say of the token endpoint. */
async function withProvider(
  act: (issuer: string, rootCA: string) => Promise<void>,
  { moved = '', name = 'IP:127.0.0.1' } = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-oidc-'));
  spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    join(folder, 'key'),
    '-out',
    join(folder, 'pem'),
    '-days',
    '2',
    '-subj',
    '/CN=provider',
    '-addext',
    `subjectAltName=${name}`,
  ]);
  const [key, cert] = ['key', 'pem'].map((file) => readFileSync(join(folder, file), 'utf8'));
  const server = createServer({ key, cert }, (request, response) => {
    const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (request.url === '/redirect/.well-known/openid-configuration')
      response.writeHead(302, { location: `${issuer}/.well-known/openid-configuration` }).end();
    else
      response.end(
        JSON.stringify({
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: moved === '' ? `${issuer}/token` : moved,
          jwks_uri: `${issuer}/keys`,
        }),
      );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    await act(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, cert ?? '');
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function discovered(issuer: string, rootCA: string): Promise<string> {
  const provider = new Provider(issuer, rootCA, clock);
  try {
    return (await provider.endpoints()).token;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await provider.close();
  }
}

describe.skipIf(!hasOpenssl)(
  `S22: the provider is who the settings say${hasOpenssl ? '' : ' (skipped: openssl)'}`,
  () => {
    it('an untrusted certificate fails the login, unless rootCA trusts it', () =>
      withProvider(async (issuer, rootCA) => {
        expect(await discovered(issuer, '')).toMatch(
          /^the provider cannot be reached \((DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)\)$/,
        );
        expect(await discovered(issuer, rootCA)).toBe(`${issuer}/token`);
      }));

    it('a certificate for another name fails it too', () =>
      withProvider(
        async (issuer, rootCA) => {
          expect(await discovered(issuer, rootCA)).toBe(
            'the provider cannot be reached (ERR_TLS_CERT_ALTNAME_INVALID)',
          );
        },
        { name: 'DNS:other.example.com' },
      ));

    it('redirects are not followed, and TLS is required', async () => {
      await withProvider(async (issuer, rootCA) => {
        expect(await discovered(`${issuer}/redirect`, rootCA)).toBe('the provider answered 302');
        expect(await discovered(`${issuer}/other`, rootCA)).toBe(
          'the issuer of the provider differs from that in oidc.config',
        );
      });
      for (const moved of ['http://127.0.0.1:1/token', 'javascript:alert(1)', 'ftp://x', 'https://u:p@x/']) {
        await withProvider(
          async (issuer, rootCA) => {
            expect(await discovered(issuer, rootCA)).toBe('the token_endpoint of the provider is not an https URL');
          },
          { moved },
        );
      }
    });
  },
);

describe('oidc.config', () => {
  const read = (text: string): ReturnType<typeof readOidcConfig> =>
    readOidcConfig(text, (reference) =>
      new Map([
        ['a', ' one\n'],
        ['b:c', 'two'],
      ]).get(reference),
    );
  const problem = (text: string): string | undefined => {
    const given = read(text);
    return given !== undefined && 'problem' in given ? given.problem : undefined;
  };

  it("resolves references to Secrets, and applies Argo CD's defaults", () => {
    expect(read('issuer: https://a\nclientID: $a\nclientSecret: $b:c\ncliClientID: cli')).toMatchObject({
      config: {
        name: 'SSO',
        clientId: 'one',
        clientSecret: 'two',
        scopes: ['openid', 'profile', 'email', 'groups'],
        audiences: ['one', 'cli'],
      },
    });
    expect(read('issuer: https://a\nclientID: x\nallowedAudiences: [other]\nrequestedScopes: [openid]')).toMatchObject({
      config: { audiences: ['other'], scopes: ['openid'] },
    });
    expect(read(' \n')).toBeUndefined();
  });

  it.each([
    ['clientID: a', 'oidc.config of argocd-cm has no issuer'],
    ['issuer: https://a', 'oidc.config of argocd-cm has no clientID'],
    ['[]', 'oidc.config of argocd-cm is not an object'],
    [
      'issuer: https://a\nclientID: a\nrefreshTokenThreshold: soon',
      'refreshTokenThreshold in oidc.config of argocd-cm is not a duration such as 5m',
    ],
    [
      'issuer: https://a\nclientID: a\nuserInfoPath: https://evil.example.com/',
      'userInfoPath in oidc.config of argocd-cm is not a path such as /userinfo',
    ],
    ['a: [', 'oidc.config of argocd-cm is not YAML'],
    [
      'issuer: http://sso.example.com\nclientID: a',
      'issuer in oidc.config of argocd-cm must be an https address; http is for loopback only',
    ],
    [
      'issuer: https://a\nclientID: a\nclientSecret: $none',
      'oidc.config of argocd-cm refers to $none, which no Secret of Argo CD has',
    ],
  ])('reports a problem with %j', (text, words) => {
    expect(problem(text)).toBe(words);
  });

  it.each(['http://localhost:8080/realms/a', 'http://127.0.0.1', 'http://sso.localhost', 'https://sso.example.com'])(
    '%s may be a provider',
    (issuer) => {
      expect(problem(`issuer: ${issuer}\nclientID: a`)).toBeUndefined();
    },
  );
});
