import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Agent, request } from 'undici';
import { loadKubeconfig, type Cluster } from '../../../src/cluster/index.js';
import { objectAt, textAt, writeJson, type JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import {
  APPLICATION_SETS,
  APPLICATIONS,
  APP_PROJECTS,
  CONFIG_MAPS,
  NAMESPACES,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
  type ResourceRef,
} from '../../../src/model/resources/index.js';
import { startGitServer, type GitServer } from '../../../world/doubles/index.js';
import { ApiLab } from '../../api/api-lab.js';
import { askAgain } from '../../harness/ask-again.js';
import { connectCluster } from '../../harness/in-process-controller.js';
import { pollDelays } from '../../harness/poll-delays.js';
import { sendRequest, type HttpResponse, type RequestOptions } from '../../harness/send-request.js';

export const HERE = 'https://kubernetes.default.svc';
const WITHIN = 60_000;

/** The attacker: all rights of its project and of its namespace, by RBAC and by kubectl. */
export const SHOP = { project: 'shop', namespace: 'shop', application: 'shop-app', inner: 'shop-inner', map: 'mine' };

/** What the attacker knows of the other and may use in any request. */
export const BANK = {
  project: 'p7f3a9c',
  namespace: 'n41b2e8',
  application: 'a93cc01',
  inner: 'i7c1a05',
  set: 's55d0f2',
  cluster: 'c8e2b17',
  repository: 'r1d9f40',
  map: 'm6a7c33',
  secret: 'k0b5e91',
  pod: 'o2f8d64',
  account: 'u4e6b20',
};

/** What no answer may ever show: data, credentials, and names that the attacker does not use. */
export const HIDDEN = {
  data: 'data-canary-1b7e',
  password: 'password-canary-9d02',
  commit: 'commit-canary-5a3f',
  annotation: 'annotation-canary-77c4',
  repository: 'address-canary-e18b',
  cluster: 'cluster-canary-2e9b',
  /** The project and the namespace of an application whose name is known. */
  project: 'project-canary-30f6',
  namespace: 'namespace-canary-8c2d',
  application: 'application-canary-d4a1',
  certificate: 'host-canary-66be.example.com',
};
/** Known names whose project and place are hidden. */
export const VEILED = { application: 'w19f3b7', set: 'x82a4d5' };

const ROLE_KIND = (kind: string, plural: string): ResourceRef => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});

/** A whole `argosy up` with two tenants in it, and a private git server beside it. */
export class TenantWorld {
  /** Of the attacker, for the API and for Kubernetes. */
  token = '';
  kubeToken = '';
  /** Of the repository of the other. */
  commit = '';
  /** Of an object of the other. */
  ledgerUid = '';
  #baseline = '';

  private constructor(
    readonly lab: ApiLab,
    readonly cluster: Cluster,
    private readonly git: GitServer,
    private readonly folder: string,
    private readonly agent: Agent,
  ) {}

