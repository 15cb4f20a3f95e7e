import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RUNNER = join(import.meta.dirname, '..');
const NONCE = 'f00d';

export interface RunnerEvent {
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface NotebookRun {
  readonly code: number;
  readonly events: readonly RunnerEvent[];
  /** What is not ours on stdout. */
  readonly log: string;
  readonly stderr: string;
  /** Of the runner. */
  readonly pid: number;
}

/** A cell is its code, or `{md}`, or `{raw}`, or code with tags and the outputs it was saved with. */
export type Cell =
  | string
  | { readonly md: string }
  | { readonly raw: string }
  | {
      readonly code: string;
      readonly tags?: readonly string[];
      readonly outputs?: readonly object[];
      readonly count?: number;
    };

/** Whether /usr/bin/python3 has nbclient and ipykernel. */
export const hasJupyter = spawnSync('/usr/bin/python3', ['-c', 'import nbclient, ipykernel']).status === 0;
export const hasSklearn = spawnSync('/usr/bin/python3', ['-c', 'import sklearn']).status === 0;

export function notebookText(cells: readonly Cell[], kernel?: string): string {
  const metadata = kernel === undefined ? {} : { kernelspec: { name: kernel, display_name: kernel } };
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata,
    cells: cells.map((cell) => {
      if (typeof cell === 'object' && 'md' in cell) return { cell_type: 'markdown', metadata: {}, source: cell.md };
      if (typeof cell === 'object' && 'raw' in cell) return { cell_type: 'raw', metadata: {}, source: cell.raw };
      const { code, tags, outputs = [], count = null } = typeof cell === 'string' ? { code: cell } : cell;
      return {
        cell_type: 'code',
        metadata: tags === undefined ? {} : { tags },
        source: code,
        outputs,
        execution_count: count,
      };
    }),
  });
}

/** Runs the runner on a notebook, as a pod does; `during` hears of each event as it comes. */
export async function runNotebook(
  notebook: string,
  config: { readonly golden?: string; readonly [key: string]: unknown } = {},
  during: (event: RunnerEvent, pid: number) => void = () => undefined,
): Promise<NotebookRun> {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-runner-'));
  writeFileSync(join(folder, 'a.ipynb'), notebook);
  if (config.golden !== undefined) writeFileSync(join(folder, 'golden.ipynb'), config.golden);
  const run = {
    notebook: join(folder, 'a.ipynb'),
    ...config,
    golden: config.golden === undefined ? null : join(folder, 'golden.ipynb'),
  };
  const child = spawn('python3', [join(RUNNER, 'run.py')], {
    env: { PATH: process.env['PATH'], HOME: folder, ARGOSY_RUN: JSON.stringify(run), ARGOSY_NONCE: NONCE },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pid = child.pid ?? 0;
  let [pending, log, stderr] = ['', '', ''];
  const events: RunnerEvent[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith(`@argosy ${NONCE} `)) {
        log += `${line}\n`;
        continue;
      }
      const event = JSON.parse(line.slice(`@argosy ${NONCE} `.length)) as RunnerEvent;
      events.push(event);
      during(event, pid);
    }
  });
  const code = await new Promise<number>((resolve) => {
    child.on('close', (exit, signal) => {
      resolve(exit ?? (signal === null ? -1 : -2));
    });
  });
  rmSync(folder, { recursive: true, force: true });
  return { code, events, log: log + pending, stderr, pid };
}

export function cellsOf({ events }: NotebookRun): string[] {
  return events
    .filter(({ event }) => event === 'cell')
    .map(
      ({ cell, status, errorType }) =>
        `${String(cell)} ${String(status)}${errorType === '' ? '' : ` ${String(errorType)}`}`,
    );
}

export function last({ events }: NotebookRun): RunnerEvent {
  return events.at(-1) ?? { event: 'none' };
}
