import { existsSync, mkdirSync, readdirSync, lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { SourceLimits } from './common/limits.js';
import { TestRepository } from './testing/test-repository.js';
import { Cleanup, openTestSources } from './testing/test-sources.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

interface Hostile {
  readonly name: string;
  /**
   * Makes the repository; `mark` is a file that appears where anything of it is run or written. Gives address and
   * revision.
   */
  readonly make: (repository: TestRepository, mark: string) => { url?: string; revision?: string } | undefined;
  /** The code of the refusal; none where the repository is simply read. */
  readonly code?: string;
  readonly limits?: Partial<SourceLimits>;
}

const touch = (mark: string): string => `#!/bin/sh\ntouch ${mark}\n`;

function submodule(repository: TestRepository, url: string, path = 'lib'): undefined {
  repository.write({ '.gitmodules': `[submodule "x"]\n\tpath = ${path}\n\turl = ${url}\n` });
  repository.git('add', '-A');
  repository.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib`);
  repository.git('commit', '-q', '-m', 'submodule');
  return undefined;
}

const REPOSITORIES: readonly Hostile[] = [
  {
    name: 'an address that is an option',
    make: (_, mark) => ({ url: `--upload-pack=touch ${mark}` }),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'an address with the ext transport',
    make: (_, mark) => ({ url: `ext::sh -c touch% ${mark}` }),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'an address with the ext transport without spaces',
    make: (_, mark) => ({ url: `ext::touch${mark}` }),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'an address with file:: in front',
    make: (repository) => ({ url: `file::${repository.path}` }),
    code: 'SOURCE_INVALID',
  },
  { name: 'an address that is a path', make: (repository) => ({ url: repository.path }), code: 'SOURCE_INVALID' },
  {
    name: 'an ssh host that is an option',
    make: (_, mark) => ({ url: `ssh://-oProxyCommand=touch${mark}/x` }),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a short ssh address that is an option',
    make: (_, mark) => ({ url: `-oProxyCommand=touch${mark}:x` }),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'an ssh user that is an option',
    make: (_, mark) => ({ url: `ssh://-oProxyCommand=touch${mark}@host/x` }),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a line break in the address',
    make: (_, mark) => ({ url: `https://host/x\n[core]\n\tsshCommand = touch ${mark}` }),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a revision that is an option',
    make: (_, mark) => ({ revision: `--upload-pack=touch ${mark}` }),
    code: 'REVISION_UNKNOWN',
  },
  {
    name: 'a revision that is an expression',
    make: () => ({ revision: 'main:../../etc/passwd' }),
    code: 'REVISION_UNKNOWN',
  },
  {
    name: 'a branch whose name looks like an option',
    make: (repository) => {
      repository.git('update-ref', 'refs/heads/--upload-pack=x', 'HEAD');
      return undefined;
    },
  },
  {
    name: 'hooks in the repository',
    make: (repository, mark) => {
      for (const hook of ['post-checkout', 'reference-transaction', 'pre-auto-gc', 'post-upload-pack']) {
        mkdirSync(join(repository.path, '.git/hooks'), { recursive: true });
        writeFileSync(join(repository.path, '.git/hooks', hook), touch(mark), { mode: 0o755 });
      }
      return undefined;
    },
  },
  {
    name: 'an fsmonitor and a pack hook in its settings',
    make: (repository, mark) => {
      writeFileSync(join(repository.path, 'run.sh'), touch(mark), { mode: 0o755 });
      repository.git('config', 'core.fsmonitor', join(repository.path, 'run.sh'));
      repository.git('config', 'uploadpack.packObjectsHook', join(repository.path, 'run.sh'));
      repository.git('config', 'core.sshCommand', join(repository.path, 'run.sh'));
      return undefined;
    },
  },
  {
    name: 'filters and LFS pointers',
    make: (repository, mark) => {
      repository.write({
        '.gitattributes': '* filter=lfs diff=lfs merge=lfs\n*.yaml filter=evil\n',
        '.lfsconfig': `[lfs]\n\turl = ext::touch ${mark}\n`,
        '.gitconfig': `[filter "evil"]\n\tsmudge = touch ${mark}\n`,
        'x.yaml': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
      });
      repository.commit();
      return undefined;
    },
  },
  {
    name: 'a submodule with the ext transport',
    make: (repository, mark) => submodule(repository, `ext::sh -c touch% ${mark}`),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a submodule whose address is an option',
    make: (repository, mark) => submodule(repository, `--upload-pack=touch${mark}`),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a submodule that is a path of this machine',
    make: (repository) => submodule(repository, '/etc'),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a submodule above the server',
    make: (repository) => submodule(repository, '../../../../../../../../etc'),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a submodule that .gitmodules places elsewhere',
    make: (repository) => submodule(repository, './x', '../../escape'),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a submodule of itself, without end',
    make: (repository) => {
      repository.write({ '.gitmodules': `[submodule "x"]\n\tpath = lib\n\turl = ${repository.url}\n` });
      repository.git('add', '-A');
      for (let level = 0; level < 6; level++) {
        repository.git('update-index', '--add', '--cacheinfo', `160000,${repository.git('rev-parse', 'HEAD')},lib`);
        repository.git('commit', '-q', '-m', 'again');
      }
      return undefined;
    },
    code: 'SOURCE_TOO_LARGE',
  },
  {
    name: 'a .git folder in a tree',
    make: (repository) => {
      const inner = repository.pipe(`100644 blob ${repository.blob('[core]\n\tfsmonitor = x\n')}\tconfig\n`, 'mktree');
      repository.commitTree([{ mode: '40000', name: '.git', id: inner }]);
      return undefined;
    },
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a .GIT folder in another spelling',
    make: (repository) =>
      void repository.commitTree([{ mode: '100644', name: '.g\u200cIt', id: repository.blob('x') }]),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a name that means the folder above',
    make: (repository) => void repository.commitTree([{ mode: '100644', name: '..', id: repository.blob('x') }]),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a name with a slash',
    make: (repository) =>
      void repository.commitTree([{ mode: '100644', name: '../../escape', id: repository.blob('x') }]),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a name twice, as file and as link',
    make: (repository) =>
      void repository.commitTree([
        { mode: '120000', name: 'a', id: repository.blob('/etc') },
        { mode: '100644', name: 'a', id: repository.blob('x') },
      ]),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'names that differ in case only',
    make: (repository) => void repository.write({ 'A/x.yaml': '1', 'a/x.yaml': '2' }).commit(),
  },
  {
    name: 'names that are no UTF-8',
    make: (repository) =>
      void repository.commitTree([
        { mode: '100644', name: Buffer.from([0xff, 0xfe]), id: repository.blob('x') },
        { mode: '100644', name: Buffer.from([0xff, 0xff]), id: repository.blob('y') },
      ]),
  },
  {
    name: 'links out of the repository',
    make: (repository) => void repository.link('a', '/etc/passwd').link('b', '../../../../etc').link('c', 'c').commit(),
  },
  {
    name: 'an entry that is neither file nor folder',
    make: (repository) => void repository.commitTree([{ mode: '60000', name: 'device', id: repository.blob('x') }]),
    code: 'SOURCE_INVALID',
  },
  {
    name: 'a folder that holds itself a billion times',
    make: (repository) => {
      let id = repository.pipe(`100644 blob ${repository.blob('x')}\ta\n`, 'mktree');
      for (let level = 0; level < 9; level++)
        id = repository.pipe(Array.from({ length: 10 }, (_, n) => `040000 tree ${id}\td${n}\n`).join(''), 'mktree');
      repository.git('update-ref', 'refs/heads/main', repository.pipe('bomb', 'commit-tree', id));
      return undefined;
    },
    code: 'SOURCE_TOO_LARGE',
  },
  {
    name: 'folders nested without end',
    make: (repository) => {
      let id = repository.pipe('', 'mktree');
      for (let level = 0; level < 30; level++) id = repository.pipe(`040000 tree ${id}\td\n`, 'mktree');
      repository.git('update-ref', 'refs/heads/main', repository.pipe('deep', 'commit-tree', id));
      return undefined;
    },
    code: 'SOURCE_TOO_LARGE',
    limits: { depth: 20 },
  },
  {
    name: 'a replacement for its own commit',
    make: (repository) => {
      const old = repository.git('rev-parse', 'HEAD');
      const other = repository.write({ 'other.yaml': 'x' }).commit();
      repository.git('replace', other, old);
      return undefined;
    },
  },
];

