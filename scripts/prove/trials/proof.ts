/** A claim that is shown by many seeded trials. `npm run prove -- NAME` runs one; tests run it at its smoke size. */
export interface Proof {
  readonly name: string;
  readonly sizes: { readonly smoke: number; readonly full: number };
  run(context: ProofContext): Promise<ProofResult>;
}

export interface ProofContext {
  readonly seed: number;
  /** How many trials. */
  readonly size: number;
  readonly log: (line: string) => void;
  /** Trials that an earlier call finished, and what they found; undefined at the first call. */
  readonly resume?: Progress | undefined;
  /** Keeps what is done so far, so that a later call can go on. */
  readonly save?: (progress: Progress) => void;
  /** False when this call should stop; the rest is done by the next one. */
  readonly mayGoOn?: () => boolean;
}

/** Counts and samples by name; samples end as p50 and p99. */
export interface Progress {
  readonly done: number;
  readonly counts: Record<string, number>;
  readonly samples: Record<string, number[]>;
  /** Numbers of things of a kind that were met; figures say how many. */
  readonly covered?: Record<string, readonly number[]>;
}

export interface ProofResult {
  readonly ok: boolean;
  /** Trials done; fewer than asked for when the call was stopped. */
  readonly done: number;
  readonly figures: Record<string, number>;
}

/** What one trial found; `wrong` is empty where the claim held. */
export interface Trial {
  readonly wrong: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly samples?: Readonly<Record<string, number>>;
  readonly covered?: Readonly<Record<string, readonly number[]>>;
}

/** Runs trials one after the other, from where an earlier call stopped, until done, told to stop, or proven wrong. */
export async function runTrials(context: ProofContext, trial: (index: number) => Promise<Trial>): Promise<ProofResult> {
  const counts: Record<string, number> = { ...context.resume?.counts };
  const samples: Record<string, number[]> = { ...context.resume?.samples };
  const covered = new Covered(context.resume?.covered);
  let done = context.resume?.done ?? 0;
  let isOk = true;
  while (isOk && done < context.size && (context.mayGoOn?.() ?? true)) {
    const found = await trial(done);
    for (const line of found.wrong) context.log(`trial ${done} (seed ${context.seed}): ${line}`);
    isOk = found.wrong.length === 0;
    for (const [name, count] of Object.entries(found.counts)) counts[name] = (counts[name] ?? 0) + count;
    for (const [name, sample] of Object.entries(found.samples ?? {})) (samples[name] ??= []).push(sample);
    covered.add(found.covered);
    done++;
    if (isOk) context.save?.({ done, counts, samples, covered: covered.numbers });
    if (done % 20 === 0) context.log(`${done} of ${context.size} trials`);
  }
  return { ok: isOk, done, figures: { trials: done, ...counts, ...covered.figures, ...quantiles(samples) } };
}

/** What trials met of things that have numbers, by kind. */
class Covered {
  readonly #met = new Map<string, Set<number>>();

  constructor(before: Trial['covered']) {
    this.add(before);
  }

  add(more: Trial['covered'] = {}): void {
    for (const [name, numbers] of Object.entries(more))
      this.#met.set(name, new Set([...(this.#met.get(name) ?? []), ...numbers]));
  }

  get numbers(): Record<string, readonly number[]> {
    return Object.fromEntries([...this.#met].map(([name, met]) => [name, [...met]]));
  }

  get figures(): Record<string, number> {
    return Object.fromEntries([...this.#met].map(([name, met]) => [`covered ${name}`, met.size]));
  }
}

function quantiles(samples: Readonly<Record<string, readonly number[]>>): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const [name, values] of Object.entries(samples)) {
    const sorted = [...values].sort((a, b) => a - b);
    for (const [label, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      figures[`${name} ${label}`] = Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 10) / 10;
    }
  }
  return figures;
}
