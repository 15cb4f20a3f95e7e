import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { TestRepository } from './testing/test-repository.js';
import { Cleanup, openTestSources, type TestSources } from './testing/test-sources.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const CANARY = 'cAnArY-of-the-host';

interface Host {
  readonly sources: TestSources;
  /** The folder that may hold repositories. */
  readonly allowed: string;
  /** A repository elsewhere on the machine. */
  readonly foreign: TestRepository;
  /** A mirror in the data directory, with a private repository in it. */
  readonly mirror: string;
}

async function openHost(): Promise<Host> {
  const root = cleanup.folder();
  const [data, allowed] = [join(root, 'data'), join(root, 'allowed')];
  const foreign = new TestRepository(cleanup, join(root, 'foreign'));
  foreign.write({ secret: CANARY }).commit();
  const filled = await openTestSources(cleanup, { data, fileRepositories: [root] });
  await filled.resolve({ url: foreign.url }, 'main');
  await filled.close();
  const [name = ''] = readdirSync(join(data, 'git/mirrors'));
  const own = new TestRepository(cleanup, join(allowed, 'own'));
  own.write({ a: 'a' }).commit();
  const sources = await openTestSources(cleanup, { data, fileRepositories: [allowed] });
  return { sources, allowed, foreign, mirror: join(data, 'git/mirrors', name) };
}

/** Addresses, made from what lies on the host, that must not be read. */
const WAYS: Readonly<Record<string, (host: Host) => string>> = {
  'its own address': ({ foreign }) => foreign.url,
  'a mirror of the data directory': ({ mirror }) => `file://${mirror}`,
  'a mirror through `..`': ({ allowed, mirror }) => `file://${allowed}/..${mirror.slice(allowed.lastIndexOf('/'))}`,
  '`..` out of the folder': ({ allowed }) => `file://${allowed}/own/../../foreign`,
  'encoded `..`': ({ allowed }) => `file://${allowed}/%2e%2e/foreign`,
  'an encoded letter': ({ foreign }) => `file://${foreign.path.replace(/n$/, '%6e')}`,
  'the name of this machine': ({ foreign }) => `file://localhost${foreign.path}`,
  'a plain path': ({ foreign }) => foreign.path,
  'a folder whose name begins alike': ({ allowed, foreign }) => {
    renameSync(foreign.path, `${allowed}-2`);
    return `file://${allowed}-2`;
  },
  'a link': ({ allowed, foreign }) => {
    symlinkSync(foreign.path, join(allowed, 'link'));
    return `file://${allowed}/link`;
  },
  'a link as .git': ({ allowed, mirror }) => {
    mkdirSync(join(allowed, 'a'));
    symlinkSync(mirror, join(allowed, 'a/.git'));
    return `file://${allowed}/a`;
  },
  'a file as .git': ({ allowed, foreign }) => {
    mkdirSync(join(allowed, 'a'));
    writeFileSync(join(allowed, 'a/.git'), `gitdir: ${foreign.path}/.git\n`);
    return `file://${allowed}/a`;
  },
  'a link with .git at its end': ({ allowed, mirror }) => {
    mkdirSync(join(allowed, 'a'));
    symlinkSync(mirror, join(allowed, 'a.git'));
    return `file://${allowed}/a`;
  },
  'a work tree of it': ({ allowed, foreign }) => {
    foreign.git('worktree', 'add', '-q', join(allowed, 'tree'), '-b', 'side');
    return `file://${allowed}/tree`;
  },
  'a shared object store': ({ allowed, foreign }) => {
    execFileSync('git', ['clone', '-q', '--bare', '--shared', foreign.path, join(allowed, 'clone')]);
    return `file://${allowed}/clone`;
  },
  'alternates of the data directory': ({ allowed, mirror }) => {
    execFileSync('git', ['clone', '-q', '--bare', '--no-local', mirror, join(allowed, 'clone')]);
    rmSync(join(allowed, 'clone/objects/pack'), { recursive: true });
    writeFileSync(join(allowed, 'clone/objects/info/alternates'), `${mirror}/objects\n`);
    return `file://${allowed}/clone`;
  },
  'alternates of alternates': ({ allowed, mirror }) => {
    for (const name of ['first', 'second']) execFileSync('git', ['init', '-q', '--bare', join(allowed, name)]);
    writeFileSync(join(allowed, 'first/objects/info/alternates'), '../../second/objects\n');
    writeFileSync(join(allowed, 'second/objects/info/alternates'), `${mirror}/objects\n`);
    return `file://${allowed}/first`;
  },
  'objects that are a link': ({ allowed, mirror }) => {
    execFileSync('git', ['init', '-q', '--bare', join(allowed, 'b')]);
    rmSync(join(allowed, 'b/objects'), { recursive: true });
    symlinkSync(join(mirror, 'objects'), join(allowed, 'b/objects'));
    return `file://${allowed}/b`;
  },
  'a pack that is a link': ({ allowed, mirror }) => {
    execFileSync('git', ['init', '-q', '--bare', join(allowed, 'b')]);
    for (const name of readdirSync(join(mirror, 'objects/pack')))
      symlinkSync(join(mirror, 'objects/pack', name), join(allowed, 'b/objects/pack', name));
    return `file://${allowed}/b`;
  },
};