describe(`hostile repositories (${REPOSITORIES.length})`, () => {
  it.each(REPOSITORIES.map((hostile) => [hostile.name, hostile] as const))('%s', async (_, { make, code, limits }) => {
    const folder = cleanup.folder();
    const mark = join(folder, 'mark');
    const repository = new TestRepository(cleanup, join(folder, 'repository'));
    repository.write({ 'app.yaml': 'kind: ConfigMap\n' }).commit();
    const { url = repository.url, revision = 'main' } = make(repository, mark) ?? {};
    const before = listing(folder);
    const sources = await openTestSources(cleanup, limits === undefined ? {} : { limits });
    const outside = listing(sources.data, ['git']);
    const read = async (): Promise<unknown> => {
      const { commit } = await sources.resolve({ url }, revision);
      return sources.tree({ repository: { url }, commit, paths: [''] });
    };
    if (code === undefined) await expect(read()).resolves.toMatchObject({ root: { kind: 'folder' } });
    else
      await expect(read()).rejects.toMatchObject({
        code,
        message: expect.not.stringContaining(sources.data) as string,
      });
    expect(existsSync(mark), 'nothing ran').toBe(false);
    expect(listing(folder), 'nothing was written').toEqual(before);
    expect(listing(sources.data, ['git'])).toEqual(outside);
    expect(readdirSync(join(sources.data, 'git/private'))).toEqual([]);
  });
});

function listing(folder: string, but: readonly string[] = []): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => !but.some((part) => name === part || name.startsWith(`${part}/`)) && !name.includes('repository/.git/'),
    )
    .map(
      (name) =>
        `${name} ${lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true ? 'file' : 'folder'}`,
    )
    .sort();
}
