import { WebSocket } from 'ws';
import { isObject, own, writeJson, type Json, type JsonObject } from '../../../src/model/json/index.js';
import { Chance } from '../../api/chance.js';
import type { KnownRoute } from '../../api/mutations.js';
import { askAgain } from '../../harness/ask-again.js';
import { inLanes } from '../../harness/in-lanes.js';
import { application, applicationSet, BANK, HERE, HIDDEN, SHOP, VEILED, type TenantWorld } from './tenant-world.js';

/** What an attack did, and what it got. */
interface Attempt {
  readonly told: string;
  readonly status: number;
  readonly text: string;
}

/** Ends the session that the attacker attacks with. */
const LEFT_OUT = ['PUT /api/v1/account/password', 'DELETE /api/v1/session', 'GET /auth/logout'];
/** How long a stream may take to begin, and how long it is listened to. */
const ANSWER_TIME = 10_000;
const STREAM_TIME = 400;
/** So many that those which wait for a stream or for git leave none idle. */
const CONCURRENCY = 25;
/** After so many attacks the attacker starts again: with its own objects anew, and the first attacks by kubectl. */
const A_START = 100;
const FIRST = 2;

type KubeMethod = Parameters<TenantWorld['kube']>[0];

interface ObjectRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}
const core = (kind: string, namespace: string, name: string): ObjectRef => ({
  group: '',
  version: 'v1',
  kind,
  namespace,
  name,
});
const OBJECTS: readonly ObjectRef[] = [
  core('ConfigMap', BANK.namespace, BANK.map),
  core('Secret', BANK.namespace, BANK.secret),
  core('Pod', BANK.namespace, BANK.pod),
  core('ConfigMap', 'argocd', 'argocd-ssh-known-hosts-cm'),
  core('Secret', 'argocd', 'repo-bank'),
  { group: 'argoproj.io', version: 'v1alpha1', kind: 'Application', namespace: 'argocd', name: BANK.application },
  core('ConfigMap', SHOP.namespace, SHOP.map),
];
const APPLICATIONS: readonly (readonly [name: string, namespace: string])[] = [
  [SHOP.inner, SHOP.namespace],
  [SHOP.inner, SHOP.namespace],
  [SHOP.inner, SHOP.namespace],
  [SHOP.inner, SHOP.namespace],
  [SHOP.inner, SHOP.namespace],
  [SHOP.application, 'argocd'],
  [BANK.application, 'argocd'],
  [BANK.inner, BANK.namespace],
  [VEILED.application, 'argocd'],
];

/** One attack by chance, with references to the attacker's own objects and to the other's in any mixture. */
class Attack {
  readonly #object: ObjectRef;
  readonly #application: readonly [name: string, namespace: string];
  readonly #tracking: string;

  constructor(
    private readonly world: TenantWorld,
    private readonly chance: Chance,
  ) {
    this.#object = chance.pick(OBJECTS);
    this.#application = chance.pick(APPLICATIONS);
    const owner = chance.pick([BANK.application, `${SHOP.namespace}_${SHOP.inner}`, SHOP.application]);
    const { group, kind, namespace, name } = this.#object;
    this.#tracking = `${owner}:${group}/${kind}:${namespace}/${name}`;
  }

