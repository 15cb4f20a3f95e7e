import { createServer, type AddressInfo, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { gitHandler, openServer } from './testing/git-server.js';
import { TestRepository } from './testing/test-repository.js';
import { Cleanup, openTestSources } from './testing/test-sources.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

/** Accepts every connection and never answers. */
async function openHangingServer(): Promise<{ readonly url: string; readonly waitForOne: Promise<void> }> {
  const sockets = new Set<Socket>();
  let connected = (): void => undefined;
  const waitForOne = new Promise<void>((resolve) => {
    connected = resolve;
  });
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    connected();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanup.add(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, waitForOne };
}

describe('a git server that accepts and never answers', () => {
  it('delays no other project, nor another server of the same one', async () => {
    const repository = new TestRepository(cleanup).write({ a: 'a' });
    const commit = repository.commit();
    const { origin } = await openServer(cleanup, gitHandler(dirname(repository.path)));
    const hanging = await openHangingServer();
    const sources = await openTestSources(cleanup, { limits: { fetches: 8 } });
    let ended = 0;
    const stuck = Array.from({ length: 24 }, (_, index) =>
      sources.resolve({ url: `${hanging.url}/app${index}`, project: 'a' }, 'main').catch(() => {
        ended++;
      }),
    );
    await hanging.waitForOne;
    for (const project of ['b', 'c', 'a']) {
      const ref = { url: `${origin}/repository`, project };
      expect((await sources.resolve(ref, 'main', { maxAge: 0 })).commit).toBe(commit);
      await sources.tree({ repository: ref, commit, paths: [''] });
    }
    expect(ended).toBe(0);
    await sources.close();
    await Promise.all(stuck);
  });
});
