import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'argosy-fetch-test-'));
const bare = join(folder, 'served', 'team', 'notebooks.git');
const git = (cwd: string, ...words: string[]): string =>
  execFileSync(
    'git',
    ['-C', cwd, '-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'init.defaultBranch=main', ...words],
    { encoding: 'utf8' },
  ).trim();
const PASSWORD = 'p@ss:w/ord%20 $(id)';
let old = '';
let address = '';
/** Files as they lie; those under /private need a login. */
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname);
  const wanted = `Basic ${Buffer.from(`robot:${PASSWORD}`).toString('base64')}`;
  if (path.startsWith('/private/') && request.headers.authorization !== wanted) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    return;
  }
  if (path.startsWith('/broken/')) return void response.writeHead(503).end();
  try {
    response.end(readFileSync(join(folder, 'served', path.replace('/private/', '/'))));
  } catch {
    response.writeHead(404).end();
  }
});

beforeAll(async () => {
  const work = join(folder, 'work');
  mkdirSync(join(work, 'models'), { recursive: true });
  git(work, 'init', '--quiet');
  writeFileSync(join(work, 'models', 'train.ipynb'), 'first');
  symlinkSync('/etc/passwd', join(work, 'outside.ipynb'));
  git(work, 'add', '.');
  git(work, 'commit', '--quiet', '-m', 'one');
  old = git(work, 'rev-parse', 'HEAD');
  git(work, 'tag', 'v1');
  writeFileSync(join(work, 'models', 'train.ipynb'), 'second');
  git(work, 'commit', '--quiet', '-am', 'two');
  git(folder, 'clone', '--quiet', '--bare', work, bare);
  git(bare, 'update-server-info');
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
async function fetch(
  asked: { url?: string; ref?: string; path?: string },
  secret?: Record<string, string>,
  path = process.env['PATH'],
): Promise<{ code: number; stderr: string; text: string }> {
  const target = join(folder, `target-${count++}`);
  const credentials = join(folder, `credentials-${count}`);
  if (secret) mkdirSync(credentials);
  for (const [name, text] of Object.entries(secret ?? {})) writeFileSync(join(credentials, name), text);
  const given = { url: `${address}/team/notebooks.git`, ref: 'main', path: 'models/train.ipynb', target, ...asked };
  const child = spawn('/usr/bin/python3', ['-B', join(import.meta.dirname, 'fetch.py')], {
    env: { PATH: path, ARGOSY_GIT: JSON.stringify(given), ARGOSY_GIT_CREDENTIALS: credentials },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number>((resolve) => {
    child.on('close', (exit) => {
      resolve(exit ?? -1);
    });
  });
  let text = '';
  try {
    text = readFileSync(join(target, 'models/train.ipynb'), 'utf8');
  } catch {
    text = ''; // nothing was fetched
  }
  return { code, stderr, text };
}

describe('fetching a notebook', () => {
  it('fetches a branch, a tag and a commit', async () => {
    expect(await fetch({})).toEqual({ code: 0, stderr: '', text: 'second' });
    expect(await fetch({ ref: 'v1' })).toEqual({ code: 0, stderr: '', text: 'first' });
    expect(await fetch({ ref: old })).toEqual({ code: 0, stderr: '', text: 'first' });
  });

  it('logs in with the exact credentials of the Secret', async () => {
    const url = `${address}/private/team/notebooks.git`;
    expect(await fetch({ url }, { username: 'robot\n', password: PASSWORD })).toMatchObject({
      code: 0,
      text: 'second',
    });
    expect(await fetch({ url }, { username: 'robot', token: `${PASSWORD}\n` })).toMatchObject({
      code: 0,
      text: 'second',
    });
    const wrong = await fetch({ url }, { username: 'robot', password: 'not-this' });
    expect([wrong.code, wrong.stderr]).toEqual([
      10,
      expect.stringMatching(/^fetch: login rejected by http:.*Authentication failed/),
    ]);
    expect(await fetch({ url })).toMatchObject({ code: 10 });
    expect(await fetch({ url }, { username: 'robot' })).toMatchObject({
      code: 10,
      stderr: 'fetch: the Secret has neither ssh-privatekey nor username with password or token\n',
    });
  });

  it('distinguishes what is missing', async () => {
    expect(await fetch({ url: `${address}/team/nothing.git` })).toMatchObject({ code: 11 });
    expect(await fetch({ ref: 'no-such-branch' })).toMatchObject({ code: 12 });
    expect(await fetch({ ref: '0123456789012345678901234567890123456789' })).toMatchObject({ code: 12 });
    expect(await fetch({ path: 'models/gone.ipynb' })).toMatchObject({
      code: 13,
      stderr: expect.stringContaining('there is no file "models/gone.ipynb" at main of') as string,
    });
    expect(await fetch({ path: 'outside.ipynb' })).toMatchObject({ code: 13 });
    expect(await fetch({ url: `${address}/broken/team/notebooks.git` })).toMatchObject({ code: 14 });
    expect(await fetch({ url: 'http://127.0.0.1:1/x.git' })).toMatchObject({
      code: 14,
      stderr: expect.stringMatching(/^fetch: cannot reach/) as string,
    });
    expect(await fetch({}, undefined, '/nonexistent')).toMatchObject({
      code: 15,
      stderr: 'fetch: git is not installed\n',
    });
  });

  it('prints no user name and no password of a URL', async () => {
    for (const url of [
      address.replace('//', '//robot:s3cret@') + '/team/nothing.git',
      'http://robot:s3cret@127.0.0.1:1/x.git',
      'http://robot:s3cret@ bad/x.git',
    ]) {
      const { code, stderr } = await fetch({ url });
      expect([code, stderr]).toEqual([
        expect.toSatisfy((each: number) => [3, 11, 14].includes(each)),
        expect.not.stringMatching(/robot|s3cret/),
      ]);
    }
  });

  it('executes nothing from a URL, ref or path', async () => {
    const mark = join(folder, 'ran');
    expect(await fetch({ url: `ext::sh -c "touch ${mark}"` })).toMatchObject({ code: 3 });
    expect(await fetch({ ref: `--upload-pack=touch ${mark}` })).toMatchObject({ code: 12 });
    expect(await fetch({ ref: `main; touch ${mark}` })).toMatchObject({ code: 12 });
    expect(await fetch({ path: `$(touch ${mark}).ipynb` })).toMatchObject({ code: 13 });
    expect(await fetch({ url: `ssh://-oProxyCommand=touch${mark}/x` })).toMatchObject({ code: 14 });
    expect(() => readFileSync(mark)).toThrow();
  });
});
