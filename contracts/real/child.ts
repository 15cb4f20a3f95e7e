import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** A program that a test started; it never outlives the test process. */
export interface Child {
  readonly pid: number;
  /** Ends the program and waits until it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Throws, with the end of its log, when the program has ended by itself. */
  assertAlive(): void;
  readonly logPath: string;
}

const running = new Set<ChildProcess>();
let guarded = false;

/** Starts a program with its output in a log file. */
export function startChild(program: string, args: readonly string[], logPath: string): Child {
  guard();
  const log = openSync(logPath, 'a');
  const child = spawn(program, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  running.add(child);
  let ended: string | undefined;
  const gone = new Promise<void>((resolve) => {
    const end = (how: string): void => {
      ended ??= how;
      running.delete(child);
      resolve();
    };
    child.once('error', (error) => {
      end(error.message);
    });
    child.once('exit', (code, signal) => {
      end(signal ?? `exit code ${String(code)}`);
    });
  });
  return {
    pid: child.pid ?? 0,
    logPath,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const force = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await gone;
      clearTimeout(force);
    },
    assertAlive() {
      if (ended === undefined) return;
      throw new Error(`${basename(program)} ended (${ended}); end of ${logPath}:\n${endOfLog(logPath)}`);
    },
  };
}

/** The last lines of a log, for a message. */
export function endOfLog(path: string): string {
  return readFileSync(path, 'utf8').split('\n').slice(-12).join('\n');
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

const folders = new Set<string>();

/** A folder for the files of programs; it goes after them when this process ends, if nobody clears it before. */
export function scratchFolder(name: string): string {
  guard();
  const folder = mkdtempSync(join(tmpdir(), name));
  folders.add(folder);
  return folder;
}

export function clearFolder(folder: string): void {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Ends every child and clears what they wrote when this process ends, whichever way it does that we can see. */
function guard(): void {
  if (guarded) return;
  guarded = true;
  process.once('exit', () => {
    for (const child of running) child.kill('SIGKILL');
    for (const folder of folders) clearFolder(folder);
  });
  // A signal alone would skip the exit handlers, and with them the children and directories they clear away.
  for (const [signal, number] of Object.entries(SIGNALS)) process.once(signal, () => process.exit(128 + number));
}
