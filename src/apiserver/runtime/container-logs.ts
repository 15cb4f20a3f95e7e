import { join } from 'node:path';
import { LogFile, type LogLine } from './log-file.js';

interface Run {
  /** As in containerStatuses: `containerd://<id>`. */
  readonly id: string;
  readonly lines: LogLine[];
  /** Where the lines are instead, for runs whose log outlives the server. */
  readonly file: LogFile | undefined;
  ended: boolean;
}

/** Most lines that are kept of one run; older ones are dropped, as log rotation does. */
const LINES_KEPT = 1000;
/** The run before the newest one is what `--previous` shows; older ones are dropped. */
const RUNS_KEPT = 2;

/** What containers wrote: the newest run of each and the one before. In memory, and on disk what processes wrote. */
export class ContainerLogs {
  readonly #runs = new Map<string, Run[]>();
  readonly #followers = new Map<string, Set<(line: LogLine | undefined) => void>>();

  /** Logs of processes are kept in this folder, by pod. */
  constructor(readonly folder?: string) {}

  open(pod: string, container: string, id: string, isKept = false): void {
    const key = keyOf(pod, container);
    const runs = this.#runs.get(key) ?? [];
    if (runs.some((run) => run.id === id)) return;
    this.#runs.set(
      key,
      [...runs, { id, lines: [], file: isKept ? this.#fileOf(pod, id) : undefined, ended: false }].slice(-RUNS_KEPT),
    );
  }

  write(pod: string, container: string, id: string, line: LogLine): void {
    const run = this.#find(pod, container, id);
    if (!run || run.ended) return;
    if (run.file) run.file.append(line);
    else run.lines.push(line);
    if (run.lines.length > LINES_KEPT) run.lines.shift();
    this.#notify(id, line);
  }

  /** The run is over: followers are notified. */
  end(pod: string, container: string, id: string): void {
    const run = this.#find(pod, container, id);
    if (!run || run.ended) return;
    run.ended = true;
    run.file?.close();
    this.#notify(id, undefined);
    this.#followers.delete(id);
  }

  read(pod: string, container: string, id: string): { readonly lines: readonly LogLine[]; readonly ended: boolean } {
    const run = this.#find(pod, container, id);
    if (run) return { lines: run.file?.read() ?? run.lines, ended: run.ended };
    // A run from before the server was started, if it was a process.
    return { lines: this.#fileOf(pod, id)?.read() ?? [], ended: true };
  }

  /** Calls back for each later line, and with undefined when the run is over. */
  follow(id: string, listener: (line: LogLine | undefined) => void): { close(): void } {
    const listeners = this.#followers.get(id) ?? new Set();
    this.#followers.set(id, listeners.add(listener));
    return { close: () => listeners.delete(listener) };
  }

  /** The pod is gone, and its logs with it. */
  forget(pod: string): void {
    for (const [key, runs] of this.#runs) {
      if (!key.startsWith(`${pod}/`)) continue;
      for (const run of runs) {
        run.file?.close();
        this.#notify(run.id, undefined);
      }
      this.#runs.delete(key);
    }
  }

  #fileOf(pod: string, id: string): LogFile | undefined {
    return this.folder === undefined ? undefined : new LogFile(join(this.folder, pod, 'logs'), id.replace(/^.*\//, ''));
  }

  #find(pod: string, container: string, id: string): Run | undefined {
    return this.#runs.get(keyOf(pod, container))?.find((run) => run.id === id);
  }

  #notify(id: string, line: LogLine | undefined): void {
    for (const listener of this.#followers.get(id) ?? []) listener(line);
  }
}

function keyOf(pod: string, container: string): string {
  return `${pod}/${container}`;
}
