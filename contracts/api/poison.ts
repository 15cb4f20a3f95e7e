import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isArray, isObject, type Json, type JsonObject, objectAt, own, textAt } from '../../src/model/json/index.js';
import { Connection } from '../apiserver/connection.js';
import type { ApiLab } from './api-lab.js';
import { Chance } from './chance.js';
import { ODD } from './mutations.js';
import { sendDeliveries } from './webhook-mutations.js';

interface Kind {
  readonly path: string;
  /** The document of OpenAPI v3 that has its schema. */
  readonly document: string;
  readonly object: JsonObject;
}

const DESTINATION = { server: 'https://kubernetes.default.svc', namespace: 'default' };
const SOURCE = { repoURL: 'https://127.0.0.1:1/shop.git', path: 'web', targetRevision: 'main' };
const ARGO = { document: 'apis/argoproj.io/v1alpha1' };

/** What a tenant may write: a sound object of each kind, in a namespace of its own. */
const KINDS: readonly Kind[] = [
  {
    path: '/api/v1/namespaces/default/pods',
    document: 'api/v1',
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      spec: {
        nodeName: 'node-1',
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [
          {
            name: 'web',
            image: 'nginx:1.27',
            command: ['web', '$(PORT)'],
            env: [{ name: 'PORT', value: '80' }],
            ports: [{ containerPort: 80 }],
            volumeMounts: [{ name: 'data', mountPath: '/data', subPath: 'a' }],
            readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 1 },
            livenessProbe: { exec: { command: ['true'] } },
            terminationMessagePath: '/dev/termination-log',
            resources: { limits: { memory: '64Mi' } },
          },
        ],
      },
    },
  },
  {
    path: '/api/v1/namespaces/default/services',
    document: 'api/v1',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
  },
  {
    path: '/api/v1/namespaces/default/persistentvolumeclaims',
    document: 'api/v1',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'v' },
    },
  },
  {
    ...ARGO,
    path: '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications',
    object: {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      spec: {
        project: 'default',
        source: SOURCE,
        destination: DESTINATION,
        syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'], retry: {} },
        ignoreDifferences: [{ kind: 'Deployment', jsonPointers: ['/spec/replicas'], jqPathExpressions: ['.spec'] }],
      },
      operation: { sync: { revision: 'main' } },
    },
  },
  {
    ...ARGO,
    path: '/apis/argoproj.io/v1alpha1/namespaces/argocd/applicationsets',
    object: {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      spec: {
        goTemplate: true,
        generators: [{ list: { elements: [{ name: 'a' }] } }, { clusters: { selector: { matchLabels: { a: 'b' } } } }],
        template: {
          metadata: { name: 'set-{{ .name }}' },
          spec: { project: 'none', source: SOURCE, destination: DESTINATION },
        },
      },
    },
  },
  {
    ...ARGO,
    path: '/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects',
    object: {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      spec: {
        sourceRepos: ['*'],
        destinations: [{ server: '*', namespace: '*' }],
        roles: [{ name: 'r', policies: ['p, proj:x:r, applications, get, x/*, allow'], groups: ['g'] }],
        syncWindows: [{ kind: 'allow', schedule: '10 1 * * *', duration: '1h', applications: ['*'] }],
      },
    },
  },
  {
    path: '/apis/mlops.mlops.dev/v1alpha1/namespaces/default/notebookvalidationjobs',
    document: 'apis/mlops.mlops.dev/v1alpha1',
    object: {
      apiVersion: 'mlops.mlops.dev/v1alpha1',
      kind: 'NotebookValidationJob',
      spec: {
        notebook: { git: { url: 'https://127.0.0.1:1/n.git', ref: 'main' }, path: 'a.ipynb' },
        podConfig: { containerImage: 'jupyter:1' },
      },
    },
  },
];