  async route(route: KnownRoute): Promise<Attempt> {
    const { chance, world } = this;
    const path = route.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
      encodeURIComponent(this.#pathText(name, route.path)),
    );
    const query = new URLSearchParams(
      route.query
        .filter((name) => chance.under(REFERENCES.has(name) ? 0.96 : 0.3))
        .map((name): [string, string] => [name, this.#text(name)]),
    ).toString();
    const address = `${path}${query === '' ? '' : `?${query}`}`;
    const body = route.method === 'GET' ? undefined : this.#body(route);
    const told = `${route.method} ${address} ${body === undefined ? '' : writeJson(body).slice(0, 1500)}`;
    if (route.path === '/terminal') return { told, ...(await this.#terminal(query)) };
    const asked = {
      method: route.method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? writeJson(body) : body }),
    };
    if (route.isStream) return { told, ...(await this.#stream(address)) };
    const { status, text } = await world.request(address, asked);
    return { told, status, text };
  }

  /** By kubectl; the first two of a round make the attacker's Application one that names what is the other's. */
  async kubernetes(turn: number): Promise<Attempt> {
    const { chance, world } = this;
    const ways = [() => this.#status(), () => this.#foreignSource(), () => this.#innerSpec()];
    const [method, path, body] = (
      ways[turn] ?? chance.pick([...ways, () => this.#ownObject(), () => this.#elsewhere(), () => this.#elsewhere()])
    )();
    const { status, text } = await world.kube(method, path, body);
    return { told: `kubectl ${method} ${path} ${writeJson(body ?? null).slice(0, 1500)}`, status, text };
  }

  /** The status of its own Application names everything of the other. */
  #status(): readonly [KubeMethod, string, JsonObject] {
    const resources = OBJECTS.map((object): JsonObject => ({ ...object, status: 'Synced' }));
    const deployedAt = '2026-11-18T20:00:00Z';
    const history = [{ id: 1, deployedAt, revision: this.world.commit, source: this.#source() }];
    return ['PATCH', INNER, { status: { resources, history } }];
  }

  /** The other's repository, without credentials, at a commit that the attacker knows. */
  #foreignSource(): readonly [KubeMethod, string, JsonObject] {
    const source = { repoURL: this.world.repository, path: 'web', targetRevision: this.world.commit };
    return ['PATCH', INNER, { spec: { source } }];
  }

  #innerSpec(): readonly [KubeMethod, string, JsonObject] {
    const { chance } = this;
    const operation = {
      sync: { revision: this.world.commit, manifests: [this.#manifest()], resources: [{ ...this.#object }] },
    };
    return [
      'PATCH',
      INNER,
      chance.pick<JsonObject>([
        { spec: { project: chance.pick([BANK.project, 'default', SHOP.project]) } },
        { spec: { source: this.#source() } },
        { spec: { destination: this.#destination() } },
        { operation },
        {
          metadata: {
            annotations: { 'argocd.argoproj.io/refresh': 'hard', 'argocd.argoproj.io/skip-reconcile': null },
          },
        },
      ]),
    ];
  }

  /** An object of its own that claims to be the other's, by id, label or owner. */
  #ownObject(): readonly [KubeMethod, string, JsonObject] {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: BANK.map, uid: this.world.ledgerUid }];
    const metadata = {
      annotations: { 'argocd.argoproj.io/tracking-id': this.#tracking },
      labels: { 'app.kubernetes.io/instance': BANK.application, 'argocd.argoproj.io/secret-type': 'repository' },
      ownerReferences: this.chance.pick<Json>([ownerReferences, []]),
    };
    return ['PATCH', `/api/v1/namespaces/${SHOP.namespace}/configmaps/${SHOP.map}`, { metadata }];
  }

  /** Where it has no rights. */
  #elsewhere(): readonly [KubeMethod, string, JsonObject | undefined] {
    const { chance } = this;
    const { namespace, name, kind, group, version } = this.#object;
    const base = group === '' ? '/api/v1' : `/apis/${group}/${version}`;
    const place = namespace === SHOP.namespace ? BANK.namespace : namespace;
    const path = `${base}/namespaces/${place}/${kind.toLowerCase()}s`;
    const labels = { 'app.kubernetes.io/instance': SHOP.application };
    return chance.pick<readonly [KubeMethod, string, JsonObject | undefined]>([
      ['GET', `${path}/${name}`, undefined],
      ['GET', path, undefined],
      [
        'PATCH',
        `${path}/${name}`,
        { metadata: { labels, annotations: { 'argocd.argoproj.io/tracking-id': this.#tracking } } },
      ],
      ['DELETE', `${path}/${name}`, undefined],
      ['POST', path, { apiVersion: 'v1', kind, metadata: { name: `${name}-2` } }],
    ]);
  }

  #pathText(name: string, path: string): string {
    const { chance } = this;
    if (name !== 'name') return this.#text(name);
    if (path.includes('/applicationsets/')) return chance.pick([BANK.set, VEILED.set, 'shop-set']);
    if (path.includes('/projects/')) return chance.pick([BANK.project, SHOP.project, 'default']);
    if (path.includes('/account/')) return chance.pick([BANK.account, 'admin']);
    if (path.includes('/notebooks/')) return BANK.map;
    return this.#application[0];
  }

  #text(name: string): string {
    const { chance, world } = this;
    const [application_, namespace] = this.#application;
    const { group, kind, version, name: object, namespace: place } = this.#object;
    const known: Readonly<Record<string, () => string>> = {
      name: () => application_,
      appName: () => application_,
      appNamespace: () => (namespace === 'argocd' ? '' : namespace),
      appsetNamespace: () => chance.pick(['', BANK.namespace, SHOP.namespace]),
      appSetNamespace: () => chance.pick(['', BANK.namespace]),
      project: () => this.#project(),
      projects: () => this.#project(),
      projectName: () => this.#project(),
      appProject: () => this.#project(),
      namespace: () => place,
      resourceNamespace: () => place,
      resourceName: () => object,
      podName: () => chance.pick([BANK.pod, object]),
      pod: () => BANK.pod,
      container: () => 'main',
      group: () => group,
      kind: () => kind,
      version: () => version,
      repo: () => world.repository,
      url: () => chance.pick([world.repository, new URL(world.repository).origin]),
      server: () => this.#server(),
      id: () => chance.pick([this.#server(), BANK.cluster, 'in-cluster']),
      'id.type': () => chance.pick(['name', 'url']),
      revision: () => chance.pick([world.commit, 'HEAD']),
      revisions: () => world.commit,
      upsert: () => chance.pick(['true', 'true', 'false']),
      cascade: () => 'true',
      refresh: () => 'hard',
      validate: () => chance.pick(['true', 'false']),
      targetManifests: () => writeJson(this.#manifest()),
      patchType: () => chance.pick(['application/merge-patch+json', 'application/strategic-merge-patch+json']),
      hostNamePattern: () => '*',
      search: () => chance.pick(['a', BANK.application]),
      role: () => 'admin',
      resource: () => 'applications',
      action: () => 'get',
      sourceIndex: () => '0',
      versionId: () => '1',
    };
    return (
      (own(known as unknown as JsonObject, name) as unknown as (() => string) | undefined)?.() ??
      chance.pick(['', '0', 'x'])
    );
  }

  #project(): string {
    return this.chance.pick([SHOP.project, SHOP.project, BANK.project, 'default', '']);
  }

  #server(): string {
    return this.chance.pick([this.world.cluster.server, HERE]);
  }

  #source(): JsonObject {
    const { chance, world } = this;
    return {
      repoURL: world.repository,
      path: chance.pick(['web', '.']),
      targetRevision: chance.pick([world.commit, 'master', 'HEAD']),
    };
  }

  #destination(): JsonObject {
    return {
      ...this.chance.pick<JsonObject>([{ server: this.#server() }, { name: BANK.cluster }]),
      namespace: this.chance.pick([SHOP.namespace, BANK.namespace, 'argocd']),
    };
  }

  #manifest(): JsonObject {
    const { group, version, kind, namespace, name } = this.#object;
    return {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      metadata: { name, namespace, annotations: { 'argocd.argoproj.io/tracking-id': this.#tracking } },
      data: { text: 'bXk=' },
    };
  }

  #spec(): JsonObject {
    const target = this.chance.pick([SHOP.namespace, BANK.namespace]);
    const spec = application('', this.#project(), target, this.world.repository).spec as JsonObject;
    return {
      ...spec,
      source: this.#source(),
      ...(this.chance.under(0.3) ? { destination: this.#destination() } : {}),
      ...(this.chance.under(0.2) ? { syncPolicy: { automated: { prune: true } } } : {}),
    };
  }

  #applicationSet(): JsonObject {
    const { chance } = this;
    const set = applicationSet(
      chance.pick([BANK.set, VEILED.set, 'shop-set']),
      chance.under(0.8) ? SHOP.project : BANK.project,
      SHOP.namespace,
      this.world.repository,
    );
    const generator = chance.pick<JsonObject>([
      { list: { elements: [{ x: '1' }] } },
      { clusters: {} },
      { git: { repoURL: this.world.repository, revision: this.world.commit, directories: [{ path: '*' }] } },
      { list: { elements: [{ x: '1' }], template: { spec: { project: BANK.project } } } },
    ]);
    const template = {
      metadata: { name: chance.pick([BANK.application, VEILED.application, 'shop-{{name}}{{x}}']) },
      spec: { ...(set.spec as { template: { spec: JsonObject } }).template.spec },
    };
    const templatePatch = chance.pick(['', `{"spec":{"project":"${BANK.project}"}}`]);
    return {
      metadata: set.metadata,
      spec: { generators: [generator], template, ...(templatePatch === '' ? {} : { templatePatch }) },
    };
  }

  #cluster(): JsonObject {
    return {
      server: this.#server(),
      name: this.chance.pick([BANK.cluster, 'in-cluster', 'shop']),
      project: this.chance.pick([SHOP.project, SHOP.project, BANK.project, '']),
      config: { bearerToken: this.world.kubeToken, tlsClientConfig: { insecure: true } },
    };
  }

  /** A whole object for routes that take one, and for the others what their shape says. */
  #body({ method, path, body }: KnownRoute): Json {
    const { chance } = this;
    const [name, namespace] = this.#application;
    if (path === '/api/v1/applications' || (path === '/api/v1/applications/{name}' && method === 'PUT'))
      return { metadata: { name, namespace: chance.pick([namespace, 'argocd']) }, spec: this.#spec() };
    if (path.endsWith('/spec')) return this.#spec();
    if (path === '/api/v1/applications/{name}') return { patchType: 'merge', patch: writeJson({ spec: this.#spec() }) };
    if (path === '/api/v1/applicationsets') return this.#applicationSet();
    if (path.endsWith('/generate')) return { applicationSet: this.#applicationSet() };
    if (path.startsWith('/api/v1/clusters')) return this.#cluster();
    if (path.endsWith('/resource')) return { metadata: { labels: { taken: 'yes' } }, data: { text: 'taken' } };
    if (path.endsWith('/resource/actions')) return 'restart';
    return this.#shaped(body, '') ?? {};
  }

  #shaped(schema: Json | undefined, name: string): Json | undefined {
    const { chance } = this;
    if (!isObject(schema)) return undefined;
    if (name === 'source') return this.#source();
    if (name === 'manifests') return [writeJson(this.#manifest())];
    if (name === 'project' && schema.type === 'object')
      return { metadata: { name: this.#project() }, spec: { destinations: [{ server: '*', namespace: '*' }] } };
    if (name === 'id') return 1;
    if (schema.type === 'array') return [this.#shaped(schema.items, name) ?? ''];
    if (schema.type === 'boolean') return chance.under(0.5);
    if (schema.type === 'integer') return 1;
    if (schema.type === 'string') return this.#text(name);
    if (!isObject(schema.properties)) return {};
    const { properties } = schema;
    return Object.fromEntries(
      Object.keys(properties)
        .filter((key) => chance.under(REFERENCES.has(key) ? 0.9 : 0.4))
        .map((key) => [key, this.#shaped(own(properties, key), key) ?? '']),
    );
  }

  async #stream(address: string): Promise<Omit<Attempt, 'told'>> {
    const over = new AbortController();
    const abort = (): void => {
      over.abort();
    };
    let text = '';
    let status = 0;
    let timer = setTimeout(abort, ANSWER_TIME);
    try {
      const answer = await askAgain(() =>
        fetch(`${this.world.lab.url}${address}`, {
          headers: { authorization: `Bearer ${this.world.token}` },
          signal: over.signal,
        }),
      );
      status = answer.status;
      clearTimeout(timer);
      timer = setTimeout(abort, STREAM_TIME);
      for await (const part of answer.body ?? []) text += Buffer.from(part as Uint8Array).toString('utf8');
    } catch (error) {
      if (!over.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
    return { status, text };
  }

  /** A terminal that opens is one too many: the attacker has no pod. */
  #terminal(query: string): Promise<Omit<Attempt, 'told'>> {
    return new Promise((resolve) => {
      const socket = new WebSocket(`${this.world.lab.url.replace(/^http/, 'ws')}/terminal?${query}`, {
        headers: { authorization: `Bearer ${this.world.token}` },
      });
      socket.once('open', () => {
        socket.terminate();
        resolve({ status: 101, text: HIDDEN.data });
      });
      socket.once('unexpected-response', (_, { statusCode = 0 }) => {
        socket.terminate();
        resolve({ status: statusCode, text: '' });
      });
      socket.once('error', () => {
        resolve({ status: 0, text: '' });
      });
    });
  }
}

const INNER = `/apis/argoproj.io/v1alpha1/namespaces/${SHOP.namespace}/applications/${SHOP.inner}`;
/** Fields that say which object is meant: nearly every attack has them. */
const REFERENCES = new Set([
  ...[
    'namespace',
    'resourceName',
    'kind',
    'group',
    'version',
    'podName',
    'pod',
    'container',
    'appNamespace',
    'appName',
  ],
  ...['upsert', 'url', 'repo', 'server', 'source', 'appProject', 'project', 'revision', 'manifests', 'targetManifests'],
]);

/** What no answer may show, as it is and in base64. */
const FORMS = Object.entries(HIDDEN).flatMap(([name, hidden]) =>
  [hidden, Buffer.from(hidden).toString('base64').replace(/=+$/, '')].map((form) => [name, form] as const),
);

/** What one round of attacks came to; `wrong` is empty where nothing of the other was reached. */
export interface Round {
  readonly wrong: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Attacks over all routes, many at once, and between them by kubectl; then looks at everything of the other. */
export async function attack(
  world: TenantWorld,
  routes: readonly KnownRoute[],
  { seed, from, count }: { readonly seed: number; readonly from: number; readonly count: number },
): Promise<Round> {
  const usable = routes.filter(({ method, path }) => !LEFT_OUT.includes(`${method} ${path}`));
  const wrong: string[] = [];
  const counts: Record<string, number> = {};
  const recent: string[] = [];
  const one = async (index: number): Promise<void> => {
    const turn = (index - from) % A_START;
    const by = new Attack(world, new Chance(seed * 1_000_003 + index));
    const route = usable[index % usable.length];
    const isKube = turn < FIRST || turn % 10 === 0 || route === undefined;
    const { told, status, text } = await (isKube ? by.kubernetes(turn) : by.route(route));
    recent.push(`${status} ${told}`);
    const kind = `${isKube ? 'kubectl' : 'api'} ${Math.floor(status / 100)}xx`;
    counts[kind] = (counts[kind] ?? 0) + 1;
    for (const [name, form] of FORMS)
      if (text.includes(form)) wrong.push(`${name} shown: ${told} -> ${excerpt(text, form)}`);
  };
  for (let start = from; start < from + count; start += A_START) {
    await world.restore();
    const indexes = Array.from({ length: Math.min(A_START, from + count - start) }, (_, turn) => start + turn);
    // What the others build on.
    for (const index of indexes.slice(0, FIRST)) await one(index);
    await inLanes(CONCURRENCY, indexes.slice(FIRST), one);
  }
  const changed = await world.changed();
  if (changed.length > 0) wrong.push(...changed, `after:\n${recent.join('\n')}`);
  return { wrong, counts: { attempts: count, ...counts } };
}

function excerpt(text: string, form: string): string {
  const at = text.indexOf(form);
  return text.slice(Math.max(0, at - 200), at + 100);
}
