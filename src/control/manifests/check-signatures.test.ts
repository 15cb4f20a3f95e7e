import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignaturePolicy } from '../../model/argo/index.js';
import { openSources, type Sources } from '../../source/index.js';
import { checkSignatures } from './check-signatures.js';

const folder = mkdtempSync(join(tmpdir(), 'argosy-signatures-'));
const repository = join(folder, 'repository');
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  }).trim();
const policy = (mode: SignaturePolicy['mode'], repositories = ['file://*']): SignaturePolicy => ({
  repositories,
  mode,
  keys: ['0123456789ABCDEF'],
});

function hasGpg(): boolean {
  try {
    execFileSync('gpg', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let sources: Sources;
let commit: string;

beforeAll(async () => {
  git('init', '-q', '-b', 'main', repository);
  git('-C', repository, 'commit', '-q', '--allow-empty', '-m', 'first');
  git('-C', repository, 'tag', '-a', '-m', 'one', 'v1');
  commit = git('-C', repository, 'rev-parse', 'HEAD');
  sources = await openSources({
    data: join(folder, 'data'),
    fileRepositories: [folder],
    environment: { PATH: process.env['PATH'] },
    random: Math.random,
    report: () => undefined,
    clock: {
      now: () => new Date(),
      steady: () => performance.now(),
      after: (milliseconds, callback) => {
        const timer = setTimeout(callback, milliseconds);
        return () => {
          clearTimeout(timer);
        };
      },
    },
  });
});

afterAll(async () => {
  await sources.close();
  rmSync(folder, { recursive: true, force: true });
});

const check = (
  policies: readonly SignaturePolicy[],
  targetRevision = 'main',
  wanted = commit,
): Promise<string | undefined> =>
  checkSignatures(sources, {
    policies,
    repoURL: `file://${repository}`,
    project: 'default',
    targetRevision,
    commit: wanted,
    keys: new Map(),
  });

describe('a project that asks for signatures', () => {
  it('is satisfied where no policy is about the repository, or one says that nothing is asked', async () => {
    expect(await check([policy('head', ['https://*'])])).toBeUndefined();
    expect(await check([policy('none')])).toBeUndefined();
  });

  it('lets nothing pass while two policies contradict each other', async () => {
    expect(await check([policy('none'), policy('head')])).toContain('multiple (2) git source integrity policies found');
  });

  it.skipIf(!hasGpg())('names the commit, or the tag that led to it', async () => {
    expect(await check([policy('head')])).toBe(
      `GIT/GPG: Failed verifying revision ${commit} by 'Ann <ann@example.org>': unsigned (key_id=)`,
    );
    expect(await check([policy('head')], 'v1')).toBe(
      "GIT/GPG: Failed verifying revision v1 by 'Ann <ann@example.org>': unsigned (key_id=)",
    );
    // Pinned to what the revision no longer means: the commit itself is judged.
    git('-C', repository, 'commit', '-q', '--allow-empty', '-m', 'second');
    expect(await check([policy('strict')], git('-C', repository, 'rev-parse', 'HEAD'), commit)).toContain(
      `revision ${commit} `,
    );
  });
});
