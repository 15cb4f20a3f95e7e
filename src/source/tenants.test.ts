import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { TreeFolder } from '../model/formats/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import { readRepositoryRegistry } from './access/index.js';
import type { RepositoryRef, Sources } from './sources.js';
import { FileStore, selectPaths } from './tree/file-store.js';
import { FolderStore } from './tree/folder-store.js';
import { SOURCE_LIMITS } from './common/index.js';
import { basic, gitHandler, openServer, withAuthorization, type Handler } from './testing/git-server.js';
import { hashOf, openRegistry, packedChart } from './testing/test-registry.js';
import { TestRepository } from './testing/test-repository.js';
import { Cleanup, openTestSources, TestClock, type TestSources } from './testing/test-sources.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const CANARY = 'cAnArY-of-team-a';
const BLOB = createHash('sha1').update(`blob ${CANARY.length}\0${CANARY}`).digest('hex');

/** A repository Secret as a cluster has it. */
function secret(name: string, fields: Readonly<Record<string, string>>, type = 'repository'): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, uid: `uid of ${name}`, labels: { 'argocd.argoproj.io/secret-type': type } },
    stringData: fields,
  };
}

interface Teams {
  readonly sources: TestSources;
  readonly url: string;
  readonly repository: TestRepository;
  /** Requests that the server of the private repository got for objects. */
  readonly fetches: () => number;
  /** What the cluster has; tests change it. */
  secrets: KubeObject[];
  /** What the server asks for. */
  password: string;
}

/** A server whose one repository only the Secret of project a opens. */
async function openTeams(clock?: TestClock): Promise<Teams> {
  const folder = cleanup.folder();
  const repository = new TestRepository(cleanup, join(folder, 'private'));
  repository.write({ 'app/secret.yaml': CANARY }).commit();
  repository.write({ 'app/more.yaml': 'more' }).commit();
  repository.git('branch', 'hidden');
  const state = { password: 'right' };
  const handler: Handler = (request, response) => {
    withAuthorization(basic('a', state.password), gitHandler(folder))(request, response);
  };
  const server = await openServer(cleanup, handler);
  const url = `${server.origin}/private`;
  const teams = {
    url,
    repository,
    secrets: [secret('a', { url, project: 'a', username: 'a', password: 'right' })],
    fetches: () => server.requests.filter((request) => request.startsWith('POST')).length,
    get password() {
      return state.password;
    },
    set password(password: string) {
      state.password = password;
    },
  };
  const sources = await openTestSources(cleanup, {
    accessTo: (wanted, project) => readRepositoryRegistry(teams.secrets).access(wanted, project),
    ...(clock === undefined ? {} : { clock }),
  });
  return Object.assign(teams, { sources });
}

/** Everything that one who names the private repository can ask, with what it knows of it: address, ids, names. */
const WAYS: Readonly<
  Record<string, (sources: Sources, repository: RepositoryRef, commit: string) => Promise<unknown>>
> = {
  'a full commit id': (sources, repository, commit) => sources.resolve(repository, commit),
  'the beginning of a commit id': (sources, repository, commit) => sources.resolve(repository, commit.slice(0, 10)),
  'the tree of a commit': (sources, repository, commit) => sources.tree({ repository, commit, paths: [''] }),
  'a branch that only it has': (sources, repository) => sources.resolve(repository, 'hidden'),
  'a branch, as it was known before': (sources, repository) =>
    sources.resolve(repository, 'main', { maxAge: 3_600_000 }),
  'its branches': (sources, repository) => sources.refs(repository, { maxAge: 3_600_000 }),
  'the branches that have a path': (sources, repository) => sources.branchesWithPath(repository, 'app'),
  'the message of a commit': (sources, repository, commit) => sources.describe(repository, commit),
  'the commits before one': (sources, repository, commit) => sources.earlier(repository, commit, 5),
  'its signatures': (sources, repository, commit) => sources.verify(repository, { commit, ref: '' }, new Map(), 'head'),
  'more of a tree that was read before': (sources, repository, commit) =>
    sources.load(
      repository,
      {
        repository: repository.url,
        commit,
        root: { kind: 'folder', id: 'x', entries: new Map([['x', { kind: 'file', id: BLOB, executable: false }]]) },
      },
      ['x'],
    ),
};

