import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { freePorts } from '../../contracts/real/free-port.js';
import type { RepositoryAccess } from './access/repository-access.js';
import { basic, gitHandler, openServer, processesWith, withAuthorization } from './testing/git-server.js';
import { TestRepository } from './testing/test-repository.js';
import { Cleanup, openTestSources, type TestSources } from './testing/test-sources.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const CANARY = 'cAnArY-s3cr3t';

/** Everything that a person or a disk could see afterwards. */
async function outputs(sources: TestSources, work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const shown: string[] = [...sources.reports];
  for (let at = error; at instanceof Error; at = at.cause) shown.push(at.message, at.stack ?? '', JSON.stringify(at));
  for (const name of readdirSync(join(sources.data, 'git'), { recursive: true, encoding: 'utf8' })) {
    const path = join(sources.data, 'git', name);
    shown.push(name, statSync(path).isFile() ? readFileSync(path, 'latin1') : '');
  }
  return shown.join('\n');
}

function repositoryIn(folder: string): TestRepository {
  const repository = new TestRepository(cleanup, join(folder, 'app'));
  repository.write({ 'a.yaml': 'a' }).commit();
  return repository;
}

function using(access: RepositoryAccess): Promise<TestSources> {
  return openTestSources(cleanup, { accessTo: () => access });
}

describe('https credentials', () => {
  it('open a repository by user and password, and no process shows them', async () => {
    const repository = repositoryIn(cleanup.folder());
    const seen: string[] = [];
    const handler = withAuthorization(basic('alice', CANARY), gitHandler(dirname(repository.path)));
    const server = await openServer(cleanup, (request, response) => {
      seen.push(
        ...processesWith(CANARY),
        ...processesWith(Buffer.from(`alice:${CANARY}`).toString('base64').slice(0, 16)),
      );
      handler(request, response);
    });
    const sources = await using({ username: 'alice', password: CANARY });
    const resolved = await sources.resolve({ url: `${server.origin}/app` }, 'main');
    expect(resolved.commit).toBe(repository.git('rev-parse', 'main'));
    expect(seen).toEqual([]);
    expect(await outputs(sources, Promise.resolve())).not.toContain(CANARY);
    expect(readdirSync(join(sources.data, 'git/private'))).toEqual([]);
  });

  it.each<[string, RepositoryAccess, string]>([
    ['a bearer token', { bearerToken: CANARY }, `Bearer ${CANARY}`],
    ['a password without a user', { password: CANARY }, basic('x-access-token', CANARY)],
    ['basic before the server asks', { username: 'alice', password: CANARY, forceBasic: true }, basic('alice', CANARY)],
  ])('open a repository by %s', async (_, access, expected) => {
    const repository = repositoryIn(cleanup.folder());
    const seen: string[] = [];
    const handler = withAuthorization(expected, gitHandler(dirname(repository.path)));
    const server = await openServer(cleanup, (request, response) => {
      seen.push(...processesWith(CANARY));
      handler(request, response);
    });
    const sources = await using(access);
    expect((await sources.resolve({ url: `${server.origin}/app` }, 'main')).ref).toBe('refs/heads/main');
    expect(seen).toEqual([]);
  });

  it('inside an address work, and are nowhere to be seen', async () => {
    const repository = repositoryIn(cleanup.folder());
    const server = await openServer(
      cleanup,
      withAuthorization(basic('alice', CANARY), gitHandler(dirname(repository.path))),
    );
    const sources = await openTestSources(cleanup);
    const url = `${server.origin.replace('//', `//alice:${CANARY}@`)}/app`;
    const tree = await sources.tree({ repository: { url }, commit: repository.git('rev-parse', 'main'), paths: [] });
    expect(tree.repository).toBe(`${server.origin}/app`);
    expect(await outputs(sources, sources.resolve({ url }, 'nowhere'))).not.toContain(CANARY);
  });

  it.each<[string, RepositoryAccess, string]>([
    ['a wrong password', { username: 'alice', password: CANARY }, '/app'],
    ['a wrong token', { bearerToken: CANARY }, '/app'],
    ['a wrong password in the address', {}, `//alice:${CANARY}@`],
    [
      'a proxy with a password that is not there',
      { username: 'a', password: 'b', proxy: `http://user:${CANARY}@127.0.0.1:1` },
      '/app',
    ],
  ])('%s is a refusal without the secret', async (_, access, path) => {
    const server = await openServer(
      cleanup,
      withAuthorization('never', () => undefined),
    );
    const sources = await using(access);
    const url = path.startsWith('//') ? `${server.origin.replace('//', path)}/app` : `${server.origin}${path}`;
    const work = sources.resolve({ url }, 'main');
    await expect(work).rejects.toMatchObject({
      code: access.proxy === undefined ? 'SOURCE_REFUSED' : 'SOURCE_UNREACHABLE',
    });
    expect(await outputs(sources, work)).not.toContain(CANARY);
  });

  it('a token in a query is refused and never shown', async () => {
    const sources = await openTestSources(cleanup);
    const work = sources.resolve({ url: `https://127.0.0.1/app?token=${CANARY}` }, 'main');
    await expect(work).rejects.toMatchObject({ code: 'SOURCE_INVALID' });
    expect(await outputs(sources, work)).not.toContain(CANARY);
  });

  it.each<[string, RepositoryAccess]>([
    ['user and password', { username: 'alice', password: CANARY }],
    ['user and password sent unasked', { username: 'alice', password: CANARY, forceBasic: true }],
    ['a token', { bearerToken: CANARY }],
  ])('%s do not follow a redirect to another server', async (_, access) => {
    const repository = repositoryIn(cleanup.folder());
    const other = await openServer(cleanup, (request, response) => {
      if (request.headers.authorization === undefined)
        response.writeHead(401, { 'www-authenticate': 'Basic realm="other"' }).end();
      else gitHandler(dirname(repository.path))(request, response);
    });
    for (const isAsked of [true, false]) {
      const first = await openServer(cleanup, (request, response) => {
        if (isAsked && request.headers.authorization === undefined)
          response.writeHead(401, { 'www-authenticate': 'Basic realm="first"' }).end();
        else response.writeHead(302, { location: `${other.origin}${request.url ?? ''}` }).end();
      });
      const sources = await using(access);
      await expect(sources.resolve({ url: `${first.origin}/app` }, 'main')).rejects.toMatchObject({
        code: 'SOURCE_REFUSED',
      });
    }
    expect(other.requests.filter((request) => /authorization/i.test(request))).toEqual([]);
  });

  it('a redirect on the same server is followed with credentials', async () => {
    const repository = repositoryIn(cleanup.folder());
    const handler = withAuthorization(basic('alice', CANARY), gitHandler(dirname(repository.path)));
    const server = await openServer(cleanup, (request, response) => {
      if (request.url?.startsWith('/old/') === true)
        response.writeHead(301, { location: request.url.replace('/old/', '/app/') }).end();
      else handler(request, response);
    });
    const sources = await using({ username: 'alice', password: CANARY });
    expect((await sources.resolve({ url: `${server.origin}/old` }, 'HEAD')).ref).toBe('refs/heads/main');
  });
});

