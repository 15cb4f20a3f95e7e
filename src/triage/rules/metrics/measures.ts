import type { Graph } from '../../graph/index.js';
import type { Sample, SeriesFact } from '../../snapshot/index.js';

/** A quantity over time, of what its labels name. */
export interface Measure {
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly Sample[];
}

/** Labels that name a container, in older versions of cadvisor too. */
const CONTAINER = [
  ['namespace', 'kubernetes_namespace'],
  ['pod', 'pod_name', 'kubernetes_pod_name'],
  ['container', 'container_name'],
] as const;
const POD = CONTAINER.slice(0, 2);
const NODE = [['node', 'nodename', 'kubernetes_node', 'instance']] as const;
const DISK = [...NODE, ['mountpoint'], ['device']] as const;
const DEVICE = [...NODE, ['device']] as const;
const CLAIM = [['namespace', 'exported_namespace'], ['persistentvolumeclaim']] as const;

type Keys = readonly (readonly string[])[];

/** Each quantity, computed from raw counters, or as the server computed it for us. */
const MEASURES = {
  cpuThrottled: (all) =>
    all.share('container_cpu_cfs_throttled_periods_total', 'container_cpu_cfs_periods_total', CONTAINER),
  cpuCores: (all) => all.rate('container_cpu_usage_seconds_total', CONTAINER),
  memoryBytes: (all) => all.values('container_memory_working_set_bytes', CONTAINER),
  podPacketsLost: (all) =>
    all.share(
      ['container_network_receive_packets_dropped_total', 'container_network_transmit_packets_dropped_total'],
      ['container_network_receive_packets_total', 'container_network_transmit_packets_total'],
      POD,
    ),
  volumeUsed: (all) => all.used('kubelet_volume_stats_available_bytes', 'kubelet_volume_stats_capacity_bytes', CLAIM),
  diskUsed: (all) => all.used('node_filesystem_avail_bytes', 'node_filesystem_size_bytes', DISK),
  nodeMemoryUsed: (all) => all.used('node_memory_MemAvailable_bytes', 'node_memory_MemTotal_bytes', NODE),
  nodeCpuUsed: (all) => all.busy('node_cpu_seconds_total', NODE),
  nodePacketsLost: (all) =>
    all.share(
      [
        'node_network_receive_drop_total',
        'node_network_transmit_drop_total',
        'node_network_receive_errs_total',
        'node_network_transmit_errs_total',
      ],
      ['node_network_receive_packets_total', 'node_network_transmit_packets_total'],
      DEVICE,
    ),
  segmentsResent: (all) => all.share('node_netstat_Tcp_RetransSegs', 'node_netstat_Tcp_OutSegs', NODE),
} satisfies Record<string, (all: Counters) => Measure[]>;

export type MeasureName = keyof typeof MEASURES;

/** Names under which the collector keeps what a server computed, and metrics-server what it measured. */
const COMPUTED: Readonly<Record<MeasureName, string>> = {
  cpuThrottled: 'argosy_cpu_throttled_ratio',
  cpuCores: 'argosy_cpu_cores',
  memoryBytes: 'argosy_memory_bytes',
  podPacketsLost: 'argosy_pod_packets_lost_ratio',
  volumeUsed: 'argosy_volume_used_ratio',
  diskUsed: 'argosy_disk_used_ratio',
  nodeMemoryUsed: 'argosy_node_memory_used_ratio',
  nodeCpuUsed: 'argosy_node_cpu_used_ratio',
  nodePacketsLost: 'argosy_node_packets_lost_ratio',
  segmentsResent: 'argosy_node_segments_resent_ratio',
};

/** All that was measured of a quantity. */
export function measured(name: MeasureName, graph: Graph): readonly Measure[] {
  return graph.once(`measured ${name}`, () => {
    const computed = graph.series(COMPUTED[name]);
    return computed.length > 0 ? computed : MEASURES[name](new Counters(graph));
  });
}

export const lastOf = ({ samples }: Measure): number => samples.at(-1)?.[1] ?? 0;

/** The mean of the last third: one scrape is an accident. */
export function lately({ samples }: Measure): number {
  const recent = samples.slice(-Math.max(1, Math.ceil(samples.length / 3)));
  return recent.reduce((sum, [, value]) => sum + value, 0) / Math.max(1, recent.length);
}

/** The mean of what was before that; undefined where there is too little to compare. */
export function before({ samples }: Measure): number | undefined {
  const earlier = samples.slice(0, -Math.ceil(samples.length / 3));
  return earlier.length < 3 ? undefined : earlier.reduce((sum, [, value]) => sum + value, 0) / earlier.length;
}

