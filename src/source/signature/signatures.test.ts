import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { RevisionSignature } from '../../model/argo/index.js';
import { TestRepository } from '../testing/test-repository.js';
import { hasGpg, TestSigner } from '../testing/test-signer.js';
import { Cleanup, openTestSources, type TestSources } from '../testing/test-sources.js';

const cleanup = new Cleanup();
const people = new Cleanup();
afterEach(() => cleanup.run());
afterAll(() => people.run());

const isThere = hasGpg();
const ann = isThere ? new TestSigner(people, 'Ann') : undefined;
const bob = isThere ? new TestSigner(people, 'Bob') : undefined;

function signer(person: TestSigner | undefined): TestSigner {
  if (person === undefined) throw new Error('gpg is missing');
  return person;
}

const keysOf = (...persons: TestSigner[]): Map<string, string> =>
  new Map(persons.map((person) => [person.keyId, person.publicKey]));

async function verify(
  sources: TestSources,
  repository: TestRepository,
  revision: string,
  keys: ReadonlyMap<string, string>,
  mode: 'head' | 'strict' = 'head',
): Promise<RevisionSignature[]> {
  const ref = { url: repository.url };
  return sources.verify(ref, await sources.resolve(ref, revision, { maxAge: 0 }), keys, mode);
}

/** A commit that git would not make: the raw text of another one, changed. */
function forge(repository: TestRepository, commit: string, change: (text: string) => string): string {
  const forged = repository.pipe(
    change(`${repository.git('cat-file', 'commit', commit)}\n`),
    'hash-object',
    '-w',
    '-t',
    'commit',
    '--literally',
    '--stdin',
  );
  repository.git('update-ref', 'refs/heads/forged', forged);
  return forged;
}