  /** `main`: a program in which repairs were taken out. */
  static async open(main?: string): Promise<TenantWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'argosy-tenants-'));
    const commit = commitFiles(join(folder, BANK.repository), {
      'web/ledger.yaml': writeJson(configMap(BANK.map)),
      'web/vault.yaml': writeJson({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: BANK.secret },
        stringData: { text: HIDDEN.data },
      }),
      'web/teller.yaml': writeJson({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: BANK.pod, annotations: { note: HIDDEN.annotation } },
        spec: { containers: [{ name: 'main', image: 'busybox', env: [{ name: 'TEXT', value: HIDDEN.data }] }] },
      }),
    });
    const git = await startGitServer({ folder, users: [{ name: 'bank', password: HIDDEN.password }] });
    const lab = await ApiLab.open([], main);
    const settings = await connectCluster(lab.kubeconfig);
    await writeSettings(settings);
    await settings.close();
    // Namespaces of Applications are read at the start.
    await lab.restart();
    const cluster = await connectCluster(lab.kubeconfig);
    const { authority } = await loadKubeconfig({ path: lab.kubeconfig, environment: {}, defaultPath: lab.kubeconfig });
    const agent = new Agent({ connect: { ca: authority?.kind === 'text' ? authority.pem : '' } });
    const world = new TenantWorld(lab, cluster, git, folder, agent);
    world.commit = commit;
    await world.#settle();
    return world;
  }

  get repository(): string {
    return `${this.git.url}/${BANK.repository}/.git`;
  }

  async close(): Promise<void> {
    await this.agent.close();
    await this.cluster.close();
    await this.lab.close();
    await this.git.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A request of the attacker to the Kubernetes API. */
  async kube(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: JsonObject,
  ): Promise<{ readonly status: number; readonly text: string }> {
    return askAgain(async () => {
      const answer = await request(`${this.cluster.server}${path}`, {
        method,
        dispatcher: this.agent,
        headers: {
          authorization: `Bearer ${this.kubeToken}`,
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        },
        ...(body === undefined ? {} : { body: writeJson(body) }),
      });
      return { status: answer.statusCode, text: await answer.body.text() };
    });
  }

  request(path: string, asked: RequestOptions = {}): Promise<HttpResponse> {
    return askAgain(() => sendRequest(`${this.lab.url}${path}`, { token: this.token, ...asked }));
  }

  /** Which objects of the other are not as they were. */
  async changed(): Promise<string[]> {
    const now = await this.#snapshot();
    const before = JSON.parse(this.#baseline) as Record<string, string>;
    return [...new Set([...Object.keys(before), ...Object.keys(now)])]
      .filter((name) => before[name] !== now[name])
      .map((name) => `${name} was ${before[name] ?? 'not there'} and is ${now[name] ?? 'gone'}`);
  }

  /** The attacker's own objects as they were at the beginning: attacks ruin them too. */
  async restore(): Promise<void> {
    for (const object of ownObjects()) {
      const ref = object.kind === 'Application' ? APPLICATIONS : CONFIG_MAPS;
      const { name = '', namespace = '' } = object.metadata;
      const there = await this.cluster.get(ref, { namespace, name });
      if (there === undefined) await this.cluster.create(ref, object).catch(() => undefined);
      else
        await this.cluster
          .patch(
            ref,
            { namespace, name },
            { type: 'merge', body: { metadata: object.metadata, spec: object.spec ?? null } },
          )
          .catch(() => undefined);
    }
  }

  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + WITHIN, next = pollDelays(); !(await holds()); await next())
      if (Date.now() > end) throw new Error(`never: ${what}; it said:\n${this.lab.output.slice(-2000)}`);
  }

  async #settle(): Promise<void> {
    const create = (ref: ResourceRef, object: KubeObject): Promise<KubeObject> => this.cluster.create(ref, object);
    for (const name of [SHOP.namespace, BANK.namespace, HIDDEN.namespace])
      await create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await this.#signIn();
    for (const [name, namespace] of [
      [SHOP.project, SHOP.namespace],
      [BANK.project, BANK.namespace],
      [HIDDEN.project, HIDDEN.namespace],
    ] as const)
      await create(APP_PROJECTS, project(name, namespace));
    for (const secret of this.#secrets()) await create(SECRETS, secret);
    await this.#attacker();
    for (const object of ownObjects()) await create(object.kind === 'Application' ? APPLICATIONS : CONFIG_MAPS, object);
    for (const [name, owner, namespace] of [
      [BANK.application, BANK.project, BANK.namespace],
      [VEILED.application, HIDDEN.project, HIDDEN.namespace],
      [HIDDEN.application, HIDDEN.project, HIDDEN.namespace],
    ] as const)
      await create(APPLICATIONS, application(name, owner, namespace, this.repository));
    await create(APPLICATIONS, application(BANK.inner, BANK.project, BANK.namespace, this.repository, BANK.namespace));
    for (const [name, owner, namespace] of [
      [BANK.set, BANK.project, BANK.namespace],
      [VEILED.set, HIDDEN.project, HIDDEN.namespace],
    ] as const)
      await create(APPLICATION_SETS, applicationSet(name, owner, namespace, this.repository));
    await this.until('the other is delivered', async () => {
      const found = await this.cluster.get(APPLICATIONS, { namespace: 'argocd', name: BANK.application });
      return textAt(found ?? {}, 'status', 'sync', 'status') === 'Synced';
    });
    await this.until('the attacker may see its application', async () => {
      const { status } = await this.request(`/api/v1/applications/${SHOP.application}`);
      return status === 200;
    });
    const ledger = await this.cluster.get(CONFIG_MAPS, { namespace: BANK.namespace, name: BANK.map });
    this.ledgerUid = ledger?.metadata.uid ?? '';
    this.#baseline = JSON.stringify(await this.#snapshot());
  }

  async #signIn(): Promise<void> {
    await this.until('the account is known', async () => {
      const { status } = await this.lab.request('/api/v1/account/dev');
      return status === 200;
    });
    const made = await this.lab.request('/api/v1/account/dev/token', { method: 'POST', body: {} });
    this.token = String(made.body.token);
  }

  #secrets(): KubeObject[] {
    const secret = (name: string, type: string, stringData: Record<string, string>): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        namespace: 'argocd',
        labels: { 'argocd.argoproj.io/secret-type': type },
        annotations: { note: HIDDEN.annotation },
      },
      stringData,
    });
    const access = { username: 'bank', password: HIDDEN.password };
    return [
      secret('repo-bank', 'repository', { url: this.repository, project: BANK.project, ...access }),
      secret('repo-hidden', 'repository', {
        url: `https://${HIDDEN.repository}.example.com/x.git`,
        project: HIDDEN.project,
        ...access,
      }),
      secret('cluster-hidden', 'cluster', {
        name: HIDDEN.cluster,
        server: `https://${HIDDEN.cluster}.example.com`,
        project: HIDDEN.project,
        config: JSON.stringify({ bearerToken: HIDDEN.password }),
      }),
      secret('cluster-bank', 'cluster', {
        name: BANK.cluster,
        server: this.cluster.server,
        project: BANK.project,
        config: JSON.stringify({ bearerToken: HIDDEN.password, tlsClientConfig: { insecure: true } }),
      }),
    ];
  }

  /** Kubernetes rights in its own namespace alone, Applications and ApplicationSets included. */
  async #attacker(): Promise<void> {
    const metadata = { name: 'dev', namespace: SHOP.namespace };
    await this.cluster.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    await this.cluster.create(ROLE_KIND('Role', 'roles'), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata,
      rules: [{ apiGroups: ['', 'apps', 'argoproj.io'], resources: ['*'], verbs: ['*'] }],
    });
    await this.cluster.create(ROLE_KIND('RoleBinding', 'rolebindings'), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'dev' },
      subjects: [{ kind: 'ServiceAccount', name: 'dev', namespace: SHOP.namespace }],
    });
    const annotations = { 'kubernetes.io/service-account.name': 'dev' };
    await this.cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/service-account-token',
      metadata: { name: 'dev-token', namespace: SHOP.namespace, annotations },
    });
    await this.until('the attacker has a token', async () => {
      const secret = await this.cluster.get(SECRETS, { namespace: SHOP.namespace, name: 'dev-token' });
      this.kubeToken = Buffer.from(textAt(secret ?? {}, 'data', 'token'), 'base64').toString('utf8');
      return this.kubeToken !== '';
    });
  }

  /** Everything of the other, and of everybody, without what controllers write all the time. */
  async #snapshot(): Promise<Record<string, string>> {
    const kinds: readonly [ResourceRef, string][] = [
      ...[CONFIG_MAPS, SECRETS, PODS, APPLICATIONS, APPLICATION_SETS].flatMap((ref): [ResourceRef, string][] => [
        [ref, BANK.namespace],
        [ref, HIDDEN.namespace],
      ]),
      ...[CONFIG_MAPS, SECRETS, APPLICATIONS, APPLICATION_SETS, APP_PROJECTS].map((ref): [ResourceRef, string] => [
        ref,
        'argocd',
      ]),
    ];
    const lists = await Promise.all(kinds.map(([ref, namespace]) => this.cluster.list(ref, { namespace })));
    return Object.fromEntries(
      lists.flatMap(({ items }, index) =>
        items
          .filter((object) => !isOfAttacker(object))
          .map((object) => [
            `${kinds[index]?.[0].kind ?? ''} ${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`,
            stateOf(object),
          ]),
      ),
    );
  }
}

