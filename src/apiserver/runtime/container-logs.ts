/** One line that a container wrote. */
export interface LogLine {
  readonly time: Date;
  readonly text: string;
}

interface Run {
  /** As in containerStatuses: `containerd://<id>`. */
  readonly id: string;
  readonly lines: LogLine[];
  ended: boolean;
}

/** Most lines that are kept of one run; older ones are dropped, as log rotation does. */
const LINES_KEPT = 1000;
/** The run before the newest one is what `--previous` shows; older ones are dropped. */
const RUNS_KEPT = 2;

/** What containers wrote, in memory: the newest run of each and the one before. */
export class ContainerLogs {
  readonly #runs = new Map<string, Run[]>();
  readonly #followers = new Map<string, Set<(line: LogLine | undefined) => void>>();

  open(pod: string, container: string, id: string): void {
    const key = keyOf(pod, container);
    const runs = this.#runs.get(key) ?? [];
    if (runs.some((run) => run.id === id)) return;
    this.#runs.set(key, [...runs, { id, lines: [], ended: false }].slice(-RUNS_KEPT));
  }

  write(pod: string, container: string, id: string, line: LogLine): void {
    const run = this.#find(pod, container, id);
    if (!run || run.ended) return;
    run.lines.push(line);
    if (run.lines.length > LINES_KEPT) run.lines.shift();
    this.#tell(id, line);
  }

  /** The run is over: followers are told so. */
  end(pod: string, container: string, id: string): void {
    const run = this.#find(pod, container, id);
    if (!run || run.ended) return;
    run.ended = true;
    this.#tell(id, undefined);
    this.#followers.delete(id);
  }

  read(pod: string, container: string, id: string): { readonly lines: readonly LogLine[]; readonly ended: boolean } {
    const run = this.#find(pod, container, id);
    return run ? { lines: run.lines, ended: run.ended } : { lines: [], ended: true };
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
      for (const run of runs) this.#tell(run.id, undefined);
      this.#runs.delete(key);
    }
  }

  #find(pod: string, container: string, id: string): Run | undefined {
    return this.#runs.get(keyOf(pod, container))?.find((run) => run.id === id);
  }

  #tell(id: string, line: LogLine | undefined): void {
    for (const listener of this.#followers.get(id) ?? []) listener(line);
  }
}

function keyOf(pod: string, container: string): string {
  return `${pod}/${container}`;
}
