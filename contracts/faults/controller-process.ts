import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface ControllerOptions {
  readonly kubeconfig: string;
  /** Its own folder, for its log and, unless given, its data. */
  readonly dir: string;
  readonly data?: string;
  readonly metricsPort: number;
  readonly more?: readonly string[];
  /** Beside what this process has. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Another build may be named, so that a long run is not touched by a new one. */
const MAIN = process.env['ARGOSY_MAIN'] ?? resolve(import.meta.dirname, '../../dist/main.js');
const RUNNING = 'controller is running';
const READY_WITHIN = 60_000;

const children = new Set<ChildProcess>();
let isGuarded = false;

/** Our controller as a user starts it: one process, and what that starts itself. */
export class ControllerProcess {
  #gone: Promise<void>;
  #ended: string | undefined;

  private constructor(
    readonly child: ChildProcess,
    readonly logPath: string,
    readonly options: ControllerOptions,
  ) {
    this.#gone = new Promise((resolveGone) => {
      const end = (how: string): void => {
        this.#ended ??= how;
        children.delete(child);
        resolveGone();
      };
      child.once('error', (error) => {
        end(error.message);
      });
      child.once('exit', (code, signal) => {
        end(signal ?? `exit code ${String(code)}`);
      });
    });
  }

  static start(options: ControllerOptions): ControllerProcess {
    guard();
    mkdirSync(options.dir, { recursive: true });
    const logPath = join(options.dir, 'controller.log');
    const log = openSync(logPath, 'w');
    const child = spawn(
      process.execPath,
      [
        '--disable-proto=delete',
        MAIN,
        'controller',
        '--kubeconfig',
        options.kubeconfig,
        '--data',
        options.data ?? join(options.dir, 'data'),
        '--namespace',
        'argocd',
        '--allow-file-repos',
        tmpdir(),
        '--metrics-port',
        String(options.metricsPort),
        ...(options.more ?? []),
      ],
      { stdio: ['ignore', log, log], env: { ...process.env, ...options.environment } },
    );
    closeSync(log);
    children.add(child);
    return new ControllerProcess(child, logPath, options);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isAlive(): boolean {
    return this.#ended === undefined;
  }

  log(): string {
    return existsSync(this.logPath) ? readFileSync(this.logPath, 'utf8') : '';
  }

  async ready(within = READY_WITHIN): Promise<void> {
    const deadline = performance.now() + within;
    while (!this.log().includes(RUNNING)) {
      if (!this.isAlive)
        throw new Error(`the controller ended (${this.#ended ?? ''}); end of its log:\n${this.tail()}`);
      if (performance.now() > deadline)
        throw new Error(`the controller does not run after ${within / 1000} s; end of its log:\n${this.tail()}`);
      await delay(10);
    }
  }

  /** Ends it at once, as a crash of the machine would; children of its own die with their pipes. */
  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** Stands still until `resume`, and does not know it. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  async gone(): Promise<void> {
    await this.#gone;
  }

  async stop(): Promise<void> {
    if (!this.isAlive) return;
    this.child.kill('SIGCONT');
    this.child.kill('SIGTERM');
    const force = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await this.#gone;
    clearTimeout(force);
  }

  tail(lines = 15): string {
    return this.log().trimEnd().split('\n').slice(-lines).join('\n');
  }

  /** The value of a metric, summed over its labels; undefined where there is none of that name. */
  async metric(name: string): Promise<number | undefined> {
    const answer = await fetch(`http://127.0.0.1:${this.options.metricsPort}/metrics`);
    const values = (await answer.text())
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
  }
}

/** Ends every controller when this process ends; `startChild` of the control plane turns signals into an exit. */
function guard(): void {
  if (isGuarded) return;
  isGuarded = true;
  process.once('exit', () => {
    for (const child of children) {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
    }
  });
}