/** Reads everything as the team that may. */
async function readAll({ sources, url, repository }: Teams, project = 'a'): Promise<void> {
  const ref = { url, project };
  const { commit } = await sources.resolve(ref, 'hidden');
  expect(commit).toBe(repository.git('rev-parse', 'hidden'));
  const tree = await sources.tree({ repository: ref, commit, paths: [''] });
  expect(contents(tree.root)).toContain(CANARY);
}

/** All file contents of a tree. */
function contents(folder: TreeFolder): string {
  return [...folder.entries.values()]
    .map((node) => {
      if (node.kind === 'folder') return contents(node);
      return node.kind === 'file' ? Buffer.from(node.bytes ?? []).toString() : '';
    })
    .join('\n');
}

describe('the private repository of another project', () => {
  it.each(Object.entries(WAYS))('is not opened by %s', async (_, way) => {
    const teams = await openTeams();
    await readAll(teams);
    const commit = teams.repository.git('rev-parse', 'main');
    for (const ref of [
      { url: teams.url, project: 'b' },
      { url: teams.url },
      { url: teams.url.replace('//', '//a@'), project: 'b' },
      { url: teams.url.replace('//', '//b:guess@'), project: 'b' },
    ])
      await expect(way(teams.sources, ref, commit)).rejects.toMatchObject({ code: 'SOURCE_REFUSED' });
    await way(teams.sources, { url: teams.url, project: 'a' }, commit);
  });

  it('is not opened by a Secret of one’s own with other credentials', async () => {
    const teams = await openTeams();
    await readAll(teams);
    teams.secrets.push(secret('b', { url: teams.url, project: 'b', username: 'a', password: 'wrong' }));
    const commit = teams.repository.git('rev-parse', 'main');
    await expect(teams.sources.resolve({ url: teams.url, project: 'b' }, commit)).rejects.toThrow(/credentials/);
  });

  it('is not opened by a submodule of a repository of one’s own', async () => {
    const teams = await openTeams();
    await readAll(teams);
    const own = new TestRepository(cleanup, join(dirname(teams.repository.path), 'own'));
    own.write({ '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ${teams.url}\n` });
    own.git('add', '-A');
    own.git('update-index', '--add', '--cacheinfo', `160000,${teams.repository.git('rev-parse', 'main')},x`);
    own.git('commit', '-q', '-m', 'take');
    const commit = own.git('rev-parse', 'HEAD');
    const read = teams.sources.tree({ repository: { url: own.url, project: 'b' }, commit, paths: ['x/app'] });
    await expect(read).rejects.toMatchObject({ code: 'SOURCE_REFUSED' });
  });
});

describe('objects that a tree names', () => {
  it('are read from its own repository, whatever was read of others before', async () => {
    const ids = { folder: '1'.repeat(40), file: '2'.repeat(40) };
    const file = Buffer.concat([Buffer.from('100644 secret\0'), Buffer.from(ids.file, 'hex')]);
    const source = (scope: string, objects: Readonly<Record<string, Buffer>>) => ({
      scope,
      read: (wanted: readonly string[]) =>
        Promise.resolve(
          wanted.map((id) => {
            const bytes = objects[id];
            if (bytes === undefined) throw new Error('the repository lacks it');
            return { size: bytes.length, bytes };
          }),
        ),
    });
    const [folders, files] = [new FolderStore(SOURCE_LIMITS), new FileStore(SOURCE_LIMITS)];
    const theirs = source('a', { [ids.folder]: file, [ids.file]: Buffer.from(CANARY) });
    const allowance = { maxBytes: 1000, left: 1000, tryTake: () => true } as never;
    const root = await folders.load(ids.folder, theirs);
    expect(contents(await files.load(root, 'all', theirs, allowance))).toContain(CANARY);
    const ours = source('b', {});
    await expect(folders.load(ids.folder, ours)).rejects.toThrow('lacks');
    await expect(files.load(root, selectPaths(['secret']), ours, allowance)).rejects.toThrow('lacks');
  });
});

describe('credentials that change', () => {
  it('end what was read with them, once their Secret is deleted', async () => {
    const teams = await openTeams();
    await readAll(teams);
    const [ref, commit] = [{ url: teams.url, project: 'a' }, teams.repository.git('rev-parse', 'main')];
    const before = teams.sources.accessVersion(ref);
    teams.secrets = [];
    expect(teams.sources.accessVersion(ref)).not.toBe(before);
    await expect(teams.sources.tree({ repository: ref, commit, paths: [''] })).rejects.toThrow(/credentials/);
  });

  it('open nothing that was read before until the server takes them; then it is not fetched anew', async () => {
    const teams = await openTeams();
    await readAll(teams);
    const [ref, commit] = [{ url: teams.url, project: 'a' }, teams.repository.git('rev-parse', 'main')];
    const mirrors = readdirSync(join(teams.sources.data, 'git/mirrors'));
    teams.password = 'new';
    teams.secrets = [secret('a', { url: teams.url, project: 'a', username: 'a', password: 'new' })];
    const before = teams.fetches();
    await teams.sources.resolve(ref, commit);
    expect(readdirSync(join(teams.sources.data, 'git/mirrors'))).toEqual(mirrors);
    // References only: nothing is new.
    expect(teams.fetches() - before).toBeLessThanOrEqual(1);
    teams.secrets = [secret('a', { url: teams.url, project: 'a', username: 'a', password: 'guess' })];
    await expect(teams.sources.resolve(ref, commit)).rejects.toThrow(/credentials/);
    await expect(teams.sources.resolve(ref, commit)).rejects.toThrow(/credentials/);
  });

  it('are not those of the project that had the Secret before', async () => {
    const teams = await openTeams();
    await readAll(teams);
    const commit = teams.repository.git('rev-parse', 'main');
    teams.secrets = [secret('a', { url: teams.url, project: 'b' })];
    await expect(teams.sources.resolve({ url: teams.url, project: 'b' }, commit)).rejects.toThrow(/credentials/);
  });
});

describe('mirrors', () => {
  it('are shared by projects that open a repository with the same Secret, with one fetch', async () => {
    const teams = await openTeams();
    teams.secrets = [
      secret('all', { url: teams.url.replace('/private', ''), username: 'a', password: 'right' }, 'repo-creds'),
    ];
    await Promise.all(['a', 'b', 'c'].map((project) => readAll(teams, project)));
    expect(readdirSync(join(teams.sources.data, 'git/mirrors'))).toHaveLength(1);
    const all = teams.fetches();
    await readAll(teams, 'd');
    expect(teams.fetches()).toBe(all);
  });

  it('carry names that tell nothing, in folders that nobody else reads', async () => {
    const teams = await openTeams();
    await readAll(teams);
    const [name = ''] = readdirSync(join(teams.sources.data, 'git/mirrors'));
    expect(name).toMatch(/^[0-9a-f]{64}$/);
    const other = await openTeams();
    other.secrets = teams.secrets;
    expect(other.sources.accessVersion({ url: teams.url, project: 'a' })).not.toContain(name);
  });

  it('that are not used for a week are removed, and those that older versions shared', async () => {
    const teams = await openTeams();
    const git = join(teams.sources.data, 'git');
    const [old, young] = [join(git, 'mirrors', 'a'.repeat(64)), join(git, 'mirrors', 'b'.repeat(64))];
    for (const [folder, days] of [
      [old, 8],
      [young, 6],
    ] as const) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'url'), 'x\n');
      const at = Date.now() / 1000 - days * 86_400;
      utimesSync(join(folder, 'url'), at, at);
    }
    await readAll(teams);
    await expect.poll(() => readdirSync(join(git, 'mirrors'))).not.toContain('a'.repeat(64));
    expect(readdirSync(join(git, 'mirrors'))).toContain('b'.repeat(64));
    await teams.sources.close();
    mkdirSync(join(git, 'c'.repeat(64)));
    await openTestSources(cleanup, { data: teams.sources.data });
    expect(readdirSync(git)).not.toContain('c'.repeat(64));
  });
});

