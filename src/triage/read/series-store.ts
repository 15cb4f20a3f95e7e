import type { Sample, SeriesFact } from '../snapshot/index.js';

/** Beyond these a dump of series is cut: rules look at trends, not at every scrape. */
const MAX_SERIES = 50_000;
const MAX_SAMPLES = 720;

/**
 * Series that rules ask for. All others of a scrape are left out while it is read, because a dump of a whole server
 * has millions.
 */
const TELLING = new Set([
  ...[
    'container_cpu_cfs_periods_total',
    'container_cpu_cfs_throttled_periods_total',
    'container_cpu_usage_seconds_total',
  ],
  ...[
    'container_memory_working_set_bytes',
    'kubelet_volume_stats_available_bytes',
    'kubelet_volume_stats_capacity_bytes',
  ],
  ...['container_network_receive_packets_total', 'container_network_receive_packets_dropped_total'],
  ...['container_network_transmit_packets_total', 'container_network_transmit_packets_dropped_total'],
  ...['node_cpu_seconds_total', 'node_memory_MemAvailable_bytes', 'node_memory_MemTotal_bytes'],
  ...['node_filesystem_avail_bytes', 'node_filesystem_size_bytes'],
  ...['node_network_receive_drop_total', 'node_network_receive_errs_total', 'node_network_receive_packets_total'],
  ...['node_network_transmit_drop_total', 'node_network_transmit_errs_total', 'node_network_transmit_packets_total'],
  ...['node_netstat_Tcp_RetransSegs', 'node_netstat_Tcp_OutSegs'],
]);
const SERVED = /request|http|grpc|rpc|server|client/;
const TIMED = /(?:duration|latency|handling|elapsed|seconds)/;
const COUNTED = /(?:requests|handled|responses|request_count|seconds_count)(?:_total)?$/;
/** Of the control plane and of monitoring itself requests say nothing here. */
const OF_THE_CONTROL_PLANE = new Set([
  ...['apiserver', 'etcd', 'rest', 'kubelet', 'scheduler', 'workqueue', 'prometheus', 'alertmanager', 'grafana'],
  ...['authentication', 'authorization', 'controller', 'coredns', 'kubeproxy'],
]);

function isKnownSeries(name: string): boolean {
  if (TELLING.has(name) || name.startsWith('argosy_')) return true;
  const isTimed = SERVED.test(name) && TIMED.test(name) && /_(?:sum|count)$/.test(name);
  return (isTimed || COUNTED.test(name)) && !OF_THE_CONTROL_PLANE.has(name.split('_')[0] ?? '');
}

/** Series by name and labels, from however many files; samples of one time count once. */
export class SeriesStore {
  readonly #series = new Map<string, { name: string; labels: Record<string, string>; samples: Map<number, number> }>();
  #isCut = false;

  /** Whether there were more series than are kept. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get size(): number {
    return this.#series.size;
  }

  add(name: string, labels: Readonly<Record<string, string>>, samples: readonly Sample[]): void {
    if (!isKnownSeries(name)) return;
    const id = JSON.stringify([name, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
    let series = this.#series.get(id);
    if (series === undefined) {
      if (this.#series.size >= MAX_SERIES) {
        this.#isCut = true;
        return;
      }
      this.#series.set(id, (series = { name, labels: { ...labels }, samples: new Map() }));
    }
    for (const [time, value] of samples) if (Number.isFinite(value)) series.samples.set(time, value);
  }

  all(): SeriesFact[] {
    return [...this.#series]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { name, labels, samples }]) => ({
        name,
        labels,
        samples: [...samples].sort(([a], [b]) => a - b).slice(-MAX_SAMPLES),
      }))
      .filter(({ samples }) => samples.length > 0);
  }

  get latest(): number {
    let latest = 0;
    for (const { samples } of this.#series.values()) for (const time of samples.keys()) latest = Math.max(latest, time);
    return latest;
  }
}
