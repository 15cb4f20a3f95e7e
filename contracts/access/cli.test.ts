import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKeycloak } from '../../world/doubles/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab } from './access-lab.js';
import { Browser } from './browser.js';

const missing = embeddedMissing();
const MAIN = join(import.meta.dirname, '../../dist/main.js');

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

describe.skipIf(missing !== undefined)(
  `argosy login and account${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let lab: AccessLab;
    const home = mkdtempSync(join(tmpdir(), 'argosy-login-'));
    const config = join(home, '.config/argosy/config');
    const server = (): string => new URL(lab.url).host;
    const run = (
      words: readonly string[],
      input = '',
      onLine: (line: string) => Promise<void> = () => Promise.resolve(),
    ): Promise<Ran> =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, ['--disable-proto=delete', MAIN, ...words], {
          env: { PATH: process.env['PATH'], HOME: home },
        });
        let [out, err] = ['', ''];
        child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
        child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
        createInterface({ input: child.stderr }).on('line', (line) => {
          onLine(line).catch(reject);
        });
        child.once('close', (code) => {
          resolve({ code, out, err });
        });
        child.stdin.end(input);
      });
    const login = (): Promise<Ran> =>
      run(['login', server(), '--username', 'admin', '--password-stdin'], `${lab.password}\n`);
    beforeAll(async () => {
      lab = await AccessLab.open();
      await lab.settings('argocd-cm', { 'accounts.ci': 'apiKey' });
    });
    afterAll(async () => {
      await lab.close();
      rmSync(home, { recursive: true, force: true });
    });

    it('explains how to log in when not logged in', async () => {
      expect(await run(['account', 'list'])).toEqual({
        code: 20,
        out: '',
        err: `argosy: not logged in (${config}). Log in with argosy login SERVER\n`,
      });
    });

    it('refuses a wrong password and keeps nothing', async () => {
      const { code, err } = await run(['login', server(), '--username', 'admin', '--password-stdin'], 'wrong-canary\n');
      expect([code, err.includes('Invalid username or password'), err.includes('wrong-canary')]).toEqual([
        20,
        true,
        false,
      ]);
      expect((await run(['account', 'list'])).code).toBe(20);
    });

    it('keeps a session where nobody else reads it', async () => {
      expect(await login()).toEqual({
        code: 0,
        out: `'admin' logged in successfully\nContext '${server()}' updated\n`,
        err: '',
      });
      expect(statSync(config).mode & 0o777).toBe(0o600);
      expect(readFileSync(config, 'utf8')).not.toContain(lab.password);
      expect((await run(['version', '--short'])).out).toMatch(/^argosy: v\S+\nargosy-server: v\S+\+argosy\n$/);
      expect((await run(['account', 'get-user-info'])).out).toBe(
        'Logged In: true\nUsername: admin\nIssuer: argocd\nGroups: \n',
      );
    });

    it('shows accounts, rights and tokens', async () => {
      expect((await run(['account', 'list'])).out).toBe(
        'NAME   ENABLED  CAPABILITIES\nadmin  true     login\nci     true     apiKey\n',
      );
      expect([
        (await run(['account', 'can-i', 'sync', 'applications', '*/*'])).out,
        (await run(['account', 'can-i', 'invoke', 'extensions', 'x'])).out,
      ]).toEqual(['yes\n', 'no\n']);
      const token = (
        await run(['account', 'generate-token', '--account', 'ci', '--id', 'build', '--expires-in', '90d'])
      ).out.trim();
      expect((await lab.request('/api/v1/account/ci', { token })).body).toMatchObject({ name: 'ci' });
      const [head = '', tokens = ''] = (await run(['account', 'get', '--account', 'ci'])).out.split('\n\n');
      expect(head).toMatch(/^Name: {15}ci\nEnabled: {12}true\nCapabilities: {7}apiKey$/);
      expect(tokens).toMatch(/^Tokens:\nID {5}ISSUED AT {13}EXPIRING AT\nbuild {2}\S+ {2}\S+\n$/);
      expect((await run(['account', 'delete-token', '--account', 'ci', 'build'])).code).toBe(0);
      expect((await lab.request('/api/v1/account/ci', { token })).status).toBe(401);
    });

    it('changes a password, and logs out', async () => {
      expect(
        await run(['account', 'update-password', '--password-stdin'], `${lab.password}\nanother password\n`),
      ).toMatchObject({ code: 0, err: '' });
      lab.password = 'another password';
      expect((await run(['account', 'list'])).err).toContain(
        'invalid session: account password has changed since token issued',
      );
      await login();
      const token = /auth-token: (\S+)/.exec(readFileSync(config, 'utf8'))?.[1] ?? '';
      expect((await run(['logout'])).out).toBe(`Logged out from '${server()}'\n`);
      expect(readFileSync(config, 'utf8')).not.toContain('auth-token');
      expect((await lab.request('/api/v1/account', { token })).status).toBe(401);
    });

    it('logs in with the provider: prints an address, and a browser comes back to this machine', async () => {
      const keycloak = await startKeycloak({
        admin: { username: 'admin', password: 'admins' },
        realms: [
          {
            realm: 'platform',
            clients: [
              { clientId: 'argocd' },
              { clientId: 'argocd-cli', isPublic: true, redirectUris: ['http://localhost:*'] },
            ],
            users: [{ username: 'alice', password: 'alices', groups: ['ops'] }],
          },
        ],
      });
      try {
        await lab.settings('argocd-cm', {
          'oidc.config':
            `name: Keycloak\nissuer: ${keycloak.issuer('platform')}\nclientID: argocd\ncliClientID: ` + 'argocd-cli\n',
        });
        await lab.until('the provider is known', async () =>
          JSON.stringify((await lab.request('/api/v1/settings')).body).includes('argocd-cli'),
        );
        const browser = new Browser(lab);
        const seen = await run(['login', server(), '--sso', '--sso-port', '0'], '', async (line) => {
          if (!line.startsWith('http')) return;
          const back = await browser.fillIn(line, 'alice', 'alices');
          expect((await fetch(back.replace(/state=[^&]+/, 'state=other'))).status).toBe(404);
          expect(await (await fetch(back)).text()).toContain('You are logged in');
        });
        expect(seen.out).toBe(`'alice@example.com' logged in successfully\nContext '${server()}' updated\n`);
        expect((await run(['account', 'get-user-info'])).out).toBe(
          `Logged In: true\nUsername: alice@example.com\nIssuer: ${keycloak.issuer('platform')}\nGroups: ops\n`,
        );
        expect((await run(['account', 'can-i', 'get', 'applications', '*/*'])).out).toBe('no\n');
      } finally {
        await keycloak.close();
      }
    });

    it.each([
      ['ftp://x', 'is not a server address'],
      ['http://argocd.example.com', 'the password would be sent unencrypted'],
      ['http://u:p@localhost', 'is not a server address'],
      ['', 'is not a server address'],
      ['localhost:1', 'no answer from http://localhost:1'],
    ])('login %j: %s', async (address, words) => {
      const { code, err } = await run(['login', address, '--username', 'a', '--password-stdin'], 'x\n');
      expect([code, err.includes(words)]).toEqual([20, true]);
    });
  },
);