describe.skipIf(!isThere)(isThere ? 'signatures of commits' : 'signatures (skipped: gpg is missing)', () => {
  it('a good one names the key, who signed and who wrote', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const commit = signer(ann).commit(repository, 'first\n\nwith a body');
    const { keyId } = signer(ann);
    expect(await verify(await openTestSources(cleanup), repository, 'main', keysOf(signer(ann), signer(bob)))).toEqual([
      {
        kind: 'commit',
        revision: commit,
        verdict: 'good',
        keyId,
        primaryKeyId: keyId,
        signer: 'Ann <ann@example.org>',
        author: 'a <a@example.org>',
        detail: '',
      },
    ]);
  });

  it('none, one by a stranger, and one that another keyring knows', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const sources = await openTestSources(cleanup);
    repository.commit('nobody signed');
    expect(await verify(sources, repository, 'main', keysOf(signer(ann)))).toMatchObject([
      { verdict: 'unsigned', keyId: '' },
    ]);
    signer(bob).commit(repository, 'Bob signed');
    expect(await verify(sources, repository, 'main', keysOf(signer(ann)))).toMatchObject([
      { verdict: 'unknown key', keyId: signer(bob).keyId, signer: '' },
    ]);
    expect(await verify(sources, repository, 'main', keysOf(signer(ann), signer(bob)))).toMatchObject([
      { verdict: 'good', keyId: signer(bob).keyId },
    ]);
    expect(await verify(sources, repository, 'main', new Map())).toMatchObject([{ verdict: 'unknown key' }]);
  });

  it('an expired key and a revoked key are told apart', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const sources = await openTestSources(cleanup);
    const old = new TestSigner(cleanup, 'Old', { isExpired: true });
    old.commit(repository, 'signed long ago');
    expect(await verify(sources, repository, 'main', keysOf(old))).toMatchObject([
      { verdict: 'expired key', keyId: old.keyId },
    ]);
    const lost = new TestSigner(cleanup, 'Lost');
    lost.commit(repository, 'signed before the key was lost');
    expect(await verify(sources, repository, 'main', new Map([[lost.keyId, lost.revokedKey()]]))).toMatchObject([
      { verdict: 'revoked key', keyId: lost.keyId },
    ]);
  });

  it('a commit that was changed after it was signed is bad, however it was changed', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const sources = await openTestSources(cleanup);
    const commit = signer(ann).commit(repository, 'honest');
    const keys = keysOf(signer(ann));
    forge(repository, commit, (text) => text.replace('honest', 'forged'));
    expect(await verify(sources, repository, 'forged', keys)).toMatchObject([
      { verdict: 'bad', keyId: signer(ann).keyId },
    ]);
    forge(repository, commit, (text) => text.replace(/^(gpgsig [\s\S]*?END PGP SIGNATURE-----\n)/m, '$1$1'));
    expect(await verify(sources, repository, 'forged', keys)).toMatchObject([
      { verdict: 'bad', detail: 'the commit carries several signatures' },
    ]);
    forge(repository, commit, (text) =>
      text.replace(
        /^gpgsig [\s\S]*?END PGP SIGNATURE-----$/m,
        'gpgsig -----BEGIN PGP SIGNATURE-----\n \n nonsense\n -----END PGP SIGNATURE-----',
      ),
    );
    expect(await verify(sources, repository, 'forged', keys)).toMatchObject([{ verdict: 'bad' }]);
    forge(repository, commit, (text) =>
      text.replace(
        /^gpgsig [\s\S]*?END PGP SIGNATURE-----$/m,
        'gpgsig -----BEGIN SSH SIGNATURE-----\n abc\n -----END SSH SIGNATURE-----',
      ),
    );
    expect(await verify(sources, repository, 'forged', keys)).toMatchObject([
      { verdict: 'unsupported', detail: 'an SSH key; use a GPG key' },
    ]);
    // The same signature in a header that nobody signs with is no signature.
    forge(repository, commit, (text) => text.replace(/^gpgsig /m, 'gpgsig-sha256 '));
    expect(await verify(sources, repository, 'forged', keys)).toMatchObject([{ verdict: 'unsigned' }]);
  });

  it('bytes of any encoding verify', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    repository.git('config', 'i18n.commitEncoding', 'iso-8859-1');
    signer(ann).commit(repository, 'Gr\u00fc\u00dfe');
    expect(await verify(await openTestSources(cleanup), repository, 'main', keysOf(signer(ann)))).toMatchObject([
      { verdict: 'good' },
    ]);
  });

  it('a subkey signs for its key', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const person = new TestSigner(cleanup, 'Sub');
    const subkey = person.addSubkey();
    person.commit(repository, 'signed by a subkey');
    expect(await verify(await openTestSources(cleanup), repository, 'main', keysOf(person))).toMatchObject([
      { verdict: 'good', keyId: subkey, primaryKeyId: person.keyId },
    ]);
  });
});

describe.skipIf(!isThere)('signatures of tags', () => {
  it('an annotated tag is judged in place of its commit; a plain tag is only a name', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const sources = await openTestSources(cleanup);
    repository.commit('unsigned');
    signer(ann).tag(repository, 'v1.0.0');
    repository.git('tag', '-a', '-m', 'unsigned', 'v2.0.0');
    repository.git('tag', 'plain');
    const keys = keysOf(signer(ann));
    expect(await verify(sources, repository, 'v1.0.0', keys)).toMatchObject([
      { kind: 'tag', revision: 'v1.0.0', verdict: 'good', keyId: signer(ann).keyId, author: 'c <c@example.org>' },
    ]);
    expect(await verify(sources, repository, '1.x', keys)).toMatchObject([
      { kind: 'tag', revision: 'v1.0.0', verdict: 'good' },
    ]);
    expect(await verify(sources, repository, 'v2.0.0', keys)).toMatchObject([{ kind: 'tag', verdict: 'unsigned' }]);
    expect(await verify(sources, repository, 'plain', keys)).toMatchObject([{ kind: 'commit', verdict: 'unsigned' }]);
    expect(await verify(sources, repository, 'v1.0.0', keys, 'strict')).toMatchObject([
      { kind: 'tag', verdict: 'good' },
      { kind: 'commit', verdict: 'unsigned' },
    ]);
  });

  it('a signed tag under another name is bad: an old version must not pass for a new one', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    repository.commit('old');
    const object = signer(ann).tag(repository, 'v1.0.0');
    repository.git('update-ref', 'refs/tags/v9.0.0', object);
    expect(await verify(await openTestSources(cleanup), repository, 'v9.0.0', keysOf(signer(ann)))).toMatchObject([
      { kind: 'tag', revision: 'v9.0.0', verdict: 'bad', detail: 'the tag object is called "v1.0.0"' },
    ]);
  });
});

