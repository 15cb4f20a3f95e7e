import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { goProgram } from '../real/go-build.js';
import type { Answer, Task } from './templates/task.js';

/** Go's text/template with sprig in a process of its own. Tasks are answered one after the other. */
export class GoTemplate {
  private process: GoProcess | undefined;

  private constructor(private readonly path: string) {}

  /** Builds it at the first call; where that is impossible, the reason is the name of a skip. */
  static async open(): Promise<GoTemplate | string> {
    const program = await goProgram('go-template', join(import.meta.dirname, 'go-template'));
    return program.kind === 'missing' ? `skipped: text/template (${program.reason})` : new GoTemplate(program.path);
  }

  async run({ templates, values, name, missingKey, isPlain, hasNatives = false }: Task): Promise<Answer> {
    this.process ??= new GoProcess(this.path);
    try {
      const answer = JSON.parse(
        await this.process.request(JSON.stringify({ templates, values, name, missingKey, isPlain, hasNatives })),
      ) as Answer;
      if (answer.failure !== 'time') return answer;
    } catch (error) {
      // A map that contains itself ends the whole program: Go's stack cannot be recovered.
      if (!(error instanceof Error && error.message.includes('stack overflow'))) throw error;
    }
    // The next task gets a new process; this one ends by itself.
    await this.close();
    return { output: '', failure: 'time', message: '' };
  }

  async close(): Promise<void> {
    const ending = this.process;
    this.process = undefined;
    await ending?.close();
  }
}

/** Lines in, lines out. */
class GoProcess {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly waiting: { resolve(line: string): void; reject(error: Error): void }[] = [];
  private readonly gone: Promise<void>;
  private ended: Error | undefined;

  constructor(path: string) {
    const child = spawn(path);
    this.child = child;
    createInterface({ input: child.stdout }).on('line', (line) => this.waiting.shift()?.resolve(line));
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, 2000)));
    // What it was asked after it ended is rejected below; the write error says no more.
    child.stdin.on('error', () => undefined);
    this.gone = new Promise((resolve) =>
      child.once('close', (code) => {
        this.ended = new Error(`the Go program ended (${String(code)}): ${complaint}`);
        for (const { reject } of this.waiting.splice(0)) reject(this.ended);
        resolve();
      }),
    );
  }

  request(line: string): Promise<string> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(`${line}\n`);
    });
  }

  async close(): Promise<void> {
    this.child.stdin.end();
    await this.gone;
  }
}