describe('watches', () => {
  it('ask with the credentials of the project, once for those who open a repository in the same way', async () => {
    const clock = new TestClock();
    const teams = await openTeams(clock);
    const seen: string[] = [];
    for (const project of ['a', 'b', 'c'])
      teams.sources.watch({ url: teams.url, project }, () => {
        seen.push(project);
      });
    expect(clock.due).toHaveLength(2);
    clock.move(SOURCE_LIMITS.pollMilliseconds);
    await expect.poll(() => [...seen].sort()).toEqual(['a', 'b', 'c']);
    expect(teams.sources.reports.filter((report) => report.includes('cannot be read'))).toHaveLength(1);
    // From now on b may read it too.
    teams.secrets.push(secret('b', { url: teams.url, project: 'b', username: 'a', password: 'right' }));
    expect(teams.sources.notify(teams.url)).toBe(3);
    await expect.poll(() => seen.filter((project) => project === 'b')).toHaveLength(2);
  });
});

describe('charts of another project', () => {
  const chart = packedChart('app', '1.0.0');

  async function openCharts(
    index: (origin: string) => string,
    more: readonly KubeObject[] = [],
  ): Promise<{ sources: TestSources; origin: string }> {
    const theirs = await openServer(
      cleanup,
      withAuthorization(basic('a', 'right'), (request, response) => {
        response.end(
          request.url?.endsWith('index.yaml') === true
            ? `entries:\n  app:\n  - version: 1.0.0\n    urls: [app.tgz]\n`
            : chart,
        );
      }),
    );
    const own = await openServer(cleanup, (_, response) => {
      response.end(index(theirs.origin));
    });
    const book = readRepositoryRegistry([
      secret('a', { url: theirs.origin, project: 'a', username: 'a', password: 'right', type: 'helm' }),
      ...more,
    ]);
    const sources = await openTestSources(cleanup, { accessTo: (url, project) => book.access(url, project) });
    const read = { repository: { url: theirs.origin, project: 'a' }, chart: 'app', version: '1.0.0' };
    expect(Buffer.from((await sources.fetchChart(read)).bytes)).toEqual(chart);
    return { sources, origin: own.origin };
  }

  it.each([
    ['digest', (origin: string) => `digest: ${hashOf(chart)}\n    urls: [${origin}/nowhere.tgz]`],
    ['address', (origin: string) => `urls: [${origin}/app.tgz]`],
  ])('are not given to an index that names their %s', async (_, naming) => {
    const { sources, origin } = await openCharts(
      (theirs) => `entries:\n  app:\n  - version: 1.0.0\n    ${naming(theirs)}\n`,
    );
    const read = sources.fetchChart({ repository: { url: origin, project: 'b' }, chart: 'app', version: '1.0.0' });
    await expect(read).rejects.toMatchObject({ code: 'SOURCE_REFUSED' });
  });

  it('are not given to a registry whose manifest names their digest', async () => {
    const registry = await openRegistry(cleanup, { isForged: true });
    const url = registry.origin.replace('http:', 'oci:') + '/charts';
    const { sources } = await openCharts(
      () => '',
      [secret('b', { url, project: 'b', type: 'helm', enableOCI: 'true', insecureOCIForceHttp: 'true' })],
    );
    const read = sources.fetchChart({ repository: { url, project: 'b' }, chart: 'app', version: '1.0.0' });
    await expect(read).rejects.toThrow(/not the one that the manifest names/);
  });
});
