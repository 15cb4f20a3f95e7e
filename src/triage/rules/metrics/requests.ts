import { objectAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { containersOf, type Graph, hostSettings, type Node, nodeText, selectedPods } from '../../graph/index.js';
import type { SeriesFact } from '../../snapshot/index.js';
import { delegate } from '../make-finding.js';
import { serviceOf } from '../pods/host-faults.js';
import { servicesFor } from '../service-users.js';
import { before, increases, lately, type Measure } from './measures.js';
import { isThrottled, measure, share } from './pod-measures.js';

/** Registered by kind. */
export const REQUEST_RULES: RuleTable = {
  '/Pod': [requestRules],
};

/** Seconds that people wait for; less is slow only if it was much faster before. */
const SLOW = 1;
const SLOWER = 3;
const LEAST_SLOW = 0.1;
const FAILING = 0.05;

interface Requests {
  readonly seconds: ReadonlyMap<string, Measure>;
  readonly failing: ReadonlyMap<string, Measure>;
}

/** A pod whose requests take long or fail: those of a server that it asks come first. */
function requestRules(pod: Node, graph: Graph): readonly Finding[] {
  const requests = requestsOf(graph);
  if (requests.seconds.size + requests.failing.size === 0 || isThrottled(pod, graph)) return [];
  return [...slow(pod, graph, requests.seconds), ...failing(pod, graph, requests.failing)];
}

function isSlow(of: Measure): boolean {
  const [now, earlier] = [lately(of), before(of)];
  return now >= SLOW || (now >= LEAST_SLOW && earlier !== undefined && now >= SLOWER * earlier);
}

function slow(pod: Node, graph: Graph, seconds: Requests['seconds']): Finding[] {
  const own = measureFor(pod, graph, seconds);
  if (own === undefined || !isSlow(own)) return [];
  const target = serverIn(pod, graph, (server) => {
    const other = measureFor(server, graph, seconds);
    return (other !== undefined && isSlow(other)) || isThrottled(server, graph);
  });
  const earlier = before(own);
  const text = `${lately(own).toFixed(2)} s${earlier === undefined ? '' : `, ${earlier.toFixed(2)} s before`}`;
  return [
    delegate('F23', pod, 'run', `${nodeText(pod)} answers slowly: ${text} on average`, {
      ...(target === undefined ? {} : { target }),
      field: 'spec.template.spec.containers[]',
      evidence: [measure(nodeText(pod), 'seconds for a request', text, own)],
    }),
  ];
}

function failing(pod: Node, graph: Graph, shares: Requests['failing']): Finding[] {
  const own = measureFor(pod, graph, shares);
  if (own === undefined || lately(own) < FAILING) return [];
  const target = serverIn(pod, graph, (server) => {
    const other = measureFor(server, graph, shares);
    return other !== undefined && lately(other) >= FAILING;
  });
  return [
    delegate('F24', pod, 'run', `${share(lately(own))} of the requests to ${nodeText(pod)} fail`, {
      ...(target === undefined ? {} : { target }),
      field: 'spec.template.spec.containers[]',
      evidence: [measure(nodeText(pod), 'requests that fail', share(lately(own)), own)],
    }),
  ];
}

/** A pod behind a Service that a pod is configured with. */
function serverIn(pod: Node, graph: Graph, isMeant: (server: Node) => boolean): Node | undefined {
  return containersOf(objectAt(pod.object, 'spec'), 'spec')
    .flatMap(({ container, path }) => hostSettings(container, path, pod, graph))
    .flatMap((host) => selectedPods(serviceOf(pod, host, graph), graph))
    .find((server) => graph.top(server) !== graph.top(pod) && isMeant(server));
}

/** The measure of a pod: by its name, or by what people call its workload or Service. */
function measureFor(pod: Node, graph: Graph, by: ReadonlyMap<string, Measure>): Measure | undefined {
  const { namespace, name } = pod.key;
  const top = graph.top(pod);
  return [name, top.key.name, ...servicesFor(top, graph).map(({ key }) => key.name)]
    .map((each) => by.get(`${namespace}/${each}`) ?? by.get(`/${each}`))
    .find((found) => found !== undefined);
}

/** Labels that name who answers, the most telling first. A client's own series is about the other side. */
const SERVERS = [
  ['destination_workload_namespace', 'destination_workload'],
  ['destination_service_namespace', 'destination_service_name'],
  ['namespace', 'pod'],
  ['namespace', 'deployment'],
  ['namespace', 'service'],
  ['namespace', 'app'],
  ['namespace', 'service_name'],
  ['namespace', 'job'],
] as const;

function serverNamed(labels: Readonly<Record<string, string>>): string | undefined {
  for (const [place, name] of SERVERS)
    if ((labels[name] ?? '') !== '') return `${labels[place] ?? ''}/${labels[name] ?? ''}`;
  return undefined;
}

function requestsOf(graph: Graph): Requests {
  return graph.once('requests', () => ({ seconds: secondsOf(graph), failing: failingOf(graph) }));
}

function grouped(series: readonly SeriesFact[]): Map<string, SeriesFact[]> {
  const groups = new Map<string, SeriesFact[]>();
  for (const each of series) {
    const server = serverNamed(each.labels);
    if (server !== undefined) groups.set(server, [...(groups.get(server) ?? []), each]);
  }
  return groups;
}

/** The mean time of a request: what `_sum` grew by, for each that `_count` grew by. */
function secondsOf(graph: Graph): Map<string, Measure> {
  const found = new Map<string, Measure>(
    [...grouped(graph.series('argosy_request_seconds'))].flatMap(([server, [one]]) =>
      one === undefined ? [] : [[server, one] as const],
    ),
  );
  for (const name of graph.seriesNames.filter((each) => each.endsWith('_sum'))) {
    const unit = /milliseconds|_ms_/.test(name) ? 1000 : 1;
    const counts = grouped(graph.series(name.replace(/_sum$/, '_count')));
    for (const [server, sums] of grouped(graph.series(name))) {
      const [took, count] = [increases(sums), increases(counts.get(server) ?? [])];
      const samples = [...count].flatMap(([time, number]) =>
        number > 0 ? [[time, (took.get(time) ?? 0) / number / unit] as const] : [],
      );
      if (samples.length > 0 && !found.has(server)) found.set(server, { labels: {}, samples });
    }
  }
  return found;
}

/** The share of answers that say that the server failed: 5xx of HTTP, and what gRPC calls by these names. */
const FAILED = /^(?:5\d\d|5xx|Internal|Unavailable|Unknown|DataLoss|DeadlineExceeded|ResourceExhausted|14|13|2|4)$/i;
const CODES = ['response_code', 'status_code', 'code', 'status', 'grpc_code', 'grpc_status', 'http_status'];

function failingOf(graph: Graph): Map<string, Measure> {
  const found = new Map<string, Measure>(
    [...grouped(graph.series('argosy_request_failed_ratio'))].flatMap(([server, [one]]) =>
      one === undefined ? [] : [[server, one] as const],
    ),
  );
  const hasCode = ({ labels }: SeriesFact): boolean => CODES.some((code) => (labels[code] ?? '') !== '');
  const isFailed = ({ labels }: SeriesFact): boolean => CODES.some((code) => FAILED.test(labels[code] ?? ''));
  for (const name of graph.seriesNames.filter((each) => /(?:requests|handled|responses|_count)(?:_total)?$/.test(each)))
    for (const [server, series] of grouped(graph.series(name).filter(hasCode))) {
      const [all, failed] = [increases(series), increases(series.filter(isFailed))];
      const samples = [...all].flatMap(([time, number]) =>
        number > 0 ? [[time, (failed.get(time) ?? 0) / number] as const] : [],
      );
      if (samples.length > 0 && !found.has(server)) found.set(server, { labels: {}, samples });
    }
  return found;
}