const EXTREME: readonly Json[] = [
  'x'.repeat(300_000),
  nested(450),
  nested(1_500),
  '\u001b[2J\u0007\u202e\u0000',
  'a b\u0001',
  '/../../../etc/passwd',
  '$(A)$(B)$$(C)',
  '{{ range until 1000000 }}x{{ end }}',
  '(a+)+$',
  Array.from({ length: 3_000 }, (_, index) => `item-${index}`),
  Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key-${index}`, 'x'])),
  -9_007_199_254_740_991,
  1e300,
];

function nested(depth: number): Json {
  let value: Json = 'x';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** The number of field changes an object gets; most get one, so that the rest of it is still sound. */
const CHANGES = [1, 1, 1, 2, 4];
const MAX_DEPTH = 9;
/** Kubernetes itself says this with 500. */
const KNOWN_FAILURE = /resourceVersion should not be set on objects to be created/;
/** Requests at the same time. */
const LANES = 8;

export interface PoisonTrial {
  readonly wrong: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** `argosy up`, written to by somebody who means no good. */
export class PoisonLab {
  readonly #lab: ApiLab;
  readonly #connection: Connection;
  readonly #documents = new Map<string, JsonObject>();
  readonly #server: number;

  private constructor(lab: ApiLab) {
    this.#lab = lab;
    this.#connection = new Connection(lab.kubeconfig);
    this.#server = this.#serverPid;
  }

  static async open(lab: ApiLab): Promise<PoisonLab> {
    const poison = new PoisonLab(lab);
    for (const document of new Set(KINDS.map((kind) => kind.document))) {
      const { code, text } = await poison.#send('GET', `/openapi/v3/${document}`);
      if (code !== 200) throw new Error(`/openapi/v3/${document} answered ${code}`);
      poison.#documents.set(document, JSON.parse(text) as JsonObject);
    }
    return poison;
  }

  /** Objects and deliveries by chance, one after the other; what was stored is deleted again. */
  async trial(seed: number, objects: number, deliveries: number): Promise<PoisonTrial> {
    const chance = new Chance(seed);
    const counts: Record<string, number> = {};
    const wrong: string[] = [];
    const stored: string[] = [];
    // By chance first, so that the same seed sends the same, in whichever order it is answered.
    const rest = Array.from({ length: objects }, (_, index) => {
      const kind = chance.pick(KINDS);
      return { kind, body: this.#mutated(kind, `poison-${index}`, chance), status: this.#oddStatus(kind, chance) };
    });
    const write = async (): Promise<void> => {
      for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
        const { kind, body, status } = next;
        const { code, text } = await this.#send('POST', kind.path, body);
        const answer = `${String(code).slice(0, 1)}xx`;
        counts[answer] = (counts[answer] ?? 0) + 1;
        if (code >= 500 && !KNOWN_FAILURE.test(text))
          wrong.push(`POST ${kind.path} ${body.slice(0, 400)}: ${code} ${text.slice(0, 300)}`);
        if (code !== 201) continue;
        const path = `${kind.path}/${textAt(JSON.parse(text) as JsonObject, 'metadata', 'name')}`;
        stored.push(path);
        if (status !== undefined)
          for (const each of [path, `${path}/status`]) await this.#send('PATCH', each, JSON.stringify({ status }));
      }
    };
    await Promise.all(Array.from({ length: LANES }, write));
    const sent = await sendDeliveries(this.#lab, seed, deliveries);
    wrong.push(...sent.wrong.map(({ request, why }) => `${request}: ${why}`));
    for (const [kind, count] of Object.entries(sent.statuses)) counts[`deliveries ${kind}`] = count;
    await Promise.all(stored.map((path) => this.#remove(path)));
    if (!this.#lab.isRunning || this.#serverPid !== this.#server)
      wrong.push(`a process ended: ${this.#lab.output.slice(-2000)}`);
    return { wrong, counts: { ...counts, stored: stored.length } };
  }

  /** Resident megabytes of both processes. */
  memory(): number {
    return [this.#lab.pid, this.#server]
      .map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
      .reduce((sum, each) => sum + each, 0);
  }

  /** The longest that the thread of either process was busy since the last time, in milliseconds. */
  async longestBusy(): Promise<number> {
    const texts = [(await this.#lab.request('/metrics')).text, (await this.#send('GET', '/metrics')).text];
    return Math.max(
      ...texts.map((text) => 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1] ?? 0)),
    );
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  get #serverPid(): number {
    return (JSON.parse(readFileSync(join(this.#lab.folder, 'data/run.json'), 'utf8')) as { pid: number }).pid;
  }

  #send(method: string, path: string, body?: string): Promise<{ readonly code: number; readonly text: string }> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return this.#connection.send({
      method,
      path,
      headers: body === undefined ? {} : { 'content-type': type },
      body,
    });
  }

  /** Controllers read what tenants say about the state of their objects. */
  #oddStatus(kind: Kind, chance: Chance): Json | undefined {
    if (!chance.under(0.5)) return undefined;
    return this.#oddAt(this.#schemaOf(kind), ['status'], kind, chance) ?? chance.pick(ODD);
  }

  async #remove(path: string): Promise<void> {
    await this.#send('PATCH', path, JSON.stringify({ metadata: { finalizers: null } }));
    await this.#send('DELETE', path, JSON.stringify({ gracePeriodSeconds: 0, propagationPolicy: 'Background' }));
  }

  #mutated(kind: Kind, name: string, chance: Chance): string {
    const object = JSON.parse(JSON.stringify({ ...kind.object, metadata: { name } })) as JsonObject;
    for (let change = chance.pick(CHANGES); change > 0; change--) {
      if (chance.under(0.5)) changeOne(object, chance);
      else {
        const field = chance.pick(['spec', 'spec', 'spec', 'metadata', 'status', 'operation']);
        const odd = this.#oddAt(this.#schemaOf(kind), [field], kind, chance);
        // A copy: the values of the tables are used again, and later changes go into it.
        if (odd !== undefined) merge(object, { [field]: structuredClone(odd) });
      }
    }
    return JSON.stringify(object);
  }

  #schemaOf(kind: Kind): JsonObject | undefined {
    const schemas = objectAt(this.#documents.get(kind.document) ?? {}, 'components', 'schemas') ?? {};
    const name = textAt(kind.object, 'kind');
    return Object.keys(schemas)
      .filter((key) => key.endsWith(`.${name}`))
      .map((key) => objectAt(schemas, key))
      .find((schema) => schema !== undefined);
  }

  /** A value in which one field that the schema has, however deep, is odd. */
  #oddAt(
    schema: JsonObject | undefined,
    path: readonly string[],
    kind: Kind,
    chance: Chance,
    depth = 0,
  ): Json | undefined {
    const here = path.reduce<JsonObject | undefined>(
      (at, key) => this.#follow(own(objectAt(this.#follow(at, kind) ?? {}, 'properties') ?? {}, key), kind),
      schema,
    );
    if (here === undefined) return undefined;
    if (depth > MAX_DEPTH || chance.under(0.15)) return chance.under(0.3) ? chance.pick(EXTREME) : chance.pick(ODD);
    const names = Object.keys(objectAt(here, 'properties') ?? {});
    if (names.length > 0) {
      const name = chance.pick(names);
      return { [name]: this.#oddAt(here, [name], kind, chance, depth + 1) ?? null };
    }
    const items = this.#follow(own(here, 'items') ?? own(here, 'additionalProperties'), kind);
    if (items === undefined) return chance.under(0.3) ? chance.pick(EXTREME) : chance.pick(ODD);
    const inner = this.#oddAt(items, [], kind, chance, depth + 1) ?? null;
    return textAt(here, 'type') === 'array' ? [inner] : { [chance.pick(['a', '__proto__x', 'a/b'])]: inner };
  }

  #follow(schema: Json | undefined, kind: Kind): JsonObject | undefined {
    if (!isObject(schema)) return undefined;
    const [all] = isArray(schema.allOf) ? schema.allOf : [];
    const reference = textAt(schema, '$ref') || (isObject(all) ? textAt(all, '$ref') : '');
    if (reference === '') return schema;
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return objectAt(this.#documents.get(kind.document) ?? {}, 'components', 'schemas', name);
  }
}

/** Replaces one value somewhere in the object, or takes a field away. */
function changeOne(object: JsonObject, chance: Chance): void {
  let at: JsonObject = object;
  for (;;) {
    const keys = Object.keys(at).filter((key) => key !== 'apiVersion' && key !== 'kind');
    if (keys.length === 0) return;
    const key = chance.pick(keys);
    const inner = own(at, key);
    const below = isArray(inner) ? inner.find(isObject) : inner;
    if (isObject(below) && chance.under(0.8)) at = below;
    else {
      if (key === 'metadata') return;
      Object.assign(at, { [key]: structuredClone(chance.under(0.2) ? chance.pick(EXTREME) : chance.pick(ODD)) });
      return;
    }
  }
}

function merge(target: JsonObject, more: JsonObject): void {
  for (const [key, value] of Object.entries(more)) {
    const before = own(target, key);
    if (isObject(before) && isObject(value)) merge(before, value);
    else Object.assign(target, { [key]: value });
  }
}
