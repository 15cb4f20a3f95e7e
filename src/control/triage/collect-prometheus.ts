import { Fault } from '../../model/faults/index.js';
import { errorCode, HttpClient, ResponseTooLarge, splitUrl } from '../../net/http/index.js';
import { readAnswer, type SnapshotBuilder } from '../../triage/index.js';
import { runConcurrently } from './collect-cluster.js';

/** Everything together: a server that hangs must not hang triage. */
const WITHIN = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;
const CONCURRENCY = 4;
/** How far back, and how often: trends, not every scrape. */
const WINDOW = 1_800_000;
const STEP = 60;

const rate = (name: string, labels = ''): string => `rate(${name}${labels}[5m])`;
const sum = (by: string, what: string): string => `sum by (${by}) (${what})`;
const CONTAINER = 'namespace, pod, container';
const OF_CONTAINERS = '{container!="",container!="POD"}';
const OF_DISKS = '{fstype!~"tmpfs|overlay|squashfs|ramfs"}';
const CLAIM = 'namespace, persistentvolumeclaim';

function both(name: string, end: string): string {
  return `${rate(`${name}_receive_${end}`)} + ${rate(`${name}_transmit_${end}`)}`;
}

/** What is asked, computed by the server: the highest of each, so that an answer is small in any cluster. */
const QUESTIONS: Readonly<Record<string, string>> = {
  argosy_cpu_throttled_ratio:
    `${sum(CONTAINER, rate('container_cpu_cfs_throttled_periods_total', OF_CONTAINERS))} / ` +
    sum(CONTAINER, rate('container_cpu_cfs_periods_total', OF_CONTAINERS)),
  argosy_cpu_cores: sum(CONTAINER, rate('container_cpu_usage_seconds_total', OF_CONTAINERS)),
  argosy_memory_bytes: sum(CONTAINER, `container_memory_working_set_bytes${OF_CONTAINERS}`),
  argosy_pod_packets_lost_ratio:
    `${sum('namespace, pod', both('container_network', 'packets_dropped_total'))} / ` +
    sum('namespace, pod', both('container_network', 'packets_total')),
  argosy_volume_used_ratio:
    `1 - max by (${CLAIM}) (kubelet_volume_stats_available_bytes) / ` +
    `max by (${CLAIM}) (kubelet_volume_stats_capacity_bytes)`,
  argosy_disk_used_ratio: `1 - node_filesystem_avail_bytes${OF_DISKS} / node_filesystem_size_bytes${OF_DISKS}`,
  argosy_node_memory_used_ratio: '1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes',
  argosy_node_cpu_used_ratio: `1 - avg by (instance) (${rate('node_cpu_seconds_total', '{mode="idle"}')})`,
  argosy_node_packets_lost_ratio:
    `(${both('node_network', 'drop_total')} + ${both('node_network', 'errs_total')}) / ` +
    `(${both('node_network', 'packets_total')})`,
  argosy_node_segments_resent_ratio: `${rate('node_netstat_Tcp_RetransSegs')} / ${rate('node_netstat_Tcp_OutSegs')}`,
};
const HIGHEST = 200;

/** Durations of requests by the programs that serve them: of the metrics that servers and meshes usually have. */
const REQUESTS: readonly (readonly [metric: string, by: string, unit: number])[] = [
  ['http_server_request_duration_seconds', 'namespace, pod', 1],
  ['http_server_requests_seconds', 'namespace, pod', 1],
  ['http_request_duration_seconds', 'namespace, pod', 1],
  ['grpc_server_handling_seconds', 'namespace, pod', 1],
  ['istio_request_duration_milliseconds', 'destination_workload_namespace, destination_workload', 1000],
];

/**
 * Asks a Prometheus for what rules read of it, and for the alerts that fire. Only GET is sent, within ten seconds in
 * all and a few megabytes for each answer; what is not answered is named, and no cause is made of it.
 */
export async function collectPrometheus(
  address: string,
  builder: SnapshotBuilder,
  now: number,
  within: number = WITHIN,
): Promise<void> {
  const base = baseOf(address);
  const client = new HttpClient({ within, connectWithin: within });
  const signal = AbortSignal.timeout(within);
  const failed = new Map<string, number>();
  const ask = async (path: string, name: string): Promise<void> => {
    try {
      const request = { ...splitUrl(`${base}${path}`), method: 'GET', headers: headersOf(address), signal };
      const { status, body } = await client.exchange(request, { maxBytes: MAX_BYTES, refusesRedirects: true });
      if (status === 200) readAnswer(body.toString('utf8'), builder, 'Prometheus', name);
      else failed.set(`HTTP status ${status}`, (failed.get(`HTTP status ${status}`) ?? 0) + 1);
    } catch (error) {
      const reason = reasonOf(error, within);
      failed.set(reason, (failed.get(reason) ?? 0) + 1);
    }
  };
  try {
    await runConcurrently(questions(now), CONCURRENCY, ([path, name]) => ask(path, name));
  } finally {
    await client.destroy();
  }
  for (const [reason, count] of failed)
    builder.loss(`Prometheus ${new URL(base).host}: ${count} of ${questions(now).length} questions: ${reason}`);
}

function questions(now: number): (readonly [path: string, name: string])[] {
  const range = (query: string): string =>
    `/api/v1/query_range?query=${encodeURIComponent(`topk(${HIGHEST}, ${query})`)}` +
    `&start=${(now - WINDOW) / 1000}&end=${now / 1000}&step=${STEP}`;
  return [
    ['/api/v1/alerts', ''],
    ...Object.entries(QUESTIONS).map(([name, query]) => [range(query), name] as const),
    ...REQUESTS.map(([metric, by, unit]) => {
      const grown = (part: string): string => sum(by, rate(`${metric}_${part}`));
      return [range(`${grown('sum')} / ${grown('count')} / ${unit}`), 'argosy_request_seconds'] as const;
    }),
  ];
}

/** The address as somebody gave it, without credentials and without a slash at its end. */
function baseOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Fault('USAGE', 'the address of Prometheus begins with http:// or https://', { where: '--prometheus' });
  const path = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;
  return `${url.protocol}//${url.host}${path}`;
}

function headersOf(address: string): Record<string, string> {
  const { username, password } = new URL(address);
  if (username === '') return { accept: 'application/json' };
  const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { accept: 'application/json', authorization: `Basic ${Buffer.from(secret).toString('base64')}` };
}

function reasonOf(error: unknown, within: number): string {
  if (error instanceof ResponseTooLarge) return `more than ${MAX_BYTES / 2 ** 20} MiB`;
  if (error instanceof Error && /abort|timeout/i.test(`${error.name} ${error.message}`))
    return `no answer within ${within / 1000} seconds`;
  return errorCode(error) ?? (error instanceof Error ? error.message : String(error));
}