describe('a repository on this machine that is not allowed', () => {
  it.each(Object.entries(WAYS))('is not read by %s', async (_, way) => {
    const host = await openHost();
    const commit = host.foreign.git('rev-parse', 'main');
    const url = way(host);
    for (const read of [
      () => host.sources.tree({ repository: { url }, commit, paths: [''] }),
      () => host.sources.resolve({ url }, 'HEAD'),
      () => host.sources.refs({ url }),
      () => host.sources.peek(url, 'HEAD', {}),
    ])
      await expect(read()).rejects.toMatchObject({
        code: expect.stringMatching(/^SOURCE_(REFUSED|INVALID)$/) as string,
        message: expect.stringMatching(
          /in no folder of this machine that may be read|absolute path|no repository address/,
        ) as string,
      });
  });

  it('is refused like one that does not exist', async () => {
    const { sources, foreign } = await openHost();
    const messageOf = (url: string): Promise<string> =>
      sources.resolve({ url }, 'main').then(
        () => 'read',
        (error: unknown) => String(error),
      );
    expect(await messageOf(foreign.url)).toBe(await messageOf(`${foreign.url}-that-is-not-there`));
    expect(await messageOf('file:///etc/passwd')).toBe(await messageOf('file:///etc/no-such-file'));
  });

  it('is not read as a submodule', async () => {
    const { sources, allowed, foreign } = await openHost();
    const own = new TestRepository(cleanup, join(allowed, 'parent'));
    own.write({ '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ../../foreign\n` });
    own.git('add', '-A');
    own.git('update-index', '--add', '--cacheinfo', `160000,${foreign.git('rev-parse', 'main')},x`);
    own.git('commit', '-q', '-m', 'take');
    const read = sources.tree({ repository: { url: own.url }, commit: own.git('rev-parse', 'HEAD'), paths: ['x'] });
    await expect(read).rejects.toThrow(/in no folder of this machine that may be read/);
  });

  it('is not read because settings of the user lead there', async () => {
    const home = cleanup.folder();
    const { foreign, allowed, sources } = await openHost();
    writeFileSync(join(home, '.gitconfig'), `[url "${foreign.url}"]\n\tinsteadOf = file://${allowed}/own\n`);
    const other = await openTestSources(cleanup, {
      data: sources.data,
      fileRepositories: [allowed],
      environment: { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_GLOBAL: join(home, '.gitconfig') },
    });
    const { commit } = await other.resolve({ url: `file://${allowed}/own` }, 'main');
    expect(commit).not.toBe(foreign.git('rev-parse', 'main'));
  });

  it('is not read where no folder is allowed', async () => {
    const { foreign, sources } = await openHost();
    const none = await openTestSources(cleanup, { data: sources.data, fileRepositories: [] });
    await expect(none.resolve({ url: foreign.url }, 'main')).rejects.toMatchObject({
      code: 'SOURCE_INVALID',
      hint: expect.stringContaining('--allow-file-repos') as string,
    });
  });
});

describe('a repository on this machine that is allowed', () => {
  it('is read, also through a link that stays in the folder, and from the folder itself', async () => {
    const { sources, allowed } = await openHost();
    symlinkSync(join(allowed, 'own'), join(allowed, 'alias'));
    const { commit } = await sources.resolve({ url: `file://${allowed}/alias` }, 'main');
    expect(commit).toBe((await sources.resolve({ url: `file://${allowed}/own/.git` }, 'main')).commit);
    const itself = await openTestSources(cleanup, { data: sources.data, fileRepositories: [join(allowed, 'own')] });
    expect((await itself.resolve({ url: `file://${allowed}/${basename('own')}` }, 'main')).commit).toBe(commit);
  });

  it('is looked at for all who ask at once, and again for who asks later', async () => {
    const { sources, allowed, foreign } = await openHost();
    const url = `file://${allowed}/own`;
    const resolved = await Promise.all(Array.from({ length: 20 }, () => sources.resolve({ url }, 'main')));
    expect(new Set(resolved.map(({ commit }) => commit)).size).toBe(1);
    rmSync(join(allowed, 'own'), { recursive: true });
    symlinkSync(foreign.path, join(allowed, 'own'));
    const refusals = await Promise.allSettled(Array.from({ length: 20 }, () => sources.resolve({ url }, 'main')));
    expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 'rejected'));
  });

  it('may be in the data directory where its folder is named, as that of the demo, but never a mirror', async () => {
    const { sources, mirror } = await openHost();
    const demo = new TestRepository(cleanup, join(sources.data, 'demo/git/platform'));
    const commit = demo.write({ a: 'a' }).commit();
    const up = await openTestSources(cleanup, {
      data: sources.data,
      fileRepositories: [join(sources.data, 'demo/git'), join(sources.data, 'git/mirrors')],
    });
    expect((await up.resolve({ url: demo.url }, 'main')).commit).toBe(commit);
    await expect(up.resolve({ url: `file://${mirror}` }, 'main')).rejects.toThrow(
      /in no folder of this machine that may be read/,
    );
  });
});
