import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Cleanup } from './test-sources.js';

const QUIET: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  LC_ALL: 'C',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'c',
  GIT_COMMITTER_EMAIL: 'c@example.org',
  GIT_AUTHOR_DATE: '2024-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2024-01-01T00:00:00Z',
};

/** A real repository with a work tree, made with the git program. */
export class TestRepository {
  readonly path: string;

  constructor(cleanup: Cleanup, path?: string) {
    this.path = path ?? join(cleanup.folder(), 'repository');
    mkdirSync(this.path, { recursive: true });
    this.git('init', '-q', '-b', 'main');
    this.git('config', 'uploadpack.allowFilter', 'true');
    this.git('config', 'http.receivepack', 'false');
  }

  get url(): string {
    return `file://${this.path}`;
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.path,
      env: QUIET,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    }).trim();
  }

  /** Gives git bytes and returns what it prints: for objects that no work tree can make. */
  pipe(input: string | Buffer, ...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.path,
      env: QUIET,
      encoding: 'utf8',
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
    }).trim();
  }

  write(files: Readonly<Record<string, string | Buffer>>): this {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true });
      writeFileSync(join(this.path, name), content);
    }
    return this;
  }

  link(name: string, target: string): this {
    mkdirSync(dirname(join(this.path, name)), { recursive: true });
    symlinkSync(target, join(this.path, name));
    return this;
  }

  /** Commits everything and gives the id. */
  commit(message = 'change'): string {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  /** Puts a hand-made tree object on a branch, without git's checks. */
  commitTree(
    entries: readonly { readonly mode: string; readonly name: string | Buffer; readonly id: string }[],
    branch = 'main',
  ): string {
    const tree = this.pipe(
      Buffer.concat(
        entries.map(({ mode, name, id }) =>
          Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), Buffer.from(id, 'hex')]),
        ),
      ),
      'hash-object',
      '-w',
      '-t',
      'tree',
      '--literally',
      '--stdin',
    );
    const commit = this.pipe('hostile', 'commit-tree', tree);
    this.git('update-ref', `refs/heads/${branch}`, commit);
    return commit;
  }

  blob(content: string | Buffer): string {
    return this.pipe(content, 'hash-object', '-w', '--stdin');
  }
}
