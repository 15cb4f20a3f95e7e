import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { basic, gitHandler, openServer, withAuthorization } from './testing/git-server.js';
import { TestRepository } from './testing/test-repository.js';
import { Cleanup, openTestSources, TestClock } from './testing/test-sources.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

/** Bytes that do not get smaller. */
function noise(bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  let state = 1;
  for (let at = 0; at < bytes; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    buffer[at] = state >>> 24;
  }
  return buffer;
}

describe('limits of git', () => {
  it('give up a server that never answers, and all helpers with it', async () => {
    const clock = new TestClock();
    const server = await openServer(cleanup, () => {
      clock.move(30_000);
    });
    const sources = await openTestSources(cleanup, { clock });
    await expect(sources.resolve({ url: `${server.origin}/app` }, 'main')).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
      message: 'the server was not done after 30 s',
    });
  });

  it('refuse a list of branches without end', async () => {
    const line = `${'a'.repeat(40)} refs/heads/branch-with-a-name\n`;
    const packet = (4 + line.length).toString(16).padStart(4, '0') + line;
    const server = await openServer(cleanup, (_, response) => {
      response
        .writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
        .write('001e# service=git-upload-pack\n0000');
      const more = (): void => {
        while (!response.destroyed && response.write(packet.repeat(5000)));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    });
    const sources = await openTestSources(cleanup, { limits: { gitMemoryBytes: 64 * 1024 * 1024 } });
    await expect(sources.resolve({ url: `${server.origin}/app` }, 'main')).rejects.toMatchObject({
      code: 'SOURCE_TOO_LARGE',
    });
  });

  it('refuse a repository that is too large, and leave nothing of it', async () => {
    const repository = new TestRepository(cleanup).write({ 'noise.bin': noise(6_000_000) });
    repository.commit();
    repository.git('config', 'uploadpack.allowFilter', 'false');
    const handler = gitHandler(dirname(repository.path));
    // A line that stands still after three megabytes: git can neither finish nor hide what it wrote.
    const server = await openServer(cleanup, (request, response) => {
      const [write, end] = [response.write.bind(response), response.end.bind(response)];
      let sent = 0;
      response.write = ((chunk: Buffer) => {
        if (sent > 3_000_000) return false;
        sent += chunk.length;
        return write(chunk);
      }) as typeof response.write;
      response.end = (() => (sent < 1_000_000 ? end() : response)) as typeof response.end;
      handler(request, response);
    });
    const sources = await openTestSources(cleanup, { limits: { fetchBytes: 1024 * 1024, partialBytes: 1024 * 1024 } });
    await expect(sources.resolve({ url: `${server.origin}/repository` }, 'main')).rejects.toMatchObject({
      code: 'SOURCE_TOO_LARGE',
      message: expect.stringContaining('1 MB') as string,
    });
    const mirror = join(
      sources.data,
      'git/mirrors',
      readdirSync(join(sources.data, 'git/mirrors')).find((name) => name.length === 64)!,
    );
    expect(readdirSync(join(mirror, 'objects/pack'))).toEqual([]);
  });

  it('say that git is missing', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    repository.commit();
    const sources = await openTestSources(cleanup, { environment: { PATH: '/nonexistent' } });
    await expect(sources.resolve({ url: repository.url }, 'main')).rejects.toMatchObject({
      message: expect.stringContaining('install git') as string,
    });
  });

  it('one repository that fails does not concern another', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const commit = repository.commit();
    const server = await openServer(cleanup, (_, response) => {
      response.writeHead(500).end();
    });
    const sources = await openTestSources(cleanup, { limits: { fetches: 1, readers: 1 } });
    const results = await Promise.allSettled([
      ...Array.from({ length: 5 }, (_, n) => sources.resolve({ url: `${server.origin}/app${n}` }, 'main')),
      sources.tree({ repository: { url: repository.url }, commit, paths: [''] }),
    ]);
    expect(results.map(({ status }) => status)).toEqual([...Array.from({ length: 5 }, () => 'rejected'), 'fulfilled']);
    expect(results[0]).toMatchObject({ reason: { code: 'SOURCE_UNREACHABLE', retry: true } });
  });
});