describe.skipIf(!isThere)('a history', () => {
  it('is verified back to its beginning, or to good commits that seal what lies before', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    const sources = await openTestSources(cleanup);
    const keys = keysOf(signer(ann));
    const verdicts = async (revision = 'main'): Promise<string[]> =>
      (await verify(sources, repository, revision, keys, 'strict')).map(({ verdict }) => verdict);
    repository.commit('unsigned beginning');
    const second = signer(ann).commit(repository, 'signed');
    expect(await verdicts()).toEqual(['good', 'unsigned']);
    repository.commit('nobody may seal\n\nArgocd-gpg-seal: trust me');
    expect(await verdicts()).toEqual(['unsigned', 'good', 'unsigned']);
    signer(ann).commit(repository, 'reviewed\n\nArgocd-gpg-seal: reviewed by Ann');
    expect(await verdicts()).toEqual(['good']);
    signer(ann).commit(repository, 'after the seal');
    expect(await verdicts()).toEqual(['good', 'good']);
    // A branch from before the seal: what it adds is judged, what the seal approved is not.
    repository.git('checkout', '-q', '-b', 'side', second);
    repository.commit('unsigned on the side');
    repository.git('checkout', '-q', 'main');
    repository.git('merge', '-q', '--no-ff', '-m', 'merged', 'side');
    expect((await verdicts()).sort()).toEqual(['good', 'good', 'unsigned', 'unsigned']);
  });
});

describe.skipIf(!isThere)('the keyring', () => {
  it('is private, holds only the keys given, and is gone at the end', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    signer(ann).commit(repository, 'first');
    const sources = await openTestSources(cleanup);
    await verify(sources, repository, 'main', new Map([...keysOf(signer(ann)), ['BROKEN', 'no key at all']]));
    const folder = join(sources.data, 'git/private');
    const rings = readdirSync(folder).filter((name) => name.startsWith('keyring-'));
    expect(rings).toHaveLength(1);
    expect(statSync(join(folder, rings[0] ?? '')).mode & 0o777).toBe(0o700);
    expect(
      readdirSync(join(folder, rings[0] ?? '')).filter((name) => name.startsWith('input-') || name.startsWith('S.')),
    ).toEqual([]);
    expect(sources.reports).toEqual([
      'argocd-gpg-keys-cm: the key "BROKEN" cannot be imported (failed); commits that it signed count as ' +
        'signed by an unknown key',
    ]);
    await verify(sources, repository, 'main', keysOf(signer(bob)));
    expect(readdirSync(folder).filter((name) => name.startsWith('keyring-')).length).toBeLessThanOrEqual(2);
    await sources.close();
    await expect.poll(() => readdirSync(folder)).toEqual([]);
  });

  it('runs no program that a repository names', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    signer(ann).commit(repository, 'first');
    const proof = join(cleanup.folder(), 'it-ran');
    const program = join(cleanup.folder(), 'evil');
    writeFileSync(program, `#!/bin/sh\ntouch '${proof}'\n`);
    chmodSync(program, 0o755);
    repository.git('config', 'gpg.program', program);
    repository.git('config', 'gpg.openpgp.program', program);
    expect(await verify(await openTestSources(cleanup), repository, 'main', keysOf(signer(ann)))).toMatchObject([
      { verdict: 'good' },
    ]);
    expect(existsSync(proof)).toBe(false);
  });

  it('without gpg a fault says what to install', async () => {
    const repository = new TestRepository(cleanup).write({ a: '1' });
    signer(ann).commit(repository, 'first');
    const bin = join(cleanup.folder(), 'bin');
    mkdirSync(bin);
    for (const name of ['git', 'sh'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name));
    const sources = await openTestSources(cleanup, { environment: { PATH: bin } });
    await expect(verify(sources, repository, 'main', keysOf(signer(ann)))).rejects.toMatchObject({
      code: 'GPG_MISSING',
      hint: 'install GnuPG (package gnupg) where Argosy runs',
    });
  });
});
