import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Tree, TreeFolder, TreeNode } from '../model/formats/index.js';
import { TestRepository } from './testing/test-repository.js';
import { Cleanup, openTestSources } from './testing/test-sources.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

function at(tree: Tree, path: string): TreeNode | undefined {
  let node: TreeNode | undefined = tree.root;
  for (const name of path.split('/')) {
    const folder: TreeNode | undefined = node?.kind === 'submodule' ? node.folder : node;
    node = folder?.kind === 'folder' ? folder.entries.get(name) : undefined;
  }
  return node;
}

function text(tree: Tree, path: string): string | undefined {
  const node = at(tree, path);
  return node?.kind === 'file' && node.bytes !== undefined ? Buffer.from(node.bytes).toString() : undefined;
}

describe('trees', () => {
  it('gives all folders of a commit and the content of what is wanted', async () => {
    const repository = new TestRepository(cleanup)
      .write({ 'a/one.yaml': 'one', 'a/b/two.yaml': 'two', 'c/three.yaml': 'three', 'run.sh': '#!' })
      .link('a/link', '../c');
    chmodSync(join(repository.path, 'run.sh'), 0o755);
    const commit = repository.commit();
    const sources = await openTestSources(cleanup);
    const ref = { url: repository.url };
    const resolved = await sources.resolve(ref, 'main');
    expect(resolved).toEqual({ commit, ref: 'refs/heads/main' });
    const tree = await sources.tree({ repository: ref, commit, paths: ['a'] });
    expect([text(tree, 'a/one.yaml'), text(tree, 'a/b/two.yaml'), text(tree, 'c/three.yaml')]).toEqual([
      'one',
      'two',
      undefined,
    ]);
    expect(at(tree, 'a/link')).toMatchObject({ kind: 'link', target: '../c' });
    expect(at(tree, 'run.sh')).toMatchObject({ kind: 'file', executable: true });
    expect([...tree.root.entries.keys()]).toEqual(['a', 'c', 'run.sh']);
    expect(tree.root.id).toBe(repository.git('rev-parse', 'HEAD^{tree}'));
    const more = await sources.load(ref, tree, ['c/three.yaml']);
    expect([text(more, 'c/three.yaml'), text(more, 'a/one.yaml'), text(tree, 'c/three.yaml')]).toEqual([
      'three',
      'one',
      undefined,
    ]);
  });

  it('shares the folders that two commits have in common', async () => {
    const repository = new TestRepository(cleanup).write({ 'a/one.yaml': '1', 'b/two.yaml': '2' });
    const first = repository.commit();
    const second = repository.write({ 'a/one.yaml': '11' }).commit();
    const sources = await openTestSources(cleanup);
    const ref = { url: repository.url };
    const trees = [
      await sources.tree({ repository: ref, commit: first, paths: [] }),
      await sources.tree({ repository: ref, commit: second, paths: [] }),
    ];
    expect(at(trees[0]!, 'b')).toBe(at(trees[1]!, 'b'));
    expect(at(trees[0]!, 'a')).not.toBe(at(trees[1]!, 'a'));
  });

  it('names a file that is too large when it is asked for, and leaves it out of a folder', async () => {
    const repository = new TestRepository(cleanup).write({ 'a/large.bin': Buffer.alloc(5000, 1), 'a/small.yaml': 'x' });
    const commit = repository.commit();
    const sources = await openTestSources(cleanup, { limits: { fileBytes: 1000 } });
    const tree = await sources.tree({ repository: { url: repository.url }, commit, paths: ['a'] });
    expect([text(tree, 'a/small.yaml'), at(tree, 'a/large.bin')]).toEqual([
      'x',
      expect.objectContaining({ size: 5000 }),
    ]);
    await expect(sources.load({ url: repository.url }, tree, ['a/large.bin'])).rejects.toMatchObject({
      code: 'SOURCE_TOO_LARGE',
      where: expect.stringContaining('a/large.bin') as string,
    });
  });

  it('reads past a very large file without keeping it', async () => {
    const repository = new TestRepository(cleanup).write({
      'huge.bin': Buffer.alloc(40 * 1024 * 1024),
      'medium.bin': Buffer.alloc(3_000_000),
      'small.yaml': 'x',
    });
    const commit = repository.commit();
    const sources = await openTestSources(cleanup, { limits: { fileBytes: 1_000_000 } });
    const tree = await sources.tree({ repository: { url: repository.url }, commit, paths: [''] });
    expect(text(tree, 'small.yaml')).toBe('x');
    expect([at(tree, 'huge.bin'), at(tree, 'medium.bin')]).toEqual([
      expect.objectContaining({ size: 40 * 1024 * 1024 }),
      expect.objectContaining({ size: 3_000_000 }),
    ]);
  });

  it('bounds what one tree holds', async () => {
    const repository = new TestRepository(cleanup).write(
      Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, Buffer.alloc(1000, n)])),
    );
    const commit = repository.commit();
    const sources = await openTestSources(cleanup, { limits: { treeBytes: 10_000 } });
    const ref = { url: repository.url };
    const tree = await sources.tree({ repository: ref, commit, paths: [''] });
    const loaded = [...tree.root.entries]
      .filter(([, node]) => node.kind === 'file' && node.bytes !== undefined)
      .map(([name]) => name);
    expect(loaded).toHaveLength(10);
    const missing = [...tree.root.entries.keys()].find((name) => !loaded.includes(name))!;
    await expect(sources.load(ref, tree, [missing])).rejects.toMatchObject({
      code: 'SOURCE_TOO_LARGE',
      where: expect.stringContaining(missing) as string,
    });
  });
});

