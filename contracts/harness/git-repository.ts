import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startGitServer, type GitServer } from '../../world/doubles/index.js';
import { applyJsonPatch, parseJsonPatch } from '../../src/model/patch/index.js';
import { readOneYaml, writeYaml } from '../../src/model/yaml/index.js';
import type { Json } from '../../src/model/json/index.js';

const run = promisify(execFile);

const IDENTITY = {
  GIT_AUTHOR_NAME: 'case',
  GIT_AUTHOR_EMAIL: 'case@example.com',
  GIT_COMMITTER_NAME: 'case',
  GIT_COMMITTER_EMAIL: 'case@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
};

const COMMIT = 'git add -A && git commit -q --allow-empty -m change && git rev-parse HEAD';

/** What is done to the text of a file before it is committed. */
export type Rewrite = (text: string) => string;

/** A git repository of one case, in a directory of its own. Changes are kept until `commit`. */
export class GitRepository {
  #changed = true;
  #head = '';
  #server: GitServer | undefined;

  private constructor(
    readonly dir: string,
    private readonly rewrite: Rewrite,
  ) {}

  /** Copies folders of `from`; files of others may be read-only, ours are not. */
  static async open(from: string, folders: readonly string[], rewrite: Rewrite): Promise<GitRepository> {
    const dir = await mkdtemp(join(tmpdir(), 'argosy-case-'));
    const repository = new GitRepository(dir, rewrite);
    await repository.git('init', '-q', '-b', 'master');
    for (const folder of folders) await copy(join(from, folder), join(dir, folder));
    await repository.commit();
    return repository;
  }

  get url(): string {
    return this.#server === undefined ? `file://${this.dir}` : `${this.#server.url}/.git`;
  }

  /** From here on over HTTP: a server can be away for a while. */
  async serve(): Promise<void> {
    this.#server = await startGitServer({ folder: this.dir, users: [], isPublic: true });
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.dir, path)), { recursive: true });
    await writeFile(join(this.dir, path), text);
    this.#changed = true;
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.dir, path), { recursive: true });
    this.#changed = true;
  }

  /** Changes a YAML file of one document by a JSON patch. */
  async patch(path: string, patch: Json): Promise<void> {
    const value = readOneYaml(await readFile(join(this.dir, path), 'utf8'), { dialect: 'kubernetes' });
    await this.write(path, writeYaml(applyJsonPatch(value, parseJsonPatch(patch))));
  }

  /** Commits what changed; gives the commit. */
  async commit(): Promise<string> {
    if (this.#changed) {
      await this.#rewriteAll();
      // One small shell instead of three children of this large process: what a fork takes grows with its parent.
      const { stdout } = await run('sh', ['-c', COMMIT], { cwd: this.dir, env: { ...process.env, ...IDENTITY } });
      this.#changed = false;
      this.#head = stdout.trim();
    }
    return this.#head;
  }

  async git(...args: string[]): Promise<string> {
    const { stdout } = await run('git', args, { cwd: this.dir, env: { ...process.env, ...IDENTITY } });
    return stdout.trim();
  }

  /** Its server goes, and comes back at the same address. */
  async move(to: 'away' | 'back'): Promise<void> {
    const server = this.#server;
    if (server === undefined) throw new Error('only a repository that is served can be away');
    if (to === 'away') await server.close();
    else
      this.#server = await startGitServer({
        folder: this.dir,
        users: [],
        isPublic: true,
        port: Number(new URL(server.url).port),
      });
  }

  async close(): Promise<void> {
    await this.#server?.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  async #rewriteAll(): Promise<void> {
    for (const path of await filesOf(this.dir)) {
      if (!/\.ya?ml$/.test(path)) continue;
      const text = await readFile(path, 'utf8');
      const rewritten = this.rewrite(text);
      if (rewritten !== text) await writeFile(path, rewritten);
    }
  }
}

async function filesOf(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/.git/'));
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  if (!existsSync(from)) return;
  for (const path of await filesOf(from)) {
    const target = join(to, path.slice(from.length));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, await readFile(path));
  }
}
