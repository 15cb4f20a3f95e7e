import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { toText } from '../../src/health/lua/text.js';
import { goProgram } from '../real/go-build.js';
import type { LuaCase, Outcome } from './program.js';

/** gopher-lua 1.1.2 in a process of its own. Programs are answered in the order they are given. */
export class GopherLua {
  private readonly waiting: { resolve(outcome: Outcome): void; reject(error: Error): void }[] = [];
  private readonly gone: Promise<void>;
  private ended: Error | undefined;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on('line', (line) =>
      this.waiting.shift()?.resolve(decoded(JSON.parse(line) as Outcome)),
    );
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, 2000)));
    // What it was asked after it ended is rejected below; the write error says no more.
    child.stdin.on('error', () => undefined);
    this.gone = new Promise((resolve) =>
      child.once('close', (code) => {
        this.ended = new Error(`gopher-lua ended (${String(code)}): ${complaint}`);
        for (const { reject } of this.waiting.splice(0)) reject(this.ended);
        resolve();
      }),
    );
  }

  /** Builds it at the first call; where that is impossible, the reason is the name of a skip. */
  static async open(): Promise<GopherLua | string> {
    const program = await goProgram('gopher-lua', join(import.meta.dirname, 'go'));
    return program.kind === 'missing' ? `skipped: gopher-lua (${program.reason})` : new GopherLua(spawn(program.path));
  }

  run({ source, openLibs, object }: LuaCase): Promise<Outcome> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(`${JSON.stringify({ source, openLibs, object })}\n`);
    });
  }

  async close(): Promise<void> {
    this.child.stdin.end();
    await this.gone;
  }
}

/** The Go program writes each byte of a Lua string as one character. */
function decoded({ printed, returned, failure, message }: Outcome): Outcome {
  return { printed: printed.map(toText), returned: returned.map(toText), failure, message: toText(message) };
}
