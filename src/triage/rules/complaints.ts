import type { Graph, Node } from '../graph/index.js';
import { textAt } from '../json/index.js';
import { anyOf } from './any-of.js';
import { isFresh, loudLines } from './pods/log-text.js';

/** A line in the log of a pod that says of another workload that it does not answer. */
export interface Complaint {
  readonly pod: Node;
  readonly line: string;
  /** The same with its time, as it was written. */
  readonly raw: string;
  /** How many such lines there are. */
  readonly count: number;
}

/** What clients of all languages and proxies say of a server that they do not get through to. */
const UNAVAILABLE = anyOf(
  /no (?:servers?|instances?|hosts?|endpoints?|healthy upstreams?)\b.*(?:available|found|for)|no healthy upstream/i,
  /does not contain an instance|unable to find (?:a )?(?:server|instance|host)|no live upstreams|upstream connect/i,
  /connection refused|ECONNREFUSED|connection reset|ECONNRESET|no route to host|EHOSTUNREACH|unreachable/i,
  /no such host|unknown ?host|ENOTFOUND|EAI_AGAIN|name resolution|could not resolve|name or service not known/i,
  /(?:could not|failed to|cannot|unable to) (?:connect|reach|dial|open)|code ?= ?unavailable|UNAVAILABLE/i,
  /timed? ?out|timeout|deadline ?exceeded|bad gateway|service unavailable|\b50[234]\b/i,
);

const WORD = /[a-z](?:[-a-z0-9]*[a-z0-9])?/gi;
const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g;

/** The workloads and Services of a namespace that the logs of others complain about, by name. */
export function complaintsAbout(name: string, namespace: string, graph: Graph): readonly Complaint[] {
  return allComplaints(graph).get(`${namespace}/${name}`) ?? [];
}

/** Whether a log says anything of the kind about something of a namespace. */
export function hasComplaints(namespace: string, graph: Graph): boolean {
  return graph
    .once('namespaces with complaints', () => new Set([...allComplaints(graph).keys()].map((key) => key.split('/')[0])))
    .has(namespace);
}

function allComplaints(graph: Graph): ReadonlyMap<string, readonly Complaint[]> {
  return graph.once('complaints in logs', () => {
    const found = new Map<string, Map<string, Complaint>>();
    for (const pod of graph.store.ofKind('', 'Pod')) {
      const names = namesIn(pod.key.namespace, graph);
      const own = new Set([pod.key.name, graph.top(pod).key.name]);
      for (const log of graph.logs(pod)) {
        for (const raw of log.lines.filter((each) => isFresh(each, graph.time))) {
          const [line] = UNAVAILABLE.test(raw) ? loudLines([raw]) : [];
          if (line === undefined) continue;
          for (const name of namedIn(line, names)) {
            if (own.has(name)) continue;
            const key = `${pod.key.namespace}/${name}`;
            const byPod = found.get(key) ?? new Map<string, Complaint>();
            byPod.set(pod.id, { pod, line, raw, count: (byPod.get(pod.id)?.count ?? 0) + 1 });
            found.set(key, byPod);
          }
        }
      }
    }
    return new Map([...found].map(([key, byPod]) => [key, [...byPod.values()].sort(mostFirst)]));
  });
}

function mostFirst(a: Complaint, b: Complaint): number {
  return b.count - a.count || (a.pod.id < b.pod.id ? -1 : 1);
}

interface Names {
  readonly words: ReadonlySet<string>;
  readonly byAddress: ReadonlyMap<string, string>;
}

function namesIn(namespace: string, graph: Graph): Names {
  return graph.once(`names in ${namespace}`, () => {
    const services = graph.store.inNamespace('', 'Service', namespace);
    const workloads = ['Deployment', 'StatefulSet'].flatMap((kind) => graph.store.inNamespace('apps', kind, namespace));
    return {
      words: new Set([...services, ...workloads].map(({ key }) => key.name)),
      byAddress: new Map(services.map(({ key, object }) => [textAt(object, 'spec', 'clusterIP'), key.name])),
    };
  });
}

function namedIn(line: string, { words, byAddress }: Names): Set<string> {
  const named = [...line.matchAll(WORD)].map(([word]) => word.toLowerCase()).filter((word) => words.has(word));
  const addressed = [...line.matchAll(ADDRESS)].flatMap(([address]) => byAddress.get(address) ?? []);
  return new Set([...named, ...addressed]);
}
