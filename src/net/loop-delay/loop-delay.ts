import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';

/** How long answers wait because the thread is busy, for Prometheus: since the last time that somebody asked. */
export class LoopDelay {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: 10 });

  constructor() {
    this.#histogram.enable();
  }

  text(): string {
    const seconds = (nanoseconds: number): string => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0).toFixed(6);
    const lines = (
      [
        ['p50', 50],
        ['p99', 99],
      ] as const
    ).flatMap(([name, share]) => [
      `# TYPE nodejs_eventloop_lag_${name}_seconds gauge`,
      `nodejs_eventloop_lag_${name}_seconds ${seconds(this.#histogram.percentile(share))}`,
    ]);
    lines.push(
      '# TYPE nodejs_eventloop_lag_max_seconds gauge',
      `nodejs_eventloop_lag_max_seconds ${seconds(this.#histogram.max)}`,
    );
    this.#histogram.reset();
    return `${lines.join('\n')}\n`;
  }

  close(): void {
    this.#histogram.disable();
  }
}
