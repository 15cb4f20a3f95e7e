import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sendRequest, signIn, type RequestOptions, type HttpResponse } from '../harness/send-request.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');

/** `argosy up` as a person starts it, empty, with a git repository beside it. */
export class ApiLab {
  readonly folder = mkdtempSync(join(tmpdir(), 'argosy-api-'));
  readonly repository = join(this.folder, 'repository');
  url = '';
  password = '';
  token = '';
  #up: ChildProcess | undefined;
  #said = '';

  private constructor(
    private readonly more: readonly string[],
    private readonly main: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** `main`: the program, where it is not the one of this checkout; `environment`: what it gets besides ours. */
  static async open(
    more: readonly string[] = [],
    main = MAIN,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ApiLab> {
    const lab = new ApiLab(more, main, environment);
    mkdirSync(lab.repository, { recursive: true });
    lab.#git('init', '-q', '-b', 'main');
    lab.commit({ 'README.md': 'a repository\n' });
    await lab.#start();
    lab.token = await signIn(lab.url, 'admin', lab.password);
    return lab;
  }

  get output(): string {
    return this.#said;
  }

  get isRunning(): boolean {
    return this.#up !== undefined && this.#up.exitCode === null && this.#up.signalCode === null;
  }

  get pid(): number {
    return this.#up?.pid ?? 0;
  }

  get kubeconfig(): string {
    return join(this.folder, 'data/kubeconfig');
  }

  /** Files by path; gives the commit. */
  commit(files: Readonly<Record<string, string>>): string {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.repository, path)), { recursive: true });
      writeFileSync(join(this.repository, path), text);
    }
    this.#git('add', '-A');
    this.#git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '-m', 'as wanted');
    return this.#git('rev-parse', 'HEAD').trim();
  }

  request(path: string, asked: RequestOptions = {}): Promise<HttpResponse> {
    return sendRequest(`${this.url}${path}`, { token: this.token, ...asked });
  }

  /** As a person starts it again, with the same data and at other ports. */
  async restart(): Promise<void> {
    await this.#stop();
    this.#said = '';
    const { password } = this;
    await this.#start();
    this.password = password;
  }

  async close(): Promise<void> {
    await this.#stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #stop(): Promise<void> {
    if (this.#up === undefined || !this.isRunning) return;
    const gone = once(this.#up, 'close');
    this.#up.kill('SIGTERM');
    await gone;
  }

  #git(...words: string[]): string {
    return execFileSync('git', words, { cwd: this.repository, encoding: 'utf8' });
  }

  async #start(): Promise<void> {
    const up = spawn(
      process.execPath,
      [
        '--disable-proto=delete',
        this.main,
        'up',
        '--no-demo',
        '--allow-file-repos',
        tmpdir(),
        '--data',
        join(this.folder, 'data'),
        '--api-port',
        '0',
        '--metrics-port',
        '0',
        '--port',
        '0',
        ...this.more,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...this.environment } },
    );
    this.#up = up;
    await new Promise<void>((resolve, reject) => {
      const hear = (chunk: Buffer): void => {
        this.#said += chunk.toString();
        if (this.#said.includes('Ctrl-C stops it')) resolve();
      };
      up.stdout.on('data', hear);
      up.stderr.on('data', hear);
      up.once('exit', () => {
        reject(new Error(`argosy up ended: ${this.#said}`));
      });
    });
    this.url = /http:\/\/localhost:\d+/.exec(this.#said)?.[0] ?? '';
    this.password = /password\s+(\S+)/.exec(this.#said)?.[1] ?? '';
  }
}