describe('tls', () => {
  const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;
  it.skipIf(!hasOpenssl)(
    hasOpenssl ? 'trusts only known authorities, and shows a client certificate' : 'skipped: openssl',
    async () => {
      const folder = cleanup.folder();
      const make = (name: string): { cert: string; key: string } => {
        spawnSync('openssl', [
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-keyout',
          join(folder, `${name}.key`),
          '-out',
          join(folder, `${name}.pem`),
          '-days',
          '2',
          '-subj',
          `/CN=${name}`,
          '-addext',
          'subjectAltName=IP:127.0.0.1',
        ]);
        return {
          cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
          key: readFileSync(join(folder, `${name}.key`), 'utf8'),
        };
      };
      const [server, client] = [make('server'), make('client')];
      const repository = repositoryIn(folder);
      const { origin } = await openServer(cleanup, gitHandler(folder), {
        ...server,
        ca: client.cert,
        requestCert: true,
        rejectUnauthorized: true,
      });
      const ref = { url: `${origin}/app` };
      const clientCertificate = { certificate: client.cert, key: client.key };
      const good = await using({ certificateAuthority: server.cert, clientCertificate });
      expect((await good.resolve(ref, 'main')).commit).toBe(repository.git('rev-parse', 'main'));
      const careless = await using({ insecure: true, clientCertificate });
      expect((await careless.resolve(ref, 'main')).ref).toBe('refs/heads/main');
      const stranger = await using({ clientCertificate });
      const untrusted = stranger.resolve(ref, 'main');
      await expect(untrusted).rejects.toMatchObject({ code: 'SOURCE_REFUSED' });
      expect(await outputs(stranger, untrusted)).not.toContain(client.key.split('\n')[1]);
      await expect((await using({ certificateAuthority: server.cert })).resolve(ref, 'main')).rejects.toThrow();
    },
  );
});

