export type Labels = Readonly<Record<string, string>>;

/** Counters by name and labels, printed as Prometheus reads them. The names are Argo CD's where it has one. */
export class Metrics {
  readonly #counters = new Map<string, number>();
  readonly #read = new Map<
    string,
    { readonly type: 'gauge' | 'counter'; readonly register: () => Iterable<readonly [Labels, number]> }
  >();
  readonly #histograms = new Map<string, Histogram>();
  readonly #help = new Map<string, string>();

  count(name: string, help: string, labels: Labels = {}, by = 1): void {
    this.#help.set(name, help);
    const series = `${name}${labelText(labels)}`;
    this.#counters.set(series, (this.#counters.get(series) ?? 0) + by);
  }

  /** One more value of a histogram; `bounds` are the upper ends of its buckets. */
  observe(name: string, help: string, labels: Labels, value: number, bounds: readonly number[]): void {
    this.#help.set(name, help);
    const series = `${name}${labelText(labels)}`;
    const known = this.#histograms.get(series) ?? {
      name,
      labels,
      bounds,
      counts: bounds.map(() => 0),
      sum: 0,
      count: 0,
    };
    this.#histograms.set(series, known);
    for (const [index, bound] of bounds.entries())
      if (value <= bound) known.counts[index] = (known.counts[index] ?? 0) + 1;
    known.sum += value;
    known.count++;
  }

  /** Computed when it is scraped. */
  read(name: string, type: 'gauge' | 'counter', help: string, read: () => Iterable<readonly [Labels, number]>): void {
    this.#help.set(name, help);
    this.#read.set(name, { type, register: read });
  }

  text(): string {
    const lines: string[] = [];
    const counters = [...this.#counters].sort(([a], [b]) => (a < b ? -1 : 1));
    let last = '';
    for (const [series, value] of counters) {
      const name = series.replace(/\{.*$/s, '');
      if (name !== last) lines.push(`# HELP ${name} ${this.#help.get(name) ?? ''}`, `# TYPE ${name} counter`);
      last = name;
      lines.push(`${series} ${value}`);
    }
    for (const [name, { type, register }] of this.#read) {
      lines.push(`# HELP ${name} ${this.#help.get(name) ?? ''}`, `# TYPE ${name} ${type}`);
      for (const [labels, value] of register()) lines.push(`${name}${labelText(labels)} ${value}`);
    }
    let before = '';
    for (const histogram of [...this.#histograms.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (histogram.name !== before)
        lines.push(
          `# HELP ${histogram.name} ${this.#help.get(histogram.name) ?? ''}`,
          `# TYPE ${histogram.name} histogram`,
        );
      before = histogram.name;
      lines.push(...histogramLines(histogram));
    }
    return `${lines.join('\n')}\n`;
  }
}

interface Histogram {
  readonly name: string;
  readonly labels: Labels;
  readonly bounds: readonly number[];
  /** Values up to each bound. */
  readonly counts: number[];
  sum: number;
  count: number;
}

function histogramLines({ name, labels, bounds, counts, sum, count }: Histogram): string[] {
  const buckets = bounds.map(
    (bound, index) => `${name}_bucket${writeLabels({ ...labels, le: String(bound) })} ${counts[index] ?? 0}`,
  );
  return [
    ...buckets,
    `${name}_bucket${writeLabels({ ...labels, le: '+Inf' })} ${count}`,
    `${name}_sum${writeLabels(labels)} ${sum}`,
    `${name}_count${writeLabels(labels)} ${count}`,
  ];
}

/** Labels that stay the same object are written once. */
const LABEL_TEXTS = new WeakMap<Labels, string>();

function labelText(labels: Labels): string {
  const known = LABEL_TEXTS.get(labels);
  if (known !== undefined) return known;
  const text = writeLabels(labels);
  LABEL_TEXTS.set(labels, text);
  return text;
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