describe('mirrors', () => {
  it('sees a new commit, a moved branch and a deleted one', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    repository.commit();
    repository.git('branch', 'old/name');
    const sources = await openTestSources(cleanup);
    const ref = { url: repository.url };
    await sources.resolve(ref, 'old/name');
    const second = repository.write({ a: '2' }).commit();
    expect((await sources.resolve(ref, 'main', { maxAge: 0 })).commit).toBe(second);
    repository.git('branch', '-D', 'old/name');
    repository.git('branch', 'old');
    repository.git('commit', '-q', '--amend', '-m', 'rewritten');
    const third = repository.git('rev-parse', 'HEAD');
    expect((await sources.resolve(ref, '', { maxAge: 0 })).commit).toBe(third);
    expect((await sources.resolve(ref, 'old')).commit).toBe(second);
    await expect(sources.resolve(ref, 'old/name')).rejects.toMatchObject({ code: 'REVISION_UNKNOWN' });
  });

  it('shares one fetch among all who wait for it', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const commit = repository.commit();
    const sources = await openTestSources(cleanup);
    const trees = await Promise.all(
      Array.from({ length: 20 }, () => sources.tree({ repository: { url: repository.url }, commit, paths: ['a'] })),
    );
    expect(new Set(trees.map((tree) => text(tree, 'a')))).toEqual(new Set(['1']));
    const [mirror = ''] = readdirSync(join(sources.data, 'git/mirrors')).filter((name) => name.length === 64);
    expect(
      readdirSync(join(sources.data, 'git/mirrors', mirror, 'objects/pack')).filter((name) => name.endsWith('.pack')),
    ).toHaveLength(1);
  });

  it('fetches a large repository without contents, and then the wanted ones in one request', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`apps/app${n}/values.yaml`, `value: ${n}\n`]),
    );
    const noise = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7919 * n) % 251));
    const repository = new TestRepository(cleanup).write({ ...files, 'big.bin': noise }).link('apps/link', 'app1');
    const commit = repository.commit();
    const sources = await openTestSources(cleanup, { limits: { partialBytes: 0 } });
    const ref = { url: repository.url };
    const tree = await sources.tree({ repository: ref, commit, paths: ['apps'] });
    expect(text(tree, 'apps/app59/values.yaml')).toBe('value: 59\n');
    expect(at(tree, 'apps/link')).toMatchObject({ target: 'app1' });
    const [mirror = ''] = readdirSync(join(sources.data, 'git/mirrors')).filter((name) => name.length === 64);
    const packs = readdirSync(join(sources.data, 'git/mirrors', mirror, 'objects/pack')).filter((name) =>
      name.endsWith('.pack'),
    );
    expect(packs.length).toBeLessThanOrEqual(3);
    const again = await sources.load(ref, tree, ['big.bin']);
    expect((at(again, 'big.bin') as { bytes?: Uint8Array }).bytes).toHaveLength(300_000);
    const next = repository.write({ 'apps/app3/values.yaml': 'value: changed\n' }).commit();
    await sources.resolve(ref, 'main', { maxAge: 0 });
    expect(
      text(await sources.tree({ repository: ref, commit: next, paths: ['apps/app3'] }), 'apps/app3/values.yaml'),
    ).toBe('value: changed\n');
  });

  it('takes over a mirror that a kill left locked', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    repository.commit();
    const first = await openTestSources(cleanup);
    const ref = { url: repository.url };
    await first.resolve(ref, 'main');
    await first.close();
    const mirror = join(
      first.data,
      'git/mirrors',
      readdirSync(join(first.data, 'git/mirrors')).find((name) => name.length === 64)!,
    );
    for (const name of [
      'packed-refs.lock',
      'shallow.lock',
      'refs/heads/main.lock',
      'config.lock',
      'objects/pack/tmp_pack_abc',
      'objects/info/commit-graph.lock',
    ])
      writeFileSync(join(mirror, name), '');
    writeFileSync(join(mirror, 'argosy.pid'), '999999999 12345\n');
    const commit = repository.write({ a: '2' }).commit();
    const second = await openTestSources(cleanup, { data: first.data });
    expect((await second.resolve(ref, 'main')).commit).toBe(commit);
    expect(readdirSync(mirror).filter((name) => name.endsWith('.lock'))).toEqual([]);
    expect(readdirSync(join(mirror, 'objects/pack')).filter((name) => name.startsWith('tmp'))).toEqual([]);
  });

  it('fetches a damaged mirror anew', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const commit = repository.commit();
    const first = await openTestSources(cleanup);
    const ref = { url: repository.url };
    await first.tree({ repository: ref, commit, paths: ['a'] });
    await first.close();
    const packs = join(
      first.data,
      'git/mirrors',
      readdirSync(join(first.data, 'git/mirrors')).find((name) => name.length === 64)!,
      'objects/pack',
    );
    for (const name of readdirSync(packs)) writeFileSync(join(packs, name), 'broken', { flag: 'w', mode: 0o600 });
    const second = await openTestSources(cleanup, { data: first.data });
    const tree = await second.tree({ repository: ref, commit, paths: ['a'] });
    expect(text(tree, 'a')).toBe('1');
  });

  it('joins packs when there are many, and loses nothing', async () => {
    const repository = new TestRepository(cleanup).write({ a: '0' });
    const first = repository.commit();
    const sources = await openTestSources(cleanup, { limits: { packs: 5 } });
    const ref = { url: repository.url };
    await sources.resolve(ref, 'main');
    for (let n = 1; n <= 7; n++) {
      repository.write({ a: String(n) }).commit();
      await sources.resolve(ref, 'main', { maxAge: 0 });
    }
    const packs = join(
      sources.data,
      'git/mirrors',
      readdirSync(join(sources.data, 'git/mirrors')).find((name) => name.length === 64)!,
      'objects/pack',
    );
    expect(readdirSync(packs).filter((name) => name.endsWith('.pack')).length).toBeLessThan(6);
    expect(text(await sources.tree({ repository: ref, commit: first, paths: ['a'] }), 'a')).toBe('0');
    expect(sources.reports).toEqual([]);
  });

  it('keeps at most so many readers', async () => {
    const repositories = Array.from({ length: 4 }, (_, n) => new TestRepository(cleanup).write({ a: String(n) }));
    const commits = repositories.map((repository) => repository.commit());
    const sources = await openTestSources(cleanup, { limits: { readers: 2 } });
    const trees = await Promise.all(
      repositories.map(async (repository, n) =>
        sources.tree({ repository: { url: repository.url }, commit: commits[n]!, paths: ['a'] }),
      ),
    );
    expect(trees.map((tree) => text(tree, 'a'))).toEqual(['0', '1', '2', '3']);
  });
});

