import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { Clock } from '../common/index.js';
import type { GitSession } from './git-session.js';

export interface GitCall {
  /** git unless told. */
  readonly program?: 'gpg';
  /** Never holds a secret, an address or text that a stranger chose without a check. */
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly session?: GitSession;
  readonly input?: string;
  readonly milliseconds: number;
  readonly outputBytes: number;
  /** Looked at all the time while git runs; true ends it. */
  readonly isTooMuch?: (pid: number) => Promise<boolean>;
  /** Told of the process group, so that it can be ended after a kill of ours. */
  readonly started?: (pid: number) => Promise<void>;
  readonly signal?: AbortSignal;
}

export type GitEnd = 'done' | 'failed' | 'time' | 'bytes' | 'stopped' | 'absent';

export interface GitResult {
  readonly end: GitEnd;
  readonly output: Buffer;
  /** What git said, without secrets. */
  readonly stderr: string;
}

const MAX_STDERR_BYTES = 64 * 1024;
const CHECK_MILLISECONDS = 100;

/**
 * Runs git (or gpg) without a shell, in a process group of its own, and ends the whole group where it takes too long or
 * too much.
 */
export async function runGit(clock: Clock, call: GitCall): Promise<GitResult> {
  const child = startGit(call);
  // At once: a fast child may end before anything below has run.
  const exit = exitOf(child);
  let end: GitEnd | undefined;
  child.once('error', () => {
    end ??= 'absent';
  });
  const stop = (reason: GitEnd): void => {
    end ??= reason;
    killGroup(child);
  };
  const stopped = (): void => {
    stop('stopped');
  };
  const tooLong = (): void => {
    stop('time');
  };
  const watches = [
    clock.deadline?.(call.milliseconds, tooLong) ?? clock.after(call.milliseconds, tooLong),
    watch(clock, child.pid === undefined ? undefined : call.isTooMuch?.bind(undefined, child.pid), () => {
      stop('bytes');
    }),
  ];
  call.signal?.addEventListener('abort', stopped);
  if (call.signal?.aborted === true) stopped();
  const output = collect(child.stdout, call.outputBytes, () => {
    stop('bytes');
  });
  const complaint = collect(child.stderr, MAX_STDERR_BYTES);
  if (call.session !== undefined) answerPrompts(child.stdio[3] as Duplex, call.session.answer);
  // git may end without reading all.
  child.stdin?.on('error', () => undefined).end(call.input ?? '');
  try {
    if (child.pid !== undefined) await call.started?.(child.pid);
    const code = await exit;
    return {
      end: end ?? (code === 0 ? 'done' : 'failed'),
      output: await output,
      stderr: withoutSecrets((await complaint).toString('utf8'), call.session),
    };
  } finally {
    for (const cancel of watches) cancel();
    call.signal?.removeEventListener('abort', stopped);
  }
}

function startGit(call: GitCall): ChildProcess {
  return spawn(call.program ?? 'git', [...call.args], {
    cwd: call.directory,
    env: { ...call.environment, ...call.session?.environment },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', call.session === undefined ? 'ignore' : 'pipe'],
  });
}

function withoutSecrets(text: string, session: GitSession | undefined): string {
  return session === undefined ? text : session.scrub(text);
}

/** Ends git and the helpers that it started, git itself may have ended already. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is not yet there: then the child itself.
    child.kill('SIGKILL');
  }
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    // A program that is not there ends without a code; its streams close as well.
    child.once('error', () => {
      resolve(null);
    });
    child.once('close', (code) => {
      resolve(code);
    });
  });
}

function collect(stream: NodeJS.ReadableStream | null, most: number, tooMuch?: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    if (stream === null) {
      resolve(Buffer.alloc(0));
      return;
    }
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= most) chunks.push(chunk);
      else tooMuch?.();
    });
    stream.on('error', () => undefined);
    stream.once('close', () => {
      resolve(Buffer.concat(chunks));
    });
  });
}

function watch(clock: Clock, isTooMuch: (() => Promise<boolean>) | undefined, stop: () => void): () => void {
  if (isTooMuch === undefined) return () => undefined;
  let cancel = (): void => undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    const found = await isTooMuch();
    if (isOver) return;
    if (found) stop();
    else
      cancel = clock.after(CHECK_MILLISECONDS, () => {
        void look();
      });
  };
  cancel = clock.after(CHECK_MILLISECONDS, () => {
    void look();
  });
  return () => {
    isOver = true;
    cancel();
  };
}

const MAX_PROMPT_LENGTH = 8192;

function answerPrompts(pipe: Duplex, answer: (question: string) => string | undefined): void {
  let text = '';
  pipe.on('error', () => undefined);
  pipe.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const reply = answer(text.slice(0, end));
      text = text.slice(end + 1);
      if (reply === undefined) pipe.destroy();
      else pipe.write(`${reply}\n`);
    }
    if (text.length > MAX_PROMPT_LENGTH) pipe.destroy();
  });
}
