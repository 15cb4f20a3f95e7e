import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pollDelays } from '../harness/poll-delays.js';
import { NO_AUDIT, openAuditLog, type AuditRecord, type OpenAudit } from '../../src/audit/index.js';
import { startApi, type RunningApi } from '../../src/api/index.js';
import {
  loadCatalogue,
  readCatalogueFiles,
  installCrds,
  openControlServices,
  readCrds,
  type OpenControlServices,
} from '../../src/control/index.js';
import { type Clock, type Cluster, systemClock } from '../../src/cluster/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import { plainLogger, reportTo } from '../../src/model/logging/index.js';
import { gvkOf, type KubeObject } from '../../src/model/kubernetes/index.js';
import { connectCluster, CRDS } from '../harness/in-process-controller.js';
import { sendRequest, signIn, type RequestOptions, type HttpResponse } from '../harness/send-request.js';
import { startEmbeddedProcess, startEmbeddedServer } from '../embedded/embedded-server.js';
import { CONFIG_MAPS, NAMESPACES, SECRETS, type ResourceRef } from '../../src/model/resources/index.js';

const ROOT = resolve(import.meta.dirname, '../..');
const NAMESPACE = 'argocd';
const WITHIN = 20_000;
const LAPTOP: ApiSecurity = { requiresWebhookSecret: false, isAdminEnabledByDefault: true };

type ApiSecurity = Parameters<typeof startApi>[0]['security'];

/** The object as a sync of the application leaves it. */
export function tracked(owner: string, object: KubeObject): KubeObject {
  const { namespace = '', name = '', annotations } = object.metadata;
  const id = `${owner}:${gvkOf(object).group}/${object.kind}:${namespace}/${name}`;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, 'argocd.argoproj.io/tracking-id': id } },
  };
}

export interface AccessLabOptions {
  /** A cluster that runs already; without one our own is started. */
  readonly kubeconfig?: string;
  /** Whether pods run and workloads make them; nothing acts on objects unless told. */
  readonly controllers?: 'all' | 'none';
  /** Images whose containers are processes. */
  readonly processImages?: readonly string[];
  readonly allowsFileRepositories?: boolean;
  /** False: nothing is recorded. */
  readonly hasAudit?: boolean;
  /** The profile laptop by default. */
  readonly security?: ApiSecurity;
  /** With clients that take their time. */
  readonly patience?: NonNullable<Parameters<typeof startApi>[0]['timeouts']>;
  /** The built page. */
  readonly webFolder?: string;
  /** A build of Argo CD's page. */
  readonly argoCdPage?: NonNullable<Parameters<typeof startApi>[0]['argoCdPage']>;
}

/** A cluster that is empty but for what a suite puts there, and the API in this process. */
export class AccessLab {
  readonly log: string[] = [];
  password = '';
  #front: OpenControlServices | undefined;
  #api: RunningApi | undefined;
  #audit: OpenAudit | undefined;
  readonly #data = mkdtempSync(join(tmpdir(), 'argosy-access-'));
  /** Milliseconds that the clock of the API is ahead. */
  ahead = 0;

  private constructor(
    readonly cluster: Cluster,
    readonly kubeconfig: string,
    private readonly options: AccessLabOptions,
    private readonly stopServer: () => Promise<void>,
  ) {}

  static async open(options: AccessLabOptions = {}): Promise<AccessLab> {
    const server =
      options.kubeconfig === undefined
        ? await (options.processImages === undefined
            ? startEmbeddedServer(options.controllers)
            : startEmbeddedProcess(options.controllers, options.processImages))
        : { kubeconfigPath: options.kubeconfig, stop: () => Promise.resolve() };
    const cluster = await connectCluster(server.kubeconfigPath);
    const lab = new AccessLab(cluster, server.kubeconfigPath, options, server.stop);
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await installCrds(cluster, await readCrds(CRDS));
    await lab.start();
    return lab;
  }