describe('commits', () => {
  it('are found by the beginning of their id, by a tag object, off every branch and in a shallow mirror', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const first = repository.commit();
    repository.git('tag', '-a', '-m', 'release', 'v1.0.0');
    const second = repository.write({ a: '2' }).commit();
    repository.git('checkout', '-q', '--detach');
    const loose = repository.write({ a: '3' }).commit();
    repository.git('update-ref', 'refs/pull/1/head', loose);
    const sources = await openTestSources(cleanup);
    const ref = { url: repository.url };
    const found = async (revision: string): Promise<string> => (await sources.resolve(ref, revision)).commit;
    expect(await found(first.slice(0, 7))).toBe(first);
    expect(await found('v1.0.0')).toBe(first);
    expect(await found('1.x')).toBe(first);
    expect(await found(repository.git('rev-parse', 'v1.0.0'))).toBe(first);
    expect(await found('refs/pull/1/head')).toBe(loose);
    expect(await found('main')).toBe(second);
    await expect(found('abcdef0')).rejects.toMatchObject({ code: 'REVISION_UNKNOWN' });
    await expect(found('0'.repeat(40))).rejects.toMatchObject({ code: 'REVISION_UNKNOWN' });
    const other = await openTestSources(cleanup, { accessTo: () => ({ depth: 1 }) });
    expect(text(await other.tree({ repository: ref, commit: second, paths: ['a'] }), 'a')).toBe('2');
    expect(text(await other.tree({ repository: ref, commit: first, paths: ['a'] }), 'a')).toBe('1');
    await expect(other.tree({ repository: ref, commit: 'main', paths: [] })).rejects.toMatchObject({
      code: 'REVISION_UNKNOWN',
    });
  });
});

