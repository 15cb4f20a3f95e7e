import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10;
const SAMPLE_INTERVAL = 100;

export interface TreeUse {
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

/**
 * A process and everything it started: processor time, children that ended included, and the most memory it had at one
 * look.
 */
export class ProcessTree {
  #peak = 0;
  #cpuAtStart = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly pid: number) {}

  /** `fromBirth` counts what it used before this call too. */
  start(fromBirth = false): void {
    this.#peak = 0;
    this.#cpuAtStart = fromBirth ? 0 : this.#cpuMs();
    this.#timer = setInterval(() => {
      this.#look();
    }, SAMPLE_INTERVAL);
    this.#look();
  }

  stop(): TreeUse {
    clearInterval(this.#timer);
    this.#look();
    return { cpuSeconds: (this.#cpuMs() - this.#cpuAtStart) / 1000, peakBytes: this.#peak };
  }

  #look(): void {
    const bytes = this.#pids().reduce(
      (sum, pid) => sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024,
      0,
    );
    this.#peak = Math.max(this.#peak, bytes);
  }

  #cpuMs(): number {
    return this.#pids().reduce((sum, pid) => {
      // The name in parentheses may hold spaces; user and system time, its own and its ended children's, are 12 to 15
      // fields behind it.
      const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ').slice(11, 15) ?? [];
      return sum + fields.reduce((ticks, field) => ticks + Number(field), 0) * TICK_MS;
    }, 0);
  }

  #pids(): number[] {
    const found: number[] = [];
    for (const queue = [this.pid]; queue.length > 0; ) {
      const pid = queue.pop() ?? 0;
      found.push(pid);
      queue.push(...childrenOf(pid));
    }
    return found;
  }
}

/** Any thread may have started a child. */
function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`)
      .split(' ')
      .filter((word) => word !== '')
      .map(Number),
  );
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    // It ended between two looks.
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended between two looks.
    return '';
  }
}
