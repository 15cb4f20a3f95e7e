import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Subject } from './subjects.js';

export interface HealthVerdict {
  readonly status: string;
  readonly message: string;
}

/** What both sides understand; only ours has a cache of scripts to miss (`cold`) and a catalogue (`mixed`). */
export type Request =
  | ({ readonly kind: 'load' } & Subject)
  | { readonly kind: 'run' | 'cold'; readonly name: string; readonly count: number }
  | { readonly kind: 'mixed'; readonly catalogue: string; readonly count: number; readonly byLua: boolean };

export interface Answer {
  readonly verdicts?: readonly HealthVerdict[];
  readonly ms?: number;
}

/** One side of the comparison: a program that takes a JSON request a line and gives a JSON answer a line. */
export class LineProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  constructor(program: string, args: readonly string[] = []) {
    const child = spawn(program, args);
    this.#child = child;
    child.stderr.pipe(process.stderr);
    createInterface({ input: child.stdout }).on('line', (line) => this.#waiting?.resolve(JSON.parse(line) as Answer));
    child.once('exit', (code) => this.#waiting?.reject(new Error(`${program} ended (${String(code)})`)));
  }

  /** One request at a time. */
  request(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  close(): void {
    this.#child.kill();
  }
}