async function writeSettings(cluster: Cluster): Promise<void> {
  const names = ['applications', 'applicationsets', 'clusters', 'repositories', 'logs', 'exec'];
  const policy = [
    ...names.map((resource) => `p, dev, ${resource}, *, ${SHOP.project}/*, allow`),
    `p, dev, projects, get, ${SHOP.project}, allow`,
  ];
  const data: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'argocd-cm': { 'accounts.dev': 'apiKey', [`accounts.${BANK.account}`]: 'apiKey, login', 'exec.enabled': 'true' },
    'argocd-rbac-cm': { 'policy.csv': policy.join('\n') },
    'argocd-cmd-params-cm': { 'application.namespaces': `${SHOP.namespace},${BANK.namespace}` },
    'argocd-ssh-known-hosts-cm': { ssh_known_hosts: `${HIDDEN.certificate} ssh-rsa AAAA\n` },
  };
  for (const [name, values] of Object.entries(data)) {
    const id = { namespace: 'argocd', name };
    if ((await cluster.get(CONFIG_MAPS, id)) === undefined)
      await cluster.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: id });
    await cluster.patch(CONFIG_MAPS, id, { type: 'merge', body: { data: { ...values } } });
  }
}

function stateOf({ metadata, status: _, ...rest }: KubeObject): string {
  const { uid, labels, ownerReferences, finalizers, deletionTimestamp, annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([name]) => name !== 'argocd.argoproj.io/refresh');
  const content = { uid, labels, ownerReferences, finalizers, deletionTimestamp, annotations: kept };
  // The operation of a sync comes and goes with the controller.
  const { operation: _operation, ...state } = rest as JsonObject;
  return JSON.stringify({ metadata: content, ...state });
}

