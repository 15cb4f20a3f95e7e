type Labels = Readonly<Record<string, string>>;

/** Counters by name and labels, printed as Prometheus reads them. The names are Argo CD's where it has one. */
export class Metrics {
  readonly #counters = new Map<string, number>();
  readonly #gauges = new Map<string, () => Iterable<readonly [Labels, number]>>();
  readonly #help = new Map<string, string>();

  count(name: string, help: string, labels: Labels = {}, by = 1): void {
    this.#help.set(name, help);
    const series = `${name}${labelText(labels)}`;
    this.#counters.set(series, (this.#counters.get(series) ?? 0) + by);
  }

  /** Asked when somebody looks. */
  gauge(name: string, help: string, read: () => Iterable<readonly [Labels, number]>): void {
    this.#help.set(name, help);
    this.#gauges.set(name, read);
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
    for (const [name, read] of this.#gauges) {
      lines.push(`# HELP ${name} ${this.#help.get(name) ?? ''}`, `# TYPE ${name} gauge`);
      for (const [labels, value] of read()) lines.push(`${name}${labelText(labels)} ${value}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

/** Labels that stay the same object are written once. */
const WRITTEN = new WeakMap<Labels, string>();

function labelText(labels: Labels): string {
  const known = WRITTEN.get(labels);
  if (known !== undefined) return known;
  const text = writeLabels(labels);
  WRITTEN.set(labels, text);
  return text;
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