describe('paths that are not there', () => {
  it('names the missing path, the revision and the branches that have it', async () => {
    const repository = new TestRepository(cleanup).write({ 'readme.md': '' });
    const commit = repository.commit();
    repository.git('branch', 'stage1-complete');
    repository.write({ 'serving/vllm/pvc-mistral-24b.yaml': 'kind: PersistentVolumeClaim' }).commit();
    repository.git('branch', 'feature/stage2');
    const sources = await openTestSources(cleanup);
    const ref = { url: repository.url };
    expect(await sources.branchesWithPath(ref, 'serving/vllm')).toEqual(['main', 'feature/stage2']);
    const fault = await sources.explainMissingPath(ref, 'serving/vllm', 'stage1-complete', commit);
    expect(fault.message).toBe(
      `serving/vllm: app path does not exist at stage1-complete (commit ${commit.slice(0, 7)}); it exists ` +
        'on branches main, feature/stage2',
    );
    expect((await sources.explainMissingPath(ref, 'nowhere', 'main', commit)).message).toContain('no branch has it');
  });
});

describe('submodules', () => {
  it('are opened where they are wanted, relative addresses too', async () => {
    const folder = cleanup.folder();
    const inner = new TestRepository(cleanup, join(folder, 'inner')).write({ 'deep.yaml': 'deep' });
    inner.commit();
    const middle = new TestRepository(cleanup, join(folder, 'middle')).write({ 'lib.yaml': 'lib' });
    middle.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '../inner', 'nested');
    middle.commit();
    const outer = new TestRepository(cleanup, join(folder, 'outer')).write({ 'app.yaml': 'app' });
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '../middle', 'modules/lib');
    const commit = outer.commit();
    const sources = await openTestSources(cleanup);
    const ref = { url: outer.url };
    const tree = await sources.tree({ repository: ref, commit, paths: ['app.yaml'] });
    expect(at(tree, 'modules/lib')).toMatchObject({ kind: 'submodule' });
    expect((at(tree, 'modules/lib') as { folder?: TreeFolder }).folder).toBeUndefined();
    const opened = await sources.load(ref, tree, ['modules/lib/lib.yaml']);
    expect([text(opened, 'modules/lib/lib.yaml'), text(opened, 'app.yaml')]).toEqual(['lib', 'app']);
    const deeper = await sources.load(ref, opened, ['modules']);
    expect([text(deeper, 'modules/lib/nested/deep.yaml'), text(deeper, 'modules/lib/lib.yaml')]).toEqual([
      'deep',
      'lib',
    ]);
  });
});
