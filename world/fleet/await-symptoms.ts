import { isObject, own, type Json } from '../../src/model/json/index.js';
import { apiVersionOf, type Cluster, type ResourceKind } from '../../src/cluster/index.js';

/** Something that somebody who looks at the cluster can see: rows of `kubectl get`, and an Event on each. */
export interface Symptom {
  /** Of the chapter that tells of it. */
  readonly heading: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  /** Each must be seen. `*` stands for a text without a dash, `**` for any. */
  readonly names: readonly string[];
  readonly columns: Readonly<Record<string, string>>;
  readonly event: { readonly reason: string; readonly message: string };
}

export interface SymptomWait {
  /** Milliseconds after which it is enough. */
  readonly within: number;
  /** Waits between two looks. */
  pause(): Promise<void>;
  /** Milliseconds since whenever. */
  elapsed(): number;
}

export interface SymptomState {
  readonly symptom: Symptom;
  /** When all its names showed it for the first time, in milliseconds of `elapsed`. */
  readonly at: number | undefined;
  /** Objects that show it in the last look. */
  readonly count: number;
  /** Names that do not, each with what is there instead. */
  readonly missing: readonly string[];
}

/**
 * Looks until every symptom is there, all in the same look. Gives the last look; where something is missing in it, time
 * was up.
 */
export async function awaitSymptoms(
  cluster: Cluster,
  symptoms: readonly Symptom[],
  { within, pause, elapsed }: SymptomWait,
): Promise<SymptomState[]> {
  const kinds = await kindsOf(cluster, symptoms);
  const first = new Map<Symptom, number>();
  const begin = elapsed();
  for (;;) {
    const look = await readClusterState(cluster, kinds);
    const now = elapsed();
    const seen = symptoms.map((symptom): SymptomState => {
      const { count, missing } = find(look, symptom);
      if (missing.length === 0 && !first.has(symptom)) first.set(symptom, now);
      return { symptom, at: first.get(symptom), count, missing };
    });
    if (seen.every(({ missing }) => missing.length === 0) || now - begin > within) return seen;
    await pause();
  }
}

interface Row {
  readonly namespace: string;
  readonly name: string;
  cell(head: string): string;
}

interface ClusterState {
  readonly rows: ReadonlyMap<string, readonly Row[]>;
  /** By the kind, namespace and name of what they are about. */
  readonly events: ReadonlyMap<string, readonly { readonly reason: string; readonly message: string }[]>;
}

const kindKey = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string =>
  `${apiVersion} ${kind}`;

async function kindsOf(cluster: Cluster, symptoms: readonly Symptom[]): Promise<Map<string, ResourceKind>> {
  const { kinds } = await cluster.discover();
  const wanted = new Set(['v1 Event', ...symptoms.map(kindKey)]);
  const found = new Map(kinds.map((kind) => [kindKey({ apiVersion: apiVersionOf(kind), kind: kind.kind }), kind]));
  return new Map(
    [...wanted].map((key) => {
      const kind = found.get(key);
      if (kind === undefined)
        throw new Error(`the cluster does not know ${key}: is the world's controller for it loaded?`);
      return [key, kind];
    }),
  );
}

async function readClusterState(cluster: Cluster, kinds: ReadonlyMap<string, ResourceKind>): Promise<ClusterState> {
  const rows = new Map<string, readonly Row[]>();
  const events = new Map<string, { readonly reason: string; readonly message: string }[]>();
  for (const [key, kind] of kinds) {
    if (key !== 'v1 Event') {
      rows.set(key, await rowsOf(cluster, kind));
      continue;
    }
    for (const { involvedObject, reason, message } of (await cluster.list(kind)).items) {
      if (!isObject(involvedObject)) continue;
      const about = eventKey(
        String(involvedObject.kind),
        text(own(involvedObject, 'namespace')),
        String(involvedObject.name),
      );
      events.set(about, [...(events.get(about) ?? []), { reason: text(reason), message: text(message) }]);
    }
  }
  return { rows, events };
}

async function rowsOf(cluster: Cluster, kind: ResourceKind): Promise<Row[]> {
  const { columns, rows } = await cluster.table(kind);
  const heads = new Map(columns.map((head, index) => [head.toUpperCase(), index]));
  return rows.map(({ namespace, name, cells }) => ({
    namespace,
    name,
    cell: (head) => text(cells[heads.get(head) ?? -1]),
  }));
}

const text = (value: Json | undefined): string => (value === undefined || value === null ? '' : String(value));
const eventKey = (kind: string, namespace: string, name: string): string => `${kind} ${namespace}/${name}`;

function find({ rows, events }: ClusterState, symptom: Symptom): Pick<SymptomState, 'count' | 'missing'> {
  const { kind, namespace = '', names, columns, event } = symptom;
  const here = (rows.get(kindKey(symptom)) ?? []).filter((row) => row.namespace === namespace);
  const shows = (row: Row): boolean =>
    Object.entries(columns).every(([head, value]) => row.cell(head) === value) &&
    (events.get(eventKey(kind, namespace, row.name)) ?? []).some(
      ({ reason, message }) => reason === event.reason && message.includes(event.message),
    );
  const told = (row: Row): string =>
    `${row.name} ${Object.keys(columns)
      .map((head) => `${head}=${row.cell(head)}`)
      .join(' ')} ${(events.get(eventKey(kind, namespace, row.name)) ?? []).at(-1)?.message ?? ''}`.trim();
  const found = names.map((name) => ({ name, candidates: here.filter((row) => isNamed(name, row.name)) }));
  return {
    count: new Set(found.flatMap(({ candidates }) => candidates.filter(shows).map((row) => row.name))).size,
    missing: found
      .filter(({ candidates }) => !candidates.some(shows))
      .map(
        ({ name, candidates }) =>
          `${name}: ${candidates.length === 0 ? 'nothing of that name is there' : candidates.map(told).join('; ')}`,
      ),
  };
}

/** Names have nothing but letters, digits, dashes and dots, and the patterns are ours. */
function isNamed(pattern: string, name: string): boolean {
  return new RegExp(
    `^${pattern.replaceAll('.', '\\.').replaceAll(/\*\*?/g, (stars) => (stars === '**' ? '.+' : '[^-]+'))}$`,
  ).test(name);
}