/** Counters of a snapshot, as quantities per label. */
export class Counters {
  readonly #graph: Graph;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** Of what a part of is counted: such as periods in which a container was throttled, of all. */
  share(parts: string | readonly string[], wholes: string | readonly string[], keys: Keys): Measure[] {
    const [some, all] = [parts, wholes].map((names) => this.#grouped([names].flat(), keys));
    return [...(all ?? [])].flatMap(([id, whole]) => {
      const part = some?.get(id);
      if (part === undefined) return [];
      const [given, total] = [increases(part.series), increases(whole.series)];
      const samples = [...total].flatMap(([time, amount]): Sample[] =>
        amount > 0 ? [[time, Math.min(1, (given.get(time) ?? 0) / amount)]] : [],
      );
      return samples.length === 0 ? [] : [{ labels: whole.labels, samples }];
    });
  }

  rate(name: string, keys: Keys): Measure[] {
    return [...this.#grouped([name], keys).values()].flatMap(({ labels, series }) => {
      const times = [...new Set(series.flatMap(({ samples }) => samples.map(([time]) => time)))].sort((a, b) => a - b);
      const rising = increases(series);
      const samples = times.slice(1).flatMap((time, index): Sample[] => {
        const seconds = (time - (times[index] ?? time)) / 1000;
        return seconds > 0 ? [[time, (rising.get(time) ?? 0) / seconds]] : [];
      });
      return samples.length === 0 ? [] : [{ labels, samples }];
    });
  }

  values(name: string, keys: Keys): Measure[] {
    return [...this.#grouped([name], keys).values()].map(({ labels, series }) => ({ labels, samples: sum(series) }));
  }

  /** What is not free of a size. */
  used(free: string, size: string, keys: Keys): Measure[] {
    const sizes = this.#grouped([size], keys);
    return [...this.#grouped([free], keys)].flatMap(([id, { labels, series }]) => {
      const whole = sum(sizes.get(id)?.series ?? []).at(-1)?.[1] ?? 0;
      return whole > 0
        ? [{ labels, samples: sum(series).map(([time, value]): Sample => [time, 1 - value / whole]) }]
        : [];
    });
  }

  /** Of the time of all processors, what is not idle. */
  busy(name: string, keys: Keys): Measure[] {
    const idle = this.#grouped([name], keys, ({ labels }) => labels.mode === 'idle');
    return [...this.#grouped([name], keys)].flatMap(([id, { labels, series }]) => {
      const [all, free] = [increases(series), increases(idle.get(id)?.series ?? [])];
      const samples = [...all].flatMap(([time, total]): Sample[] =>
        total > 0 && series[0]?.samples.length !== 1 ? [[time, 1 - (free.get(time) ?? 0) / total]] : [],
      );
      return samples.length === 0 ? [] : [{ labels, samples }];
    });
  }

  #grouped(
    names: readonly string[],
    keys: Keys,
    isMeant: (series: SeriesFact) => boolean = () => true,
  ): Map<string, { labels: Record<string, string>; series: SeriesFact[] }> {
    const groups = new Map<string, { labels: Record<string, string>; series: SeriesFact[] }>();
    for (const series of names.flatMap((name) => this.#graph.series(name))) {
      const labels = Object.fromEntries(
        keys.map((aliases) => [aliases[0] ?? '', aliases.map((alias) => series.labels[alias]).find(Boolean) ?? '']),
      );
      // cadvisor counts a pod once more as a whole, and its sandbox.
      if (!isMeant(series) || labels.container === 'POD' || (labels.container === '' && 'container' in labels))
        continue;
      const id = JSON.stringify(labels);
      const group = groups.get(id) ?? { labels, series: [] };
      group.series.push(series);
      groups.set(id, group);
    }
    return groups;
  }
}

/** How much counters grew until each time, together; a counter that fell began again. A single sample is its total. */
export function increases(all: readonly SeriesFact[]): Map<number, number> {
  const grown = new Map<number, number>();
  for (const { samples } of all) {
    const [first] = samples;
    if (samples.length === 1 && first !== undefined) grown.set(first[0], (grown.get(first[0]) ?? 0) + first[1]);
    for (let index = 1; index < samples.length; index++) {
      const [time, value] = samples[index] ?? [0, 0];
      const last = samples[index - 1]?.[1] ?? 0;
      grown.set(time, (grown.get(time) ?? 0) + (value >= last ? value - last : value));
    }
  }
  return new Map([...grown].sort(([a], [b]) => a - b));
}

function sum(all: readonly SeriesFact[]): Sample[] {
  const sums = new Map<number, number>();
  for (const { samples } of all) for (const [time, value] of samples) sums.set(time, (sums.get(time) ?? 0) + value);
  return [...sums].sort(([a], [b]) => a - b);
}