  get auditFile(): string {
    return join(this.#data, 'audit.jsonl');
  }

  /** What the API recorded, the oldest first. */
  async audit(): Promise<readonly AuditRecord[]> {
    return [...((await this.#audit?.find({ limit: 10_000 }))?.records ?? [])].reverse();
  }

  get url(): string {
    return this.#api?.url ?? '';
  }

  async start(): Promise<void> {
    const clock: Clock = {
      ...systemClock,
      now: () => new Date(Date.now() + this.ahead),
      steady: () => systemClock.steady() + this.ahead,
    };
    const log = plainLogger((line) => {
      this.log.push(line);
    });
    if (this.options.hasAudit ?? true)
      this.#audit ??= await openAuditLog({
        file: this.auditFile,
        keyFile: undefined,
        maxBytes: 1 << 30,
        maxBackups: 0,
        clock,
        log,
        write: () => undefined,
      });
    this.#front = await openControlServices({
      audit: this.#audit ?? NO_AUDIT,
      cluster: this.cluster,
      world: { clock, random: Math.random, report: reportTo(log) },
      namespace: NAMESPACE,
      profile: 'kubernetes',
      environment: {},
      version: '0.0.0',
      data: this.#data,
      log,
      catalogue: loadCatalogue(join(ROOT, 'catalogue')),
      renderWorker: pathToFileURL(join(ROOT, 'dist/render-worker.js')),
      remoteHosts: [],
      fileRepositories: this.options.allowsFileRepositories === true ? [tmpdir()] : [],
      isReadOnly: false,
    });
    this.#api = await startApi({
      services: this.#front.services,
      version: '0.0.0',
      host: '127.0.0.1',
      port: 0,
      hosts: ['argocd.example.com'],
      security: this.options.security ?? LAPTOP,
      log,
      ...(this.options.webFolder === undefined ? {} : { webFolder: this.options.webFolder }),
      ...(this.options.argoCdPage === undefined ? {} : { argoCdPage: this.options.argoCdPage }),
      ...(this.options.patience === undefined ? {} : { timeouts: this.options.patience }),
      background: {
        program: pathToFileURL(join(ROOT, 'dist/background-worker.js')),
        catalogue: () => readCatalogueFiles(join(ROOT, 'catalogue')),
      },
    });
    this.password = this.#api.newPassword ?? this.password;
  }

  /** As after a restart of the process: nothing is remembered but what the cluster has. */
  async restart(): Promise<void> {
    await this.#api?.close();
    await this.#front?.close();
    await this.start();
  }

  /** The cluster is away from now on. */
  loseCluster(): Promise<void> {
    return this.stopServer();
  }

  async close(): Promise<void> {
    await this.#api?.close();
    await this.#front?.close();
    await this.#audit?.close();
    await this.cluster.close();
    await this.stopServer();
    rmSync(this.#data, { recursive: true, force: true });
  }

  request(path: string, asked: RequestOptions = {}): Promise<HttpResponse> {
    return sendRequest(`${this.url}${path}`, asked);
  }

  login(username = 'admin', password = this.password): Promise<HttpResponse> {
    return this.request('/api/v1/session', { method: 'POST', body: { username, password } });
  }

  token(username = 'admin', password = this.password): Promise<string> {
    return signIn(this.url, username, password);
  }

  /** Accounts with a token each, and what policies give them. */
  async people(names: readonly string[], policy: readonly string[]): Promise<Map<string, string>> {
    await this.settings('argocd-rbac-cm', { 'policy.csv': policy.join('\n') });
    await this.settings('argocd-cm', Object.fromEntries(names.map((name) => [`accounts.${name}`, 'apiKey'])));
    const admin = await this.token();
    await this.until('the accounts are known', async () =>
      (await Promise.all(names.map((name) => this.request(`/api/v1/account/${name}`, { token: admin })))).every(
        ({ status }) => status === 200,
      ),
    );
    const tokens = new Map([['admin', admin]]);
    for (const name of names)
      tokens.set(
        name,
        String(
          (await this.request(`/api/v1/account/${name}/token`, { method: 'POST', token: admin, body: {} })).body.token,
        ),
      );
    return tokens;
  }

  /** Settings as an administrator writes them; undefined takes a key away. */
  async settings(name: string, data: Readonly<Record<string, string | undefined>>): Promise<void> {
    await this.#merge(CONFIG_MAPS, name, { data: { ...data } });
  }

  async secret(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    const encoded = Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    await this.#merge(SECRETS, name, {
      data: encoded,
      metadata: { labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    });
  }

  readSecret(name: string): Promise<KubeObject | undefined> {
    return this.cluster.get(SECRETS, { namespace: NAMESPACE, name });
  }

  /** Waits until something holds: the server hears of changes a moment later. */
  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + WITHIN, next = pollDelays(); !(await holds()); await next())
      if (Date.now() > end) throw new Error(`never: ${what}; it said:\n${this.log.slice(-20).join('\n')}`);
  }

  async #merge(ref: ResourceRef, name: string, body: JsonObject): Promise<void> {
    const id = { namespace: NAMESPACE, name };
    if ((await this.cluster.get(ref, id)) === undefined)
      await this.cluster.create(ref, { apiVersion: 'v1', kind: ref.kind, metadata: id });
    await this.cluster.patch(ref, id, {
      type: 'merge',
      body: JSON.parse(JSON.stringify(body, (_, value: unknown) => value ?? null)) as JsonObject,
    });
  }
}
