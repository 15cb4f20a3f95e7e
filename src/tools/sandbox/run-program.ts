import { spawn } from 'node:child_process';
import { Fault } from '../../model/faults/index.js';
import { killGroup } from './processes.js';

export interface ProgramCall {
  /** Absolute. */
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly milliseconds: number;
  readonly outputBytes: number;
  readonly started: (pid: number) => Promise<void>;
  readonly after: (milliseconds: number, act: () => void) => () => void;
}

export type ProgramEnd = 'done' | 'failed' | 'time' | 'bytes';

export interface ProgramResult {
  readonly end: ProgramEnd;
  readonly output: Buffer;
  /** What it said on standard error. */
  readonly stderr: string;
}

const MAX_STDERR_BYTES = 64 * 1024;

/**
 * Runs a program without a shell in a process group of its own. The group is ended when the program is, however that
 * came.
 */
export async function runProgram(call: ProgramCall): Promise<ProgramResult> {
  const child = spawn(call.program, [...call.args], {
    cwd: call.directory,
    env: { ...call.environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let end: ProgramEnd | undefined;
  const { pid } = child;
  const stop = (reason: ProgramEnd): void => {
    end ??= reason;
    if (pid !== undefined) killGroup(pid);
  };
  const output = collect(child.stdout, call.outputBytes, () => {
    stop('bytes');
  });
  const complaint = collect(child.stderr, MAX_STDERR_BYTES);
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => {
      reject(
        new Fault('TOOL_MISSING', `the program cannot be started: ${cause.message}`, { where: call.program, cause }),
      );
    });
    child.once('exit', (code) => {
      // Children that it left behind hold the pipes open.
      if (pid !== undefined) killGroup(pid);
      resolve(code);
    });
  });
  const cancel = call.after(call.milliseconds, () => {
    stop('time');
  });
  try {
    if (pid !== undefined) await call.started(pid);
    const code = await exit;
    return {
      end: end ?? (code === 0 ? 'done' : 'failed'),
      output: await output,
      stderr: (await complaint).toString('utf8'),
    };
  } finally {
    cancel();
  }
}

function collect(stream: NodeJS.ReadableStream, most: number, tooMuch?: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= most) chunks.push(chunk);
      else tooMuch?.();
    });
    stream.once('close', () => {
      resolve(Buffer.concat(chunks));
    });
  });
}
