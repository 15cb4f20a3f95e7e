import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { goProgram } from '../real/go-build.js';
import type { Question, Reply } from './question.js';

/** The enforcer of Argo CD 3.5.6 in a process of its own. Questions are answered in the order they are given. */
export class ArgoCdRights {
  private readonly waiting: { resolve(reply: Reply): void; reject(error: Error): void }[] = [];
  private readonly gone: Promise<void>;
  private ended: Error | undefined;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { broken = '', allowed } = JSON.parse(line) as { broken?: string; allowed: boolean[] };
      this.waiting.shift()?.resolve({ isBroken: broken !== '', allowed });
    });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, 2000)));
    // What it was asked after it ended is rejected below; the write error says no more.
    child.stdin.on('error', () => undefined);
    this.gone = new Promise((resolve) =>
      child.once('close', (code) => {
        this.ended = new Error(`the enforcer ended (${String(code)}): ${complaint}`);
        for (const { reject } of this.waiting.splice(0)) reject(this.ended);
        resolve();
      }),
    );
  }

  /** Builds it at the first call, which takes minutes; where that is impossible, the reason is the name of a skip. */
  static async open(): Promise<ArgoCdRights | string> {
    const program = await goProgram('argocd-rights', join(import.meta.dirname, 'go'));
    return program.kind === 'missing'
      ? `skipped: the enforcer of Argo CD (${program.reason})`
      : new ArgoCdRights(spawn(program.path));
  }

  answer(question: Question): Promise<Reply> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(`${JSON.stringify(question)}\n`);
    });
  }

  async close(): Promise<void> {
    this.child.stdin.end();
    await this.gone;
  }
}
