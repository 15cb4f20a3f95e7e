import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollDelays } from '../harness/poll-delays.js';
import { startApiServer, type ProcessOptions } from '../../src/apiserver/index.js';
import type { Cluster } from '../../src/cluster/index.js';
import { isObject, type Json, type JsonObject } from '../../src/model/json/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { openOutside } from '../../world/demo/outside/open-outside.js';
import {
  connectCluster,
  startInProcessController,
  type InProcessController,
} from '../harness/in-process-controller.js';
import { JumpClock } from '../harness/jump-clock.js';
import { NAMESPACES, NOTEBOOK_VALIDATION_JOBS, PODS } from '../../src/model/resources/index.js';

const WITHIN = 25_000;

/** One line of a simulated runner, at once or after a time. */
export function runnerLine(event: JsonObject, after?: string): Json {
  const text = `@argosy $(ARGOSY_NONCE) ${JSON.stringify(event)}`;
  return after === undefined ? text : { after, text };
}

/** What processes of pods may reach. */
export function placeOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/** The embedded cluster and our controller, both in this process. */
export class NotebookLab {
  private constructor(
    readonly cluster: Cluster,
    readonly kubeconfig: string,
    readonly controller: InProcessController,
    readonly clock: JumpClock,
    readonly close: () => Promise<void>,
  ) {}

  /**
   * With the whole world, also with what is outside of its cluster, such as a git server. `before` is done before the
   * controller comes.
   */
  static async open({
    world,
    processes,
    before,
  }: {
    readonly world?: string | { readonly directory: string; readonly only: readonly string[] };
    readonly processes?: ProcessOptions;
    readonly before?: (cluster: Cluster) => Promise<void>;
  } = {}): Promise<NotebookLab> {
    const data = mkdtempSync(join(tmpdir(), 'argosy-notebooks-'));
    const outside =
      typeof world !== 'string'
        ? undefined
        : await openOutside({ folder: join(data, 'demo'), report: () => undefined });
    const server = await startApiServer({
      data,
      port: 0,
      controllers: true,
      log: NO_LOG,
      ...(world === undefined ? {} : { world }),
      ...(outside === undefined ? {} : { probes: outside.probes }),
      ...(processes === undefined
        ? {}
        : { processes: { ...processes, reachable: [...(processes.reachable ?? []), ...(outside?.places ?? [])] } }),
    });
    const cluster = await connectCluster(server.kubeconfig);
    await outside?.publishAddresses(cluster);
    await before?.(cluster);
    const clock = new JumpClock();
    const controller = await startInProcessController({
      kubeconfigPath: server.kubeconfig,
      namespace: 'argocd',
      clock,
    });
    return new NotebookLab(cluster, server.kubeconfig, controller, clock, async () => {
      await controller.stop();
      await cluster.close();
      await server.close();
      await outside?.close();
      rmSync(data, { recursive: true, force: true });
    });
  }

  /** Our controller beside a server that somebody else started, and stops. */
  static async beside(kubeconfig: string): Promise<NotebookLab> {
    const [cluster, clock] = [await connectCluster(kubeconfig), new JumpClock()];
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
    const controller = await startInProcessController({ kubeconfigPath: kubeconfig, namespace: 'argocd', clock });
    return new NotebookLab(cluster, kubeconfig, controller, clock, async () => {
      await controller.stop();
      await cluster.close();
    });
  }

  async namespace(name: string): Promise<string> {
    await this.cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return name;
  }

  /** A job whose containers behave as said; where nothing is said, they do what they do. */
  async job(
    namespace: string,
    name: string,
    simulate: JsonObject,
    more: { readonly metadata?: JsonObject; readonly spec?: JsonObject } = {},
  ): Promise<KubeObject> {
    const annotations = isObject(more.metadata) && isObject(more.metadata.annotations) ? more.metadata.annotations : {};
    const said =
      Object.keys(simulate).length === 0
        ? {}
        : { 'argosy.dev/simulate': JSON.stringify({ 'git-clone': { after: '100ms' }, ...simulate }) };
    return this.cluster.create(NOTEBOOK_VALIDATION_JOBS, {
      apiVersion: 'mlops.mlops.dev/v1alpha1',
      kind: 'NotebookValidationJob',
      metadata: { ...more.metadata, name, namespace, annotations: { ...annotations, ...said } },
      spec: {
        notebook: { git: { url: 'https://git.example.com/ml.git', ref: 'main' }, path: 'train.ipynb' },
        podConfig: {},
        ...more.spec,
      },
    });
  }

  async status(namespace: string, name: string): Promise<JsonObject> {
    const job = await this.cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace, name });
    return isObject(job?.status) ? job.status : {};
  }

  async pods(namespace: string): Promise<KubeObject[]> {
    return (await this.cluster.list(PODS, { namespace })).items;
  }

  async until<T>(what: string, look: () => Promise<T | undefined | false>, within = WITHIN): Promise<T> {
    for (const end = Date.now() + within, next = pollDelays(); ; await next()) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > end)
        throw new Error(`never: ${what}; the controller said:\n${this.controller.log.slice(-20).join('\n')}`);
    }
  }

  async untilStatus(
    namespace: string,
    name: string,
    holds: (status: JsonObject) => boolean,
    within = WITHIN,
  ): Promise<JsonObject> {
    let last: JsonObject = {};
    try {
      return await this.until(
        `${namespace}/${name}`,
        async () => {
          last = await this.status(namespace, name);
          return holds(last) && last;
        },
        within,
      );
    } catch (error) {
      throw new Error(`the status stays ${JSON.stringify(last, undefined, 1)}`, { cause: error });
    }
  }
}
