import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { goProgram } from '../real/go-build.js';
import type { Answer, Task } from './templates/task.js';

/** Go's text/template with sprig in a process of its own. Tasks are answered in the order they are given. */
export class GoTemplate {
  private readonly waiting: { resolve(answer: Answer): void; reject(error: Error): void }[] = [];
  private readonly gone: Promise<void>;
  private ended: Error | undefined;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on('line', (line) => this.waiting.shift()?.resolve(JSON.parse(line) as Answer));
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, 2000)));
    // What it was asked after it ended is rejected below; the write error says no more.
    child.stdin.on('error', () => undefined);
    this.gone = new Promise((resolve) => child.once('close', (code) => {
      this.ended = new Error(`the Go program ended (${String(code)}): ${complaint}`);
      for (const { reject } of this.waiting.splice(0)) reject(this.ended);
      resolve();
    }));
  }

  /** Builds it at the first call; where that is impossible, the reason is the name of a skip. */
  static async open(): Promise<GoTemplate | string> {
    const program = await goProgram('go-template', join(import.meta.dirname, 'go-template'));
    return program.kind === 'missing' ? `skipped: text/template (${program.reason})` : new GoTemplate(spawn(program.path));
  }

  run({ templates, values, name, missingKey }: Task): Promise<Answer> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(`${JSON.stringify({ templates, values, name, missingKey })}\n`);
    });
  }

  async close(): Promise<void> {
    this.child.stdin.end();
    await this.gone;
  }
}
