import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PatchSet } from '../../control/index.js';
import { Fault } from '../../model/faults/index.js';

/**
 * Commits each patch set to a new branch of the clones, on top of what is checked out there. Work tree and index are
 * not touched, no hook runs and nothing is pushed.
 */
export function commitBranch(name: string, sets: readonly PatchSet[]): string[] {
  const folders = [...new Set(sets.flatMap(({ patches }) => patches.map(({ checkout }) => checkout.folder)))];
  return folders.map((folder) => {
    if (!existsSync(join(folder, '.git')))
      throw new Fault('USAGE', `${folder} is not a clone: name one with --repo`, { where: '--branch' });
    return commitTo(folder, name, sets);
  });
}

function commitTo(folder: string, name: string, sets: readonly PatchSet[]): string {
  if (git(folder, ['check-ref-format', '--branch', name]).status !== 0)
    throw new Fault('USAGE', `${name} is not a valid branch name`, { where: '--branch' });
  if (git(folder, ['show-ref', '--verify', '--quiet', `refs/heads/${name}`]).status === 0)
    throw new Fault('USAGE', `branch ${name} already exists in ${folder}`, { where: '--branch' });
  const files = [
    ...new Set(
      sets.flatMap(({ patches }) =>
        patches.filter(({ checkout }) => checkout.folder === folder).map(({ file }) => file),
      ),
    ),
  ];
  if (git(folder, ['diff', '--quiet', 'HEAD', '--', ...files]).status !== 0)
    throw new Fault('USAGE', `files to patch have uncommitted changes in ${folder}`, {
      where: '--branch',
    });
  const scratch = mkdtempSync(join(tmpdir(), 'argosy-index-'));
  try {
    const index = { GIT_INDEX_FILE: join(scratch, 'index') };
    must(folder, ['read-tree', 'HEAD'], index);
    let parent = must(folder, ['rev-parse', 'HEAD']);
    for (const { cause, patches } of sets) {
      const own = patches.filter(({ checkout }) => checkout.folder === folder);
      if (own.length === 0) continue;
      for (const { file, after } of own) {
        if (after === undefined) {
          must(folder, ['update-index', '--force-remove', '--', file], index);
          continue;
        }
        const mode = must(folder, ['ls-files', '--format=%(objectmode)', '--', file], index) || '100644';
        must(
          folder,
          [
            'update-index',
            '--add',
            '--cacheinfo',
            `${mode},${must(folder, ['hash-object', '-w', '--stdin'], {}, after)},${file}`,
          ],
          index,
        );
      }
      parent = must(
        folder,
        ['-c', 'commit.gpgsign=false', 'commit-tree', must(folder, ['write-tree'], index), '-p', parent],
        {},
        `${cause.title}\n\n${cause.fix?.say ?? ''}\n`,
      );
    }
    must(folder, ['update-ref', `refs/heads/${name}`, parent, '0'.repeat(40)]);
    return `${folder}: ${name} is ${parent.slice(0, 12)}`;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function git(
  folder: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const identity = {
    GIT_AUTHOR_NAME: 'argosy',
    GIT_AUTHOR_EMAIL: 'argosy@localhost',
    GIT_COMMITTER_NAME: 'argosy',
    GIT_COMMITTER_EMAIL: 'argosy@localhost',
  };
  return spawnSync('git', ['-C', folder, ...words], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', LC_ALL: 'C', ...identity, ...environment },
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}

function must(
  folder: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): string {
  const { status, stdout, stderr } = git(folder, words, environment, input);
  if (status !== 0) throw new Fault('TOOL_FAILED', stderr.trim() || `git ${words[0] ?? ''} failed`, { where: folder });
  return stdout.trim();
}
