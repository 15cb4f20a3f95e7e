import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseJson, writeJson, type Json } from '../../src/model/json/index.js';
import { goProgram } from '../real/go-build.js';

export interface Answer {
  readonly failure: '' | 'compile' | 'run';
  readonly message: string;
  readonly values: readonly Json[];
}

/** gojq in a process of its own. Programs are answered in the order they are given. */
export class Gojq {
  private readonly waiting: { resolve(answer: Answer): void; reject(error: Error): void }[] = [];
  private readonly gone: Promise<void>;
  private ended: Error | undefined;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on('line', (line) =>
      this.waiting.shift()?.resolve(parseJson(line) as unknown as Answer),
    );
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, 2000)));
    // What it was asked after it ended is rejected below; the write error says no more.
    child.stdin.on('error', () => undefined);
    this.gone = new Promise((resolve) =>
      child.once('close', (code) => {
        this.ended = new Error(`gojq ended (${String(code)}): ${complaint}`);
        for (const { reject } of this.waiting.splice(0)) reject(this.ended);
        resolve();
      }),
    );
  }

  /** Builds it at the first call; where that is impossible, the reason is the name of a skip. */
  static async open(): Promise<Gojq | string> {
    const program = await goProgram('gojq', join(import.meta.dirname, 'go'));
    return program.kind === 'missing' ? `skipped: gojq (${program.reason})` : new Gojq(spawn(program.path));
  }

  run(program: string, input: Json): Promise<Answer> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(`${writeJson({ program, input })}\n`);
    });
  }

  async close(): Promise<void> {
    this.child.stdin.end();
    await this.gone;
  }
}
