import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSources, type Sources } from '../../src/source/index.js';
import { startGitServer, type GitServer } from './git-server.js';

const root = mkdtempSync(join(tmpdir(), 'argosy-git-double-'));
const lines: string[] = [];
let server: GitServer;

const QUIET = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};
const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8', env: QUIET, stdio: 'pipe' }).trim();
/** In a process of its own while this one serves. */
const tryGit = (folder: string, ...words: string[]): Promise<{ readonly code: number | null; readonly text: string }> =>
  new Promise((resolve) => {
    const child = execFile('git', ['-C', folder, ...words], { env: QUIET }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, text: `${stdout}${stderr}` });
    });
  });
const withUser = (name: string, password: string): string =>
  `${server.url.replace('//', `//${name}:${password}@`)}/shop.git`;

beforeAll(async () => {
  const work = join(root, 'work');
  mkdirSync(join(root, 'served'), { recursive: true });
  mkdirSync(work);
  git(work, 'init', '-q', '-b', 'main');
  writeFileSync(join(work, 'values.yaml'), 'color: blue\n');
  git(work, 'add', '-A');
  git(work, 'commit', '-qm', 'first');
  git(root, 'clone', '-q', '--bare', work, join(root, 'served/shop.git'));
  server = await startGitServer({
    folder: join(root, 'served'),
    users: [
      { name: 'reader', password: 'open-sesame' },
      { name: 'writer', password: 'pen', mayPush: true },
    ],
    report: (line) => lines.push(line),
  });
});

afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

describe('git over HTTP with passwords', () => {
  it('clones with the right password and refuses a wrong one and none', async () => {
    expect((await tryGit(root, 'clone', '-q', withUser('reader', 'open-sesame'), 'good')).code).toBe(0);
    expect(git(join(root, 'good'), 'log', '--format=%s')).toBe('first');
    const wrong = await tryGit(root, 'clone', '-q', withUser('reader', 'guess'), 'bad');
    expect(wrong.code).toBe(128);
    expect(wrong.text).toContain('Authentication failed');
    expect((await tryGit(root, 'clone', '-q', `${server.url}/shop.git`, 'none')).text).toContain(
      'could not read Username',
    );
  });

  it('pushes where it is allowed, and says that it is not elsewhere', async () => {
    const work = join(root, 'work');
    writeFileSync(join(work, 'values.yaml'), 'color: red\n');
    git(work, 'commit', '-qam', 'second');
    expect((await tryGit(work, 'push', '-q', withUser('reader', 'open-sesame'), 'main')).text).toContain('403');
    expect((await tryGit(work, 'push', '-q', withUser('writer', 'pen'), 'main')).code).toBe(0);
    expect(git(join(root, 'served/shop.git'), 'log', '-1', '--format=%s', 'main')).toBe('second');
  });

  it('names an unknown repository as missing', async () => {
    expect((await tryGit(root, 'ls-remote', withUser('reader', 'open-sesame').replace('shop', 'lost'))).text).toContain(
      'not found',
    );
  });

  it('serves our own reader, and shuts it out when the password changes', async () => {
    const clock = {
      now: () => new Date(),
      steady: () => performance.now(),
      after: (milliseconds: number, callback: () => void) => {
        const timer = setTimeout(callback, milliseconds);
        return () => {
          clearTimeout(timer);
        };
      },
    };
    const repository = { url: `${server.url}/shop.git`, project: 'default' };
    const sources: Sources = await openSources({
      data: join(root, 'data'),
      clock,
      random: () => 0.5,
      environment: { PATH: process.env['PATH'] },
      report: () => undefined,
      protocols: ['http'],
      accessTo: () => ({ username: 'reader', password: 'open-sesame' }),
    });
    try {
      const { commit } = await sources.resolve(repository, 'main', { maxAge: 0 });
      expect(commit).toMatch(/^[0-9a-f]{40}$/);
      server.setPassword('reader', 'changed');
      await expect(sources.resolve(repository, 'main', { maxAge: 0 })).rejects.toMatchObject({
        code: 'SOURCE_REFUSED',
      });
    } finally {
      await sources.close();
    }
  });

  it('tells no secret in its report', () => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n')).not.toMatch(/sesame|guess|pen\b/);
  });
});
