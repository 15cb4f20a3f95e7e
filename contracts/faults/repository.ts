import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  LC_ALL: 'C',
};
const AUTHOR = 'Delivery Trial <trial@argosy.example.com>';

/** Files by path; undefined takes one away. */
export type Files = Readonly<Record<string, string | undefined>>;

/** A bare repository that a trial commits to, and takes away and brings back. */
export class TestRepository {
  readonly url: string;
  #second = 1_764_892_800;

  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#git(['init', '--quiet', '--bare', '--initial-branch=main', '--template=', '.']);
    this.url = `file://${folder}`;
  }

  /** Gives the commit's id. */
  commit(files: Files, branch = 'main', message = 'Change'): string {
    const when = `${AUTHOR} ${this.#second++} +0000`;
    const exists = this.has(branch);
    const head =
      `commit refs/heads/${branch}\nauthor ${when}\ncommitter ${when}\ndata ${Buffer.byteLength(message)}\n` +
      `${message}\n${exists ? `from refs/heads/${branch}^0\n` : ''}`;
    const parts = Object.entries(files).map(([path, text]) =>
      text === undefined ? `D ${path}\n` : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    );
    this.#git(['fast-import', '--quiet', '--date-format=raw', '--done', '--force'], `${head}${parts.join('')}\ndone\n`);
    return this.head(branch);
  }

  head(branch = 'main'): string {
    // fast-import and update-ref write refs as files of their own: no process is needed to read one.
    return readFileSync(join(this.folder, 'refs/heads', branch), 'utf8').trim();
  }

  has(branch: string): boolean {
    return existsSync(join(this.folder, 'refs/heads', branch));
  }

  /** Puts a branch where a commit is; undefined deletes it. */
  setBranch(branch: string, commit: string | undefined): void {
    this.#git(
      commit === undefined
        ? ['update-ref', '-d', `refs/heads/${branch}`]
        : ['update-ref', `refs/heads/${branch}`, commit],
    );
  }

  /** The repository is not there until the returned function brings it back. */
  takeAway(): () => void {
    renameSync(this.folder, `${this.folder}.away`);
    return () => {
      renameSync(`${this.folder}.away`, this.folder);
    };
  }

  #git(words: readonly string[], input?: string): string {
    return execFileSync('git', words, {
      cwd: this.folder,
      env: ENVIRONMENT,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      ...(input === undefined ? {} : { input }),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }
}
