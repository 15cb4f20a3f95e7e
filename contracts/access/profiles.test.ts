import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as secureRequest, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject, own, parseJson, type JsonObject } from '../../src/model/json/index.js';
import { issueCertificate } from '../../src/model/certificates/index.js';
import { TrustedProxies } from '../../src/model/formats/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { GitRepository } from '../harness/git-repository.js';
import { APPLICATIONS, APP_PROJECTS } from '../../src/model/resources/index.js';
import { nativeClient } from '../harness/rpc-client.js';
import { AccessLab } from './access-lab.js';

const missing = embeddedMissing();
const MAIN = join(import.meta.dirname, '../../dist/main.js');
const PROXIES = TrustedProxies.parse('127.0.0.1');
if ('wrong' in PROXIES) throw new Error(PROXIES.wrong);
const PUSH = { ref: 'refs/heads/main', repository: { html_url: 'https://github.com/shop/web' } };

interface Seen {
  readonly status: number;
  readonly location: string;
  readonly cookies: readonly string[];
  readonly body: JsonObject;
  /** Of the server; empty over plain HTTP. */
  readonly commonName: string;
}

function ask(
  send: typeof plainRequest,
  url: string,
  { body, ...options }: RequestOptions & { readonly body?: JsonObject },
): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const request = send(url, { agent: false, ...options }, (response) => {
      const socket = response.socket as Partial<TLSSocket>;
      const commonName = socket.getPeerCertificate?.().subject.CN ?? '';
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () => {
        const value = text.startsWith('{') ? parseJson(text) : {};
        resolve({
          status: response.statusCode ?? 0,
          location: response.headers.location ?? '',
          cookies: response.headers['set-cookie'] ?? [],
          body: isObject(value) ? value : {},
          commonName: String(commonName),
        });
      });
    });
    request.once('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe.skipIf(missing !== undefined)(
  `the security profile shared${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let lab: AccessLab;
    let authority = '';
    const secure = (path: string, options: RequestOptions & { readonly body?: JsonObject } = {}): Promise<Seen> =>
      ask(secureRequest, `${lab.url}${path}`, { ca: authority, ...options });
    const post = (path: string, body: JsonObject, headers: Record<string, string> = {}): Promise<Seen> =>
      secure(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
    const kept = async (key: string): Promise<string> => {
      const data = (await lab.readSecret('argocd-secret'))?.data;
      const value = isObject(data) ? own(data, key) : undefined;
      return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : '';
    };
    const handOut = (commonName: string): { readonly certificate: string; readonly key: string } =>
      issueCertificate({ commonName, use: 'server', hosts: ['localhost'], notBefore: new Date(), days: 1 });

    beforeAll(async () => {
      lab = await AccessLab.open({
        security: {
          tls: { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' },
          requiresWebhookSecret: true,
          isAdminEnabledByDefault: false,
          trustedProxies: PROXIES,
        },
      });
      authority = await kept('tls.crt');
    });
    afterAll(() => lab.close());

    it('serves TLS with a certificate of its own that is kept in argocd-secret', async () => {
      expect(lab.url).toMatch(/^https:\/\/localhost:\d+$/);
      expect(authority).toMatch(/^-----BEGIN CERTIFICATE-----/);
      // The names that the server was given, beside those of its Service.
      const names = ['argocd.example.com', 'argocd-server.argocd.svc', 'localhost'];
      expect(names.map((name) => new X509Certificate(authority).checkHost(name))).toEqual(names);
      expect(await secure('/api/version')).toMatchObject({ status: 200, commonName: 'argosy' });
      await lab.restart();
      expect(await kept('tls.crt')).toBe(authority);
      await expect(secure('/api/version', { maxVersion: 'TLSv1.1' })).rejects.toThrow();
      await expect(secure('/api/version', { ca: handOut('other').certificate })).rejects.toThrow(/self-signed/);
    });

    it('speaks gRPC with clients that speak nothing else', async () => {
      const client = nativeClient(lab.url, authority);
      const { code, messages } = await client.call('version.VersionService/Version');
      client.close();
      expect([code, messages[0]?.['Version']]).toEqual([0, 'v3.5.6+argosy']);
    });

    it('sends plain HTTP to https, and does nothing else with it', async () => {
      const plain = lab.url.replace('https:', 'http:');
      expect(await ask(plainRequest, `${plain}/applications?project=shop`, {})).toMatchObject({
        status: 307,
        location: `${lab.url}/applications?project=shop`,
        body: {},
      });
      const headers = { host: 'evil.example.com/x?' };
      expect(await ask(plainRequest, `${plain}/`, { headers })).toMatchObject({ status: 400, location: '' });
    });

    it('has no local admin until somebody asks for one', async () => {
      expect(lab.password).toBe('');
      expect(await kept('admin.password')).toBe('');
      expect(await post('/api/v1/session', { username: 'admin', password: 'x' })).toMatchObject({ status: 401 });
      expect((await secure('/api/v1/settings')).body).toMatchObject({ userLoginsDisabled: true });
      await lab.settings('argocd-cm', { 'admin.enabled': 'true' });
      await lab.restart();
      expect(lab.password).not.toBe('');
      const { status, cookies } = await post('/api/v1/session', { username: 'admin', password: lab.password });
      expect(status).toBe(200);
      expect(cookies.map((cookie) => cookie.endsWith('; Secure'))).toEqual([true]);
    });

    it('knows who the client behind a trusted proxy is', async () => {
      const headers = { 'x-forwarded-for': '192.0.2.9, 203.0.113.7' };
      await post('/api/v1/session', { username: 'admin', password: 'x' }, headers);
      expect((await lab.audit()).at(-1)).toMatchObject({ verb: 'login', address: '203.0.113.7' });
    });

    it('refuses webhooks of a forge without a secret, also while there is none at all', async () => {
      const hook = (headers: Record<string, string>): Promise<Seen> => post('/api/webhook', PUSH, headers);
      const refused = {
        status: 400,
        body: { message: 'Webhook processing failed: the signature is missing or wrong' },
      };
      expect(await hook({ 'x-github-event': 'push' })).toMatchObject(refused);
      expect(lab.log.join('\n')).toContain('webhooks are refused until argocd-secret has a secret for them');
      await lab.secret('argocd-secret', { 'webhook.gitlab.secret': 'hush' });
      expect(await hook({ 'x-github-event': 'push' })).toMatchObject(refused);
      expect(await hook({ 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': 'hush' })).toMatchObject({ status: 202 });
    });

    it('takes a new certificate without a restart, and keeps the last good one', async () => {
      const first = handOut('first');
      const rotate = async (pair: { readonly certificate: string; readonly key: string }): Promise<void> => {
        await lab.secret('argocd-server-tls', { 'tls.crt': pair.certificate, 'tls.key': pair.key });
      };
      const own = authority;
      await rotate(first);
      authority = `${own}\n${first.certificate}`;
      const uses = (name: string) => async (): Promise<boolean> => (await secure('/healthz')).commonName === name;
      await lab.until('the Secret argocd-server-tls counts', uses('first'));
      await rotate({ certificate: first.certificate, key: handOut('other').key });
      await lab.until('it is told', () =>
        Promise.resolve(lab.log.join('\n').includes('the new certificate of the server is not used')),
      );
      expect(await uses('first')()).toBe(true);
      const second = handOut('second');
      authority = second.certificate;
      await rotate(second);
      await lab.until('the next one counts', () => uses('second')().catch(() => false));
      expect(lab.log.join('\n')).not.toContain('PRIVATE KEY');
    });

    it('does not start with a certificate that cannot be used, and names it', async () => {
      await lab.secret('argocd-server-tls', { 'tls.crt': 'nonsense', 'tls.key': '' });
      await expect(lab.restart()).rejects.toMatchObject({
        code: 'VALUE_INVALID',
        message: 'the certificate of the server is incomplete: tls.key is missing',
        where: 'tls.crt and tls.key of Secret argocd-server-tls',
      });
    });
  },
);

describe.skipIf(missing !== undefined)(
  `a start that its profile forbids${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let lab: AccessLab;
    const data = mkdtempSync(join(tmpdir(), 'argosy-profile-'));
    beforeAll(async () => {
      lab = await AccessLab.open();
    });
    afterAll(async () => {
      await lab.close();
      rmSync(data, { recursive: true, force: true });
    });

    const start = (words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> =>
      run([...words, '--data', data], environment);
    const run = (words: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> =>
      new Promise((resolve) => {
        execFile(
          process.execPath,
          [MAIN, ...words, '--kubeconfig', lab.kubeconfig],
          { env: { PATH: process.env['PATH'], HOME: data, ...environment } },
          (_error, out, err) => {
            resolve(`${err}${out}`);
          },
        );
      });

    it.each([
      [['serve', '--host', '0.0.0.0', '--port', '0'], /^argosy: the security profile laptop listens on loopback only/],
      [
        ['controller', '--metrics-address', '0.0.0.0', '--metrics-port', '0'],
        /not on 0\.0\.0\.0 \(--metrics-address\)\. Use --security-profile shared/,
      ],
      [
        ['controller', '--security-profile', 'shared', '--allow-file-repos', '/srv', '--metrics-port', '0'],
        /^argosy: the security profile shared allows no local folders as repositories \(--allow-file-repos\)\./,
      ],
    ])('%j', async (words, sentence) => {
      expect(await start(words)).toMatch(sentence);
    });

    it('a command says what works there, and it does', async () => {
      const repository = await GitRepository.open('/nonexistent', [], (text) => text);
      try {
        await repository.write('web/map.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: local}\n');
        await repository.commit();
        await lab.cluster.create(APP_PROJECTS, {
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'AppProject',
          metadata: { name: 'default', namespace: 'argocd' },
          spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
        });
        await lab.cluster.create(APPLICATIONS, {
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'Application',
          metadata: { name: 'local', namespace: 'argocd' },
          spec: {
            project: 'default',
            source: { repoURL: repository.url, path: 'web' },
            destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
          },
        });
        for (const words of [
          ['app', 'diff', 'local'],
          ['drift', 'local'],
        ]) {
          const refused = await run(words, {});
          const [, variable = '', value] = /Start with (\w+)=(FOLDER), or serve/.exec(refused) ?? [];
          expect([variable, value], refused).toEqual(['ARGOSY_ALLOW_FILE_REPOS', 'FOLDER']);
          const done = await run(words, { [variable]: repository.dir });
          expect(done).not.toContain('argosy:');
          expect(done).toContain('local');
        }
      } finally {
        await repository.close();
      }
    });

    it('a wrong value in the environment names the variable', async () => {
      expect(await start(['serve', '--port', '0'], { ARGOSY_SECURITY_PROFILE: 'open' })).toBe(
        'argosy: "open" is not a security profile (ARGOSY_SECURITY_PROFILE). Write laptop or shared\n',
      );
      expect(await start(['serve', '--port', '0'], { ARGOSY_PROFILE: 'rancher' })).toBe(
        'argosy: ARGOSY_PROFILE: "rancher" is not one of kubernetes, openshift. See argosy --help\n',
      );
      expect(await start(['up'], { ARGOSY_RUNTIME: 'docker' })).toBe(
        'argosy: ARGOSY_RUNTIME: "docker" is not one of simulate, process. See argosy --help\n',
      );
      expect(await start(['up'], { ARGOSY_CONTAINERD: '3' })).toBe(
        'argosy: ARGOSY_CONTAINERD: "3" is not one of 1.7, 2.1. See argosy --help\n',
      );
      for (const [command, name] of [
        ['up', 'ARGOSY_API_PORT'],
        ['serve', 'ARGOSY_PORT'],
        ['controller', 'ARGOSY_METRICS_PORT'],
      ] as const)
        expect(await start([command], { [name]: '80a' })).toBe(
          `argosy: ${name}: "80a" is not a port (0 to 65535). See argosy --help\n`,
        );
    });

    it.each([
      [
        'a folder',
        '--audit-log',
        tmpdir(),
        'the audit log cannot be written: EISDIR: illegal operation on a directory',
      ],
      [
        'a place below a file',
        '--audit-log',
        join(MAIN, 'x'),
        'the audit log cannot be written: ENOTDIR: not a directory',
      ],
      [
        'a key that is not there',
        '--audit-key',
        join(tmpdir(), 'argosy-no-key'),
        'the audit key cannot be read: ENOENT',
      ],
    ])('an audit log that is %s says so and names the flag', async (_, flag, value, sentence) => {
      const said = await start(['controller', '--metrics-port', '0', flag, value]);
      expect(said).toContain(`argosy: ${sentence}`);
      expect(said).toContain(`(${value}). Name a file that this user may use with ${flag}\n`);
    });

    it('a wrong value in argocd-cmd-params-cm names the key', async () => {
      await lab.settings('argocd-cmd-params-cm', { 'argosy.security-profile': 'open' });
      expect(await start(['serve', '--port', '0'])).toBe(
        'argosy: "open" is not a security profile (argosy.security-profile of argocd-cmd-params-cm). ' +
          'Write laptop or shared\n',
      );
    });
  },
);
