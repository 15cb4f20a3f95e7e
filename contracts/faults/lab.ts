import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Cluster } from '../../src/cluster/index.js';
import { isObject, own, parseJson, writeJson, type JsonObject } from '../../src/model/json/index.js';
import { clearFolder, scratchFolder } from '../real/child.js';
import type { ControlPlane } from '../real/control-plane.js';
import { pollDelays } from '../harness/poll-delays.js';
import { freePorts } from '../real/free-port.js';
import { startApiProxy, type ApiProxy } from './api-proxy.js';
import { CONTROL_NAMESPACE } from './application.js';
import { AuditLog, type Audited } from './audit-log.js';
import { ControllerProcess } from './controller-process.js';
import { openEmbeddedPlane } from './embedded-plane.js';
import { connectAsAdmin, define, isServed, openLabPlane, type LabPlane, type LabPlaneOptions } from './lab-plane.js';
import { TestRepository } from './repository.js';
import {
  CLUSTER_ROLE_BINDINGS,
  LEASES,
  NAMESPACES,
  SERVICE_ACCOUNTS,
  type ResourceRef,
} from '../../src/model/resources/index.js';

/** Who a controller is to the API server, and the proxy that it sees the server through. */
export interface ControllerIdentity {
  readonly user: string;
  readonly proxy: ApiProxy;
  readonly kubeconfig: string;
  /** The data folder of its controllers, one after the other. */
  readonly data: string;
}

const NAMESPACE = CONTROL_NAMESPACE;

/**
 * A control plane (a real one writes an audit log), git repositories, and controllers of ours behind proxies that
 * break on demand.
 */
export class Lab {
  readonly audit: AuditLog;
  readonly agent: Agent;
  readonly dir = scratchFolder('argosy-faults-');
  #seats = 0;
  #repositories = 0;
  #markers = 0;
  readonly #closing: (() => Promise<void>)[] = [];

  private constructor(
    readonly plane: ControlPlane,
    readonly cluster: Cluster,
  ) {
    this.agent = new Agent({ connect: { ca: plane.caPem } });
    this.audit = new AuditLog(join(plane.dir, 'audit.log'));
  }

  static async open(options: LabPlaneOptions = {}): Promise<Lab> {
    return Lab.#on(await openLabPlane(options));
  }

  /** On the embedded server, whose controllers and nodes play pods. It writes no audit log. */
  static async openEmbedded(): Promise<Lab> {
    const plane = await openEmbeddedPlane();
    return Lab.#on({ plane, release: () => plane.stop() });
  }

