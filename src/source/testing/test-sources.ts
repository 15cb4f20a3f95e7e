import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, SourceDependencies } from '../common/index.js';
import { openSources, type Sources, type SourcesOptions } from '../sources.js';

/** Real time; only for limits that no test waits for. */
const realClock: Clock = {
  now: () => new Date(),
  steady: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** A clock that a test moves. */
export class TestClock implements Clock {
  #time = 0;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];

  now(): Date {
    return new Date(1_700_000_000_000 + this.#time);
  }

  steady(): number {
    return this.#time;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#time + milliseconds, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** When timers are due, from now. */
  get due(): number[] {
    return this.#timers.map(({ at }) => at - this.#time).sort((a, b) => a - b);
  }

  move(milliseconds: number): void {
    this.#time += milliseconds;
    for (const timer of this.#timers.filter(({ at }) => at <= this.#time)) {
      this.#timers = this.#timers.filter((other) => other !== timer);
      timer.callback();
    }
  }
}

/** Everything that a test left behind goes at its end. */
export class Cleanup {
  #work: (() => unknown)[] = [];

  add(work: () => unknown): void {
    this.#work.push(work);
  }

  folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'argosy-source-'));
    this.add(() => {
      rmSync(path, { recursive: true, force: true });
    });
    return path;
  }

  async run(): Promise<void> {
    for (const work of this.#work.reverse()) await work();
    this.#work = [];
  }
}

export interface TestSources extends Sources {
  readonly data: string;
  /** What was reported. */
  readonly reports: readonly string[];
}

/** Sources over a folder of their own, with files and loopback servers allowed. */
export async function openTestSources(cleanup: Cleanup, options: Partial<SourcesOptions> = {}): Promise<TestSources> {
  const data = options.data ?? cleanup.folder();
  const reports: string[] = [];
  const world: SourceDependencies = {
    clock: realClock,
    random: () => 0.5,
    environment: { PATH: process.env['PATH'] },
    report: (problem) => {
      reports.push(problem);
    },
  };
  const sources = await openSources({ ...world, fileRepositories: [tmpdir()], ...options, data });
  cleanup.add(() => sources.close());
  return { ...bound(sources), data, reports };
}

/** The methods with their object, since private fields need it. */
function bound(sources: Sources): Sources {
  return {
    resolve: (...args) => sources.resolve(...args),
    peek: (...args) => sources.peek(...args),
    tree: (...args) => sources.tree(...args),
    load: (...args) => sources.load(...args),
    refs: (...args) => sources.refs(...args),
    verify: (...args) => sources.verify(...args),
    describe: (...args) => sources.describe(...args),
    earlier: (...args) => sources.earlier(...args),
    branchesWithPath: (...args) => sources.branchesWithPath(...args),
    explainMissingPath: (...args) => sources.explainMissingPath(...args),
    hasImage: (image) => sources.hasImage(image),
    fetchChart: (...args) => sources.fetchChart(...args),
    listCharts: (repository) => sources.listCharts(repository),
    fetchFile: (...args) => sources.fetchFile(...args),
    watch: (...args) => sources.watch(...args),
    notify: (...args) => sources.notify(...args),
    accessVersion: (repository) => sources.accessVersion(repository),
    close: () => sources.close(),
  };
}
