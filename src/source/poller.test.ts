import { createVerify, generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Poller } from './poller.js';
import { openServer } from './testing/git-server.js';
import { TestRepository } from './testing/test-repository.js';
import { Cleanup, openTestSources, TestClock } from './testing/test-sources.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

/** Lets promises that are settled go on. */
const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('polling', () => {
  it('looks after its time and a bit of chance, and later after failures', async () => {
    const clock = new TestClock();
    let isBroken = false;
    const look = vi.fn(() => (isBroken ? Promise.reject(new Error('no')) : Promise.resolve()));
    const poller = new Poller(
      { clock, random: () => 0.5 },
      { interval: () => ({ milliseconds: 100, jitter: 60 }), poll: look },
    );
    expect(clock.due).toEqual([50]);
    clock.move(50);
    await settle();
    expect([look.mock.calls.length, clock.due]).toEqual([1, [130]]);
    isBroken = true;
    clock.move(130);
    await settle();
    expect(clock.due).toEqual([230]);
    poller.close();
    expect(clock.due).toEqual([]);
  });

  it('looks at once when told, and once more where it was looking', async () => {
    const clock = new TestClock();
    const ends: (() => void)[] = [];
    const look = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          ends.push(resolve);
        }),
    );
    const poller = new Poller(
      { clock, random: () => 0.5 },
      { interval: () => ({ milliseconds: 100, jitter: 0 }), poll: look },
    );
    poller.notify();
    poller.notify();
    poller.notify();
    expect(look).toHaveBeenCalledTimes(1);
    ends[0]?.();
    await settle();
    clock.move(0);
    expect(look).toHaveBeenCalledTimes(2);
    poller.close();
  });
});

describe('watching', () => {
  it('tells of its first look, since a commit may have come before it, and then of new commits only', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    repository.commit();
    const sources = await openTestSources(cleanup, { clock: new TestClock() });
    const ref = { url: repository.url };
    let [told, times]: [() => void, number] = [() => undefined, 0];
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        told = resolve;
      });
    const stop = sources.watch(ref, () => {
      times++;
      told();
    });
    const first = next();
    expect(sources.notify(`${repository.url.toUpperCase().replace('FILE', 'file')}.git`)).toBe(1);
    expect(sources.notify('https://host/other')).toBe(0);
    await first;
    sources.notify(repository.url);
    // The same question as the look's own, so it ends with it.
    await sources.refs(ref, { maxAge: 0 });
    expect(times).toBe(1);
    const changed = next();
    const commit = repository.write({ a: '2' }).commit();
    sources.notify(repository.url);
    await changed;
    expect((await sources.resolve(ref, 'main')).commit).toBe(commit);
    stop();
    expect(sources.notify(repository.url)).toBe(0);
  });

  it('sees a commit in a folder of this machine at once, long before it would look', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    repository.commit();
    const sources = await openTestSources(cleanup, { poll: () => ({ milliseconds: 3_600_000, jitter: 0 }) });
    let told: () => void = () => undefined;
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        told = resolve;
      });
    const first = next();
    const stop = sources.watch({ url: repository.url }, () => {
      told();
    });
    for (const [at, branch] of ['main', 'feature/deep', 'main'].entries()) {
      const seen = at === 0 ? first : next();
      if (branch === 'feature/deep') repository.git('branch', branch);
      else repository.write({ a: String(at + 2) }).commit();
      await seen;
    }
    expect((await sources.resolve({ url: repository.url }, 'main', { maxAge: 0 })).commit).toBe(
      repository.git('rev-parse', 'HEAD'),
    );
    stop();
  });
});

describe('GitHub apps', () => {
  it('exchange their key for a token, which opens repositories', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const api = await openServer(cleanup, (_, response) => {
      response.writeHead(201).end(JSON.stringify({ token: 'ghs_token', expires_at: '2099-01-01T00:00:00Z' }));
    });
    const git = await openServer(cleanup, (_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    });
    const access = { githubApp: { id: 7, installation: 8, privateKey, baseUrl: `${api.origin}/api/v3` } };
    const sources = await openTestSources(cleanup, { accessTo: () => access });
    const error: unknown = await sources
      .resolve({ url: `${git.origin}/app` }, 'main')
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.not.stringContaining('ghs_token') as string,
    });
    await expect(sources.resolve({ url: `${git.origin}/app` }, 'main')).rejects.toThrow();
    expect(api.requests).toHaveLength(1);
    expect(api.requests[0]).toMatch(/^POST \/api\/v3\/app\/installations\/8\/access_tokens /);
    expect(git.requests.join('\n')).toContain(Buffer.from('x-access-token:ghs_token').toString('base64'));
    const [, token = '', signature = ''] =
      /"authorization":"Bearer ([^".]+\.[^".]+)\.([^"]+)"/.exec(api.requests[0] ?? '') ?? [];
    expect(createVerify('RSA-SHA256').update(token).verify(publicKey, signature, 'base64url')).toBe(true);
    expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({ iss: '7' });
  });
});