  static async #on({ plane, release }: LabPlane): Promise<Lab> {
    const lab = new Lab(plane, await connectAsAdmin(plane));
    lab.onClose(async () => {
      await lab.cluster.close();
      await lab.agent.destroy();
      await release();
      clearFolder(lab.dir);
    });
    return lab;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.reverse()) await close();
  }

  /** Ends with the lab, last first. */
  onClose(close: () => Promise<void>): void {
    this.#closing.push(close);
  }

  define(file: string): Promise<void> {
    return define(this.cluster, file);
  }

  exists(kind: ResourceRef): Promise<boolean> {
    return isServed(this.cluster, kind);
  }

  /** A service account of its own, bound to cluster-admin, and a proxy; each controller gets one. */
  async createIdentity(): Promise<ControllerIdentity> {
    const name = `controller-${++this.#seats}`;
    await this.cluster.create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, namespace: NAMESPACE },
    });
    await this.bind(name, 'cluster-admin');
    const token = await this.request('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${name}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 86_400 },
    });
    const read = (file: string): string => readFileSync(join(this.plane.dir, 'certs', file), 'utf8');
    const proxy = await startApiProxy({
      target: this.plane.url,
      cert: read('apiserver.crt'),
      key: read('apiserver.key'),
      ca: this.plane.caPem,
    });
    this.onClose(() => proxy.close());
    const kubeconfig = join(this.dir, `${name}.kubeconfig`);
    const status = own(token, 'status');
    writeFileSync(
      kubeconfig,
      kubeconfigText(proxy.url, this.plane.caPem, isObject(status) ? String(own(status, 'token')) : ''),
      { mode: 0o600 },
    );
    return {
      user: `system:serviceaccount:${NAMESPACE}:${name}`,
      proxy,
      kubeconfig,
      data: join(this.dir, `${name}.data`),
    };
  }

  /** Gives a seat's account a cluster role, in place of the one that it has by a binding of that name. */
  async bind(account: string, role: string, binding = account): Promise<void> {
    const old = await this.cluster.get(CLUSTER_ROLE_BINDINGS, { name: binding });
    if (old !== undefined)
      await this.cluster.remove(CLUSTER_ROLE_BINDINGS, { name: binding }, { uid: old.metadata.uid ?? '' });
    await this.cluster.create(CLUSTER_ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: binding },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: NAMESPACE }],
    });
  }

  /** A controller on a seat that runs. */
  async startController(
    seat: Pick<ControllerIdentity, 'kubeconfig' | 'data'>,
    more: readonly string[] = [],
  ): Promise<ControllerProcess> {
    const controller = await this.launchController(seat, more);
    await controller.ready();
    return controller;
  }

  /** The same without waiting, where a fault may keep it from running. */
  async launchController(
    seat: Pick<ControllerIdentity, 'kubeconfig' | 'data'>,
    more: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ControllerProcess> {
    const [metricsPort = 0] = await freePorts(1);
    const dir = mkdtempSync(join(this.dir, 'controller-'));
    const controller = ControllerProcess.start({
      kubeconfig: seat.kubeconfig,
      data: seat.data,
      dir,
      metricsPort,
      more,
      environment,
    });
    this.onClose(() => controller.stop());
    return controller;
  }

  repository(): TestRepository {
    return new TestRepository(join(this.dir, `repository-${++this.#repositories}.git`));
  }

  async namespace(name: string): Promise<string> {
    await this.cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return name;
  }

  /** As an operator does after a crash, so that a trial need not wait for the lease to run out. */
  async dropLeases(): Promise<void> {
    for (const lease of (await this.cluster.list(LEASES, { namespace: NAMESPACE })).items) {
      await this.cluster.remove(
        LEASES,
        { namespace: NAMESPACE, name: lease.metadata.name ?? '' },
        { uid: lease.metadata.uid ?? '' },
      );
    }
  }

  async request(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: JsonObject,
    contentType = 'application/json',
  ): Promise<JsonObject> {
    const answer = await request(`${this.plane.url}${path}`, {
      dispatcher: this.agent,
      method,
      headers: { authorization: `Bearer ${this.plane.adminToken}`, 'content-type': contentType },
      ...(body === undefined ? {} : { body: writeJson(body) }),
    });
    const parsed = parseJson(await answer.body.text());
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${writeJson(parsed)}`);
    return isObject(parsed) ? parsed : {};
  }

  /** Waits until what was answered before is in the audit log, and gives all that came since a mark. */
  async settle(mark: number): Promise<readonly Audited[]> {
    const name = `marker-${++this.#markers}`;
    await this.cluster.get(SERVICE_ACCOUNTS, { namespace: NAMESPACE, name });
    await this.until('the audit log is written', () => this.audit.read().some((audited) => audited.name === name));
    await delay(30);
    return this.audit.since(mark);
  }

  /** `every` where the moment is measured. */
  async until(
    what: string,
    condition: () => boolean | Promise<boolean>,
    within = 30_000,
    every?: number,
  ): Promise<void> {
    const next = every === undefined ? pollDelays() : () => delay(every);
    for (const end = performance.now() + within; !(await condition()); await next())
      if (performance.now() > end) throw new Error(`not within ${within / 1000} s: ${what}`);
  }
}

function kubeconfigText(server: string, caPem: string, token: string): string {
  return writeJson({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'lab',
    clusters: [
      { name: 'lab', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: [{ name: 'controller', user: { token } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'controller' } }],
  });
}