describe('after a kill', () => {
  it('a git that was left behind is ended before its mirror is used', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const commit = repository.commit();
    const first = await openTestSources(cleanup);
    await first.resolve({ url: repository.url }, 'main');
    await first.close();
    const mirror = join(
      first.data,
      'git/mirrors',
      readdirSync(join(first.data, 'git/mirrors')).find((name) => name.length === 64)!,
    );
    const orphan = spawn('git', ['cat-file', '--batch'], {
      cwd: mirror,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise((resolve) => {
      orphan.once('exit', (_, signal) => {
        resolve(signal);
      });
    });
    const started =
      readFileSync(`/proc/${orphan.pid ?? 0}/stat`, 'utf8')
        .split(') ')[1]
        ?.split(' ')[19] ?? '';
    writeFileSync(join(mirror, 'argosy.pid'), `${orphan.pid ?? 0} ${started}\n`);
    mkdirSync(join(first.data, 'git/private/call-old'), { recursive: true });
    writeFileSync(join(first.data, 'git/private/call-old/key'), 'secret');
    const second = await openTestSources(cleanup, { data: first.data });
    expect(readdirSync(join(first.data, 'git/private'))).toEqual([]);
    expect((await second.tree({ repository: { url: repository.url }, commit, paths: [''] })).commit).toBe(commit);
    expect(await ended).toBe('SIGKILL');
  });

  it('a process of another program with the same number is left alone', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    repository.commit();
    const first = await openTestSources(cleanup);
    await first.resolve({ url: repository.url }, 'main');
    const mirror = join(
      first.data,
      'git/mirrors',
      readdirSync(join(first.data, 'git/mirrors')).find((name) => name.length === 64)!,
    );
    writeFileSync(join(mirror, 'argosy.pid'), `${process.pid} 1\n`);
    const second = await openTestSources(cleanup, { data: first.data });
    expect((await second.resolve({ url: repository.url }, 'main')).ref).toBe('refs/heads/main');
  });
});

describe('access of others', () => {
  it('a failure of one access is not the failure of another', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const commit = repository.commit();
    const server = await openServer(
      cleanup,
      withAuthorization(basic('u', 'right'), gitHandler(dirname(repository.path))),
    );
    const sources = await openTestSources(cleanup, {
      accessTo: (_, project) => ({ username: 'u', password: project === 'good' ? 'right' : 'wrong' }),
    });
    const url = `${server.origin}/repository`;
    const [bad, good] = await Promise.allSettled([
      sources.resolve({ url, project: 'bad' }, 'main'),
      sources.resolve({ url, project: 'good' }, 'main'),
    ]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'SOURCE_REFUSED' } });
    expect(good).toMatchObject({ status: 'fulfilled', value: { commit } });
  });

  it('a submodule on another server sees no credentials of its parent', async () => {
    const folder = cleanup.folder();
    const library = new TestRepository(cleanup, join(folder, 'library')).write({ 'lib.yaml': 'lib' });
    const libraryCommit = library.commit();
    const elsewhere = await openServer(cleanup, gitHandler(folder));
    const outer = new TestRepository(cleanup, join(folder, 'outer'));
    outer.write({
      '.gitmodules':
        `[submodule "a"]\n\tpath = a\n\turl = ${elsewhere.origin}/library\n[submodule "b"]\n\tpath = b\n\turl ` +
        '= ../library\n',
    });
    outer.git('add', '-A');
    for (const path of ['a', 'b']) outer.git('update-index', '--add', '--cacheinfo', `160000,${libraryCommit},${path}`);
    outer.git('commit', '-q', '-m', 'submodules');
    const server = await openServer(cleanup, withAuthorization(basic('u', 'cAnArY'), gitHandler(folder)));
    const url = `${server.origin}/outer`;
    const sources = await openTestSources(cleanup, {
      accessTo: (asked) => (asked === url ? { username: 'u', password: 'cAnArY' } : {}),
    });
    const tree = await sources.tree({ repository: { url }, commit: outer.git('rev-parse', 'HEAD'), paths: [''] });
    expect(tree.root.entries.get('a')).toMatchObject({ kind: 'submodule', folder: { kind: 'folder' } });
    expect(tree.root.entries.get('b')).toMatchObject({ kind: 'submodule', folder: { kind: 'folder' } });
    expect(elsewhere.requests.length).toBeGreaterThan(0);
    expect(elsewhere.requests.join('\n')).not.toMatch(/authorization/);
  });
});
