import { type Graph, type HostSetting, hostSettings, type Node, nodeText, selectedPods } from '../../graph/index.js';
import { type JsonObject, numberAt, objectAt, objectsAt } from '../../../model/json/index.js';
import type { Finding, TriageCode } from '../../findings/index.js';
import { textAt } from '../../json/index.js';
import { anyOf } from '../any-of.js';
import { act, fact, kubectlName, leaf } from '../make-finding.js';
import type { ContainerFact } from './pod-facts.js';
import type { Crash } from './crash.js';

/** What a server tells every client that asks it: the state is the server's, whoever wrote it down. */
interface ServerState {
  readonly code: TriageCode;
  readonly test: RegExp;
  readonly say: string;
  readonly fix: string;
}

const SERVER_STATES: readonly ServerState[] = [
  {
    code: 'F20',
    test: anyOf(
      /too many (?:open )?connections|too many clients already|remaining connection slots are reserved/i,
      /max(?:imum)? number of clients reached|exceeded the ['"]?max_(?:user_)?connections|connection limit exceeded/i,
      /ORA-12516|ORA-12519|ORA-00020/i,
    ),
    say: 'has no connections left for its clients',
    fix: 'end the sessions that hold the connections, make clients use fewer, or raise the limit of the server',
  },
  {
    code: 'F21',
    test: anyOf(
      /running with the --(?:super-|innodb-)?read-only(?:[- ]mode)? option|ER_OPTION_PREVENTS_STATEMENT/i,
      /cannot execute [\w ]+ in a read-only transaction|database is in read-?only mode/i,
      /READONLY You can't write against a read|NotWritablePrimary|not master and slaveOk=false/i,
      /read-only-allow-delete|index read-only|ORA-16000|mvcc: database space exceeded/i,
    ),
    say: 'is read-only: it accepts no writes',
    fix: 'let the server accept writes again, or point its clients to the primary',
  },
  {
    code: 'B22',
    test: anyOf(
      /not authorized on \S+ to execute command|command \w+ requires authentication/i,
      /\b\w+ command denied to user '|access denied for user '[^']*'@'[^']*' to database/i,
      /permission denied for (?:table|relation|schema|database|sequence|view|function) |must be owner of /i,
      /NOPERM this user has no permissions|(?:Topic|Group|Cluster)AuthorizationException|ORA-01031/i,
    ),
    say: 'denies its clients a right that they need',
    fix: 'grant the right to the user with which the clients log in',
  },
];

/** Words of a protocol: in the name of a setting, of a Service or of its port, and the number of its port. */
const PROTOCOLS: readonly { readonly says: RegExp; readonly word: RegExp; readonly port: number }[] = [
  {
    says: /postgres|pq:|psycopg|npgsql|pgx|clients already|connection slots|read-only transaction/i,
    word: /postgres|pg|sql/i,
    port: 5432,
  },
  {
    says: /mysql|mariadb|java\.sql|SQL\w*Exception|--(?:super-)?read-only|max_user_connections|too many connections/i,
    word: /mysql|maria|sql/i,
    port: 3306,
  },
  { says: /redis|READONLY|clients reached/i, word: /redis|valkey|cache/i, port: 6379 },
  { says: /mongo|NotWritablePrimary|not ?master|to execute command/i, word: /mongo/i, port: 27017 },
  { says: /etcd|mvcc/i, word: /etcd/i, port: 2379 },
  { says: /ORA-/, word: /oracle/i, port: 1521 },
  { says: /elastic|read-only-allow-delete/i, word: /elastic|opensearch/i, port: 9200 },
];

export function isServerState(line: string): boolean {
  return SERVER_STATES.some(({ test }) => test.test(line));
}

/** One cause for all clients of a server that is full or read-only. */
export function serverState(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { line, details, phase }: Crash,
): Finding | undefined {
  const state = SERVER_STATES.find(({ test }) => test.test(line));
  if (state === undefined) return undefined;
  const { service, host, isOnly } = serverOf(line, pod, graph, container) ?? {};
  const pods = service === undefined ? [] : selectedPods(service, graph);
  const server = pods[0] === undefined ? service : graph.top(pods[0]);
  if (service === undefined || server === undefined)
    return leaf(state.code, pod, phase, `a server that ${nodeText(pod)} uses ${state.say}: ${line}`, {
      ...details,
      suspect: true,
      // Clients that say the same say it of the same server, until somebody knows better.
      signature: `${state.code} in ${pod.key.namespace}`,
      commonTitle: `a server that several workloads of ${pod.key.namespace} use ${state.say}: ${line}`,
      fix: act(state.fix, []),
    });
  return leaf(state.code, pod, phase, `${nodeText(server)} ${state.say}`, {
    ...details,
    blamed: server,
    signature: `${state.code} ${server.id}`,
    commonTitle: `${nodeText(server)} ${state.say}`,
    evidence: [
      ...details.evidence,
      ...(host === undefined ? [] : [fact(host.holder, host.field, host.text)]),
      fact(service, 'spec.selector', objectAt(service.object, 'spec', 'selector') ?? null),
    ],
    ...(isOnly === true ? {} : { suspect: true }),
    fix: act(state.fix, [], { where: 'outside', verify: `kubectl get ${kubectlName(server)}` }),
  });
}

interface Server {
  readonly service: Node;
  readonly host?: HostSetting;
  /** No other server fits what the program said. */
  readonly isOnly: boolean;
}

/** The Service of the server that an error is about: one that the container is configured with, else by port. */
function serverOf(line: string, pod: Node, graph: Graph, { spec, path }: ContainerFact): Server | undefined {
  const hosts = hostSettings(spec, path, pod, graph).flatMap((host): (Server & { readonly host: HostSetting })[] => {
    const namespace = host.namespace === '' ? pod.key.namespace : host.namespace;
    const service = graph.store.get({ group: '', kind: 'Service', namespace, name: host.service });
    return service?.object === undefined ? [] : [{ service, host, isOnly: true }];
  });
  const protocol = PROTOCOLS.find(({ says }) => says.test(line));
  const speaks = ({ service, host }: (typeof hosts)[number]): boolean =>
    protocol !== undefined &&
    (portsOf(service).includes(protocol.port) || protocol.word.test(`${host.field} ${host.text} ${service.key.name}`));
  const known = onlyServer(hosts.filter(speaks), graph) ?? servedBy(protocol?.port, pod, graph);
  // What another protocol is spoken with is not meant, unless it is all that the program can mean.
  const isOther = protocol !== undefined && readsUnknown(spec, pod, graph);
  return known ?? (isOther ? undefined : onlyServer(hosts, graph));
}

/** Whether a container reads settings from Secrets or ConfigMaps whose values are not in the snapshot. */
function readsUnknown(spec: JsonObject, { key }: Node, graph: Graph): boolean {
  const isKnown = (kind: string, name: string): boolean => {
    const holder = graph.store.get({ group: '', kind, namespace: key.namespace, name })?.object;
    return (kind === 'Secret' ? objectAt(holder, 'known', 'settings') : objectAt(holder, 'data')) !== undefined;
  };
  const sources = [...objectsAt(spec, 'env').map((each) => objectAt(each, 'valueFrom')), ...objectsAt(spec, 'envFrom')];
  return sources.some((source) =>
    [
      ['Secret', 'secretKeyRef'],
      ['Secret', 'secretRef'],
      ['ConfigMap', 'configMapKeyRef'],
      ['ConfigMap', 'configMapRef'],
    ].some(([kind = '', field = '']) => {
      const name = textAt(source, field, 'name');
      return name !== '' && !isKnown(kind, name);
    }),
  );
}

function onlyServer(found: readonly Server[], graph: Graph): Server | undefined {
  const [first] = found;
  return first === undefined
    ? undefined
    : { ...first, isOnly: new Set(found.map(({ service }) => topOf(service, graph))).size === 1 };
}

/** Without a setting that says so, a server is known by the port of its protocol, if only one there has it. */
function servedBy(port: number | undefined, pod: Node, graph: Graph): Server | undefined {
  const served = graph.store
    .inNamespace('', 'Service', pod.key.namespace)
    .filter((service) => port !== undefined && portsOf(service).includes(port));
  const [service] = served;
  return service === undefined || new Set(served.map((each) => topOf(each, graph))).size > 1
    ? undefined
    : { service, isOnly: false };
}

function topOf(service: Node, graph: Graph): string {
  const [pod] = selectedPods(service, graph);
  return pod === undefined ? service.id : graph.top(pod).id;
}

function portsOf(service: Node): number[] {
  return objectsAt(service.object, 'spec', 'ports').flatMap((port) => numberAt(port, 'port') ?? []);
}