/** What the attacker may make in the namespace of the control plane: objects of its own project, sessions. */
function isOfAttacker(object: KubeObject): boolean {
  const { name = '', labels = {} } = object.metadata;
  if (['argosy-sessions', 'argocd-secret', 'kube-root-ca.crt'].includes(name)) return true;
  if (object.kind === 'Application')
    return textAt(object, 'spec', 'project') === SHOP.project && !name.startsWith('a9');
  if (object.kind === 'ApplicationSet')
    return textAt(object, 'spec', 'template', 'spec', 'project') === SHOP.project && name !== BANK.set;
  const project_ = Buffer.from(String(objectAt(object, 'data')?.project ?? ''), 'base64').toString('utf8');
  return 'argocd.argoproj.io/secret-type' in labels && project_ === SHOP.project;
}

function configMap(name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, annotations: { note: HIDDEN.annotation } },
    data: { text: HIDDEN.data },
  };
}

function project(name: string, namespace: string): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace }],
      sourceNamespaces: [namespace],
    },
  };
}

/** Of the attacker; the controller leaves the inner one alone, so that its status stays as it is written. */
function ownObjects(): KubeObject[] {
  const repository = 'https://127.0.0.1:1/shop.git';
  const inner = application(SHOP.inner, SHOP.project, SHOP.namespace, repository, SHOP.namespace);
  return [
    application(SHOP.application, SHOP.project, SHOP.namespace, repository),
    {
      ...inner,
      metadata: { ...inner.metadata, annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: SHOP.map,
        namespace: SHOP.namespace,
        annotations: {
          'argocd.argoproj.io/tracking-id': `${SHOP.namespace}_${SHOP.inner}:/ConfigMap:${SHOP.namespace}/${SHOP.map}`,
        },
      },
      data: { text: 'mine' },
    },
  ];
}

export function application(
  name: string,
  owner: string,
  target: string,
  repoURL: string,
  namespace = 'argocd',
): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace },
    spec: {
      project: owner,
      source: { repoURL, path: 'web', targetRevision: 'master' },
      destination: { server: HERE, namespace: target },
      ...(name === BANK.application ? { syncPolicy: { automated: {} } } : {}),
    },
  };
}

export function applicationSet(name: string, owner: string, target: string, repoURL: string): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name, namespace: 'argocd' },
    spec: {
      generators: [{ list: { elements: [] } }],
      template: {
        metadata: { name: `${name}-{{x}}` },
        spec: application('', owner, target, repoURL).spec as JsonObject,
      },
    },
  };
}

function commitFiles(folder: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true });
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'master');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  git('add', '-A');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '-m', HIDDEN.commit);
  return git('rev-parse', 'HEAD');
}
