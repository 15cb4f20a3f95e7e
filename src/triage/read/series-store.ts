import type { Sample, SeriesFact } from '../snapshot/index.js';

/** Beyond these a dump of series is cut: rules look at trends, not at every scrape. */
const MAX_SERIES = 50_000;
const MAX_SAMPLES = 720;

/**
 * Series that rules ask for. All others of a scrape are left out while it is read, because a dump of a whole server
 * has millions.
 */
const TELLING = new RegExp(
  `^(?:argosy_\\w+|${[
    'container_cpu_cfs_(?:throttled_)?periods_total',
    'container_cpu_usage_seconds_total',
    'container_memory_working_set_bytes',
    'container_spec_(?:memory_limit_bytes|cpu_quota|cpu_period)',
    'container_network_(?:receive|transmit)_packets(?:_dropped)?_total',
    'kubelet_volume_stats_(?:available|capacity)_bytes',
    'node_cpu_seconds_total|node_memory_Mem(?:Available|Total)_bytes|node_filesystem_(?:avail|size)_bytes',
    'node_network_(?:receive|transmit)_(?:drop|errs|packets)_total|node_netstat_Tcp_(?:RetransSegs|OutSegs)',
  ].join('|')})$`,
);
/** Requests as programs, proxies and meshes count them; of the control plane and of monitoring itself they say nothing here. */
const REQUESTS = /(?:request|http|grpc|rpc|server|client)\w*(?:duration|latency|handling|elapsed)\w*_(?:sum|count)$/;
const REQUEST_TOTALS = /(?:requests|handled|responses|request_count)(?:_total)?$/;
const OF_THE_CONTROL_PLANE =
  /^(?:apiserver|etcd|rest_client|kubelet|scheduler|workqueue|prometheus|alertmanager|grafana|authentication|authorization|controller_runtime|coredns|kubeproxy)_/;

export function isTellingSeries(name: string): boolean {
  return TELLING.test(name) || ((REQUESTS.test(name) || REQUEST_TOTALS.test(name)) && !OF_THE_CONTROL_PLANE.test(name));
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
    if (!isTellingSeries(name)) return;
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
