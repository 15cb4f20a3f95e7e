import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError } from '../errors/index.js';
import { type Controller, type ControllerHost, createWorkQueue, namesOf } from '../controller-runtime/index.js';
import type { WatchedObject } from '../rest/index.js';
import { maybe, text } from '../resources/index.js';
import { askAsPod, readAsPod } from './awaited-object.js';
import type { ContainerLogs } from './container-logs.js';
import type { ContainerdVersion } from './containerd.js';
import { ImageRegistries } from './images/image-registries.js';
import type { KubeletParts } from './kubelet-parts.js';
import { referenceKey } from './missing-references.js';
import { isSimulated, NodeAgent } from './node-agent.js';
import { playedCommands } from './played-commands.js';
import { PodAddresses } from './pod-addresses.js';
import { PodWorker } from './pod-worker.js';
import { RunningContainers } from './running-containers.js';
import type { Runtime } from './runtime.js';
import { clusterClient } from './scripts/index.js';
import { simulatedRuntime } from './simulated-runtime.js';
import { NODES, PODS } from '../../model/resources/index.js';
import type { WorkQueue } from '../../model/queue/index.js';

/** Objects that pods can be short of. */
const REFERENCES = [
  ['Secret', 'secrets'],
  ['ConfigMap', 'configmaps'],
  ['PersistentVolumeClaim', 'persistentvolumeclaims'],
] as const;

export interface KubeletOptions {
  readonly logs: ContainerLogs;
  /** Where containers that run are found. */
  readonly running?: RunningContainers;
  /** Whether a cluster without nodes gets some, and nodes keep leases; off in tests that bring their own. */
  readonly nodes?: boolean;
  /** Of nodes that do not say it. */
  readonly containerd?: ContainerdVersion;
  /** What runs containers; the simulation where nobody says otherwise. */
  readonly runtime?: (host: ControllerHost & { readonly simulated: Runtime }) => Runtime;
}

/** The kubelets of all simulated nodes in one controller. */
export function kubelet({
  logs,
  running: containers = new RunningContainers(),
  nodes = true,
  containerd = '1.7',
  runtime,
}: KubeletOptions): Controller {
  return {
    name: 'kubelet',
    start(host) {
      const running = new Kubelets(host, logs, containers, containerd, runtime);
      running.start(nodes);
      return running;
    },
  };
}

class Kubelets {
  readonly #parts: KubeletParts;
  readonly #queue: WorkQueue;
  readonly #workers = new Map<string, PodWorker>();
  readonly #agent: NodeAgent;
  readonly #registries: ImageRegistries;
  #watches: { close(): void }[] = [];

  constructor(
    readonly host: ControllerHost,
    logs: ContainerLogs,
    running: RunningContainers,
    containerd: ContainerdVersion,
    makeRuntime: KubeletOptions['runtime'],
  ) {
    const { client, clock } = host;
    this.#registries = new ImageRegistries(client, host.log);
    const simulated = simulatedRuntime({
      clock,
      registries: this.#registries,
      ask: readAsPod(client),
      commands: playedCommands(client),
      cluster: clusterClient(client, askAsPod(client), () => clock.now()),
    });
    const runtime = makeRuntime?.({ ...host, simulated }) ?? simulated;
    this.#agent = new NodeAgent(host, containerd);
    this.#parts = {
      client,
      clock,
      runtime,
      logs,
      running,
      addresses: new PodAddresses(),
      images: new Map(),
      node: (name) => client.get(NODES, '', name),
    };
    const nameOf = namesOf(client, PODS);
    this.#queue = createWorkQueue(
      clock,
      (key) => this.#syncPod(key),
      (key, error) => this.#failed(key, error),
      { objectOf: (key) => (key.startsWith('pod/') ? nameOf(key.slice('pod/'.length)) : undefined) },
    );
  }

  start(nodes: boolean): void {
    const { client } = this.host;
    // Before pods, which may need what these say.
    const rules = client.watch({ group: '', plural: 'configmaps' }, (event) =>
      this.#registries.configMapChanged(event),
    );
    this.#watches = [
      rules,
      client.watch(PODS, (event) => {
        if (text(maybe(event.object, 'spec'), 'nodeName') !== '') this.#queue.add(keyOf(event.object));
      }),
      client.watch(NODES, (event) => this.#nodeChanged(event)),
      ...REFERENCES.map(([kind, plural]) =>
        client.watch({ group: '', plural }, (event) => {
          if (event.type !== 'DELETED')
            this.#wakeWaiting(
              referenceKey(kind, event.object.metadata.namespace ?? '', event.object.metadata.name ?? ''),
            );
        }),
      ),
    ];
    if (nodes) this.#agent.start().catch((error: unknown) => this.#failed('nodes', error));
  }

  close(): void {
    this.#agent.close();
    for (const watch of this.#watches) watch.close();
    void this.#queue.close();
    this.#parts.runtime.close?.();
  }

  #nodeChanged({ type, object, previous }: WatchedObject): void {
    const name = object.metadata.name ?? '';
    if (type === 'ADDED') this.#queue.add(`node/${name}`);
    if (type !== 'DELETED' && previous !== undefined && isSimulated(previous) === isSimulated(object)) return;
    for (const pod of this.host.client.list(PODS))
      if (text(maybe(pod, 'spec'), 'nodeName') === name) this.#queue.add(keyOf(pod));
  }

  #wakeWaiting(needed: string): void {
    for (const worker of this.#workers.values()) if (worker.needs.has(needed)) this.#queue.add(keyOf(worker.pod));
  }

  async #syncPod(key: string): Promise<void> {
    const [kind, namespace = '', name = ''] = key.split('/');
    const { client } = this.host;
    if (kind === 'node') {
      const node = client.get(NODES, '', namespace);
      if (node) await this.#agent.register(node);
      return;
    }
    const pod = client.get(PODS, namespace, name);
    const served = pod && isSimulated(client.get(NODES, '', text(maybe(pod, 'spec'), 'nodeName'))) ? pod : undefined;
    const worker = this.#workerFor(key, served);
    if (!worker || !served) return;
    const again = await worker.sync(served);
    if (again !== undefined) this.#queue.addAfter(key, again);
  }

  /** The worker of this very pod; that of an earlier pod of the same name is ended. */
  #workerFor(key: string, pod: KubeObject | undefined): PodWorker | undefined {
    const known = this.#workers.get(key);
    if (known && known.pod.metadata.uid === pod?.metadata.uid) return known;
    if (known) {
      known.close();
      this.#workers.delete(key);
      this.#parts.logs.forget(known.pod.metadata.uid ?? '');
      this.#parts.runtime.forget?.(known.pod);
    }
    if (!pod) return undefined;
    const worker = new PodWorker(this.#parts, pod, () => this.#queue.add(key));
    this.#workers.set(key, worker);
    return worker;
  }

  #failed(key: string, error: unknown): void {
    // Conflicts and pods that went away meanwhile are everyday; the retry reads the new state.
    if (!(error instanceof ApiError)) this.host.log.error(`kubelet: ${key}`, { error });
  }
}

function keyOf(pod: KubeObject): string {
  return `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`;
}