describe('git protocol', () => {
  it('reads from a git daemon', async () => {
    const repository = repositoryIn(cleanup.folder());
    const [port = 0] = await freePorts(1);
    const daemon = spawn(
      'git',
      [
        'daemon',
        '--reuseaddr',
        '--export-all',
        `--base-path=${dirname(repository.path)}`,
        '--listen=127.0.0.1',
        `--port=${port}`,
        '--verbose',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    );
    cleanup.add(() => {
      if (daemon.pid !== undefined) process.kill(-daemon.pid);
    });
    await new Promise<void>((resolve) => {
      daemon.stderr.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('Ready')) resolve();
      });
    });
    const sources = await openTestSources(cleanup);
    expect((await sources.resolve({ url: `git://127.0.0.1:${port}/app` }, 'main')).commit).toBe(
      repository.git('rev-parse', 'main'),
    );
  });
});

const SSHD = findSshd();

/** A server that would start here: as root it needs a user of its own. */
function findSshd(): string | undefined {
  const places = [
    ...(process.env['PATH'] ?? '').split(':'),
    '/usr/sbin',
    join(homedir(), '.cache/argosy/parts/openssh/usr/sbin'),
  ];
  const program = places.map((place) => join(place, 'sshd')).find((path) => existsSync(path));
  const folder = mkdtempSync(join(tmpdir(), 'argosy-sshd-'));
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')]);
  writeFileSync(join(folder, 'config'), `HostKey ${join(folder, 'key')}\nUsePAM no\n`);
  const isUsable = program !== undefined && spawnSync(program, ['-t', '-f', join(folder, 'config')]).status === 0;
  rmSync(folder, { recursive: true, force: true });
  return isUsable ? program : undefined;
}

describe('ssh', () => {
  it.skipIf(SSHD === undefined)(
    SSHD === undefined ? 'skipped: sshd' : 'opens a repository by key, and only with a known host key',
    async () => {
      const folder = cleanup.folder();
      const repository = repositoryIn(folder);
      for (const name of ['host', 'user', 'stranger'])
        spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
      const [port = 0] = await freePorts(1);
      writeFileSync(
        join(folder, 'sshd_config'),
        [
          `Port ${port}`,
          'ListenAddress 127.0.0.1',
          `HostKey ${join(folder, 'host')}`,
          `AuthorizedKeysFile ${join(folder, 'user.pub')}`,
          `PidFile ${join(folder, 'pid')}`,
          'StrictModes no',
          'UsePAM no',
          'PasswordAuthentication no',
          'KbdInteractiveAuthentication no',
          'PermitRootLogin yes',
          '',
        ].join('\n'),
      );
      const daemon = spawn(SSHD ?? '', ['-D', '-e', '-f', join(folder, 'sshd_config')], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      cleanup.add(() => {
        daemon.kill();
      });
      await new Promise<void>((resolve) => {
        daemon.stderr.on('data', (chunk: Buffer) => {
          if (chunk.toString().includes('Server listening')) resolve();
        });
      });
      const [kind = '', key = ''] = readFileSync(join(folder, 'host.pub'), 'utf8').split(' ');
      const knownHosts = `[127.0.0.1]:${port} ${kind} ${key}`;
      const sshPrivateKey = readFileSync(join(folder, 'user'), 'utf8');
      const url = `ssh://${userInfo().username}@127.0.0.1:${port}${repository.path}`;
      const good = await using({ sshPrivateKey, knownHosts });
      expect((await good.resolve({ url }, 'main')).commit).toBe(repository.git('rev-parse', 'main'));
      expect(readdirSync(join(good.data, 'git/private'))).toEqual([]);
      const unknownHost = await using({ sshPrivateKey, knownHosts: '' });
      const refused = unknownHost.resolve({ url }, 'main');
      await expect(refused).rejects.toMatchObject({
        code: 'SOURCE_REFUSED',
        message: expect.stringContaining('host key') as string,
      });
      const stranger = await using({ sshPrivateKey: readFileSync(join(folder, 'stranger'), 'utf8'), knownHosts });
      const denied = stranger.resolve({ url }, 'main');
      await expect(denied).rejects.toMatchObject({
        code: 'SOURCE_REFUSED',
        message: expect.stringContaining('ssh key') as string,
      });
      expect(await outputs(stranger, denied)).not.toContain(
        readFileSync(join(folder, 'stranger'), 'utf8').split('\n')[1],
      );
      expect((await (await using({ sshPrivateKey, insecure: true })).resolve({ url }, 'main')).ref).toBe(
        'refs/heads/main',
      );
    },
  );
});
