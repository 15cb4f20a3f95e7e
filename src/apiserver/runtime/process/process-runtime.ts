import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../model/json/index.js';
import { parseQuantity, quantityToNumber, type KubeObject } from '../../../model/kubernetes/index.js';
import type { Logger } from '../../../model/logging/index.js';
import type { Clock, LocalClient } from '../../rest/index.js';
import { maybe, text } from '../../resources/index.js';
import { SIMULATE } from '../behaviour.js';
import type { ContainerExit, ContainerListener, ContainerStart, RunningContainer, Runtime } from '../runtime.js';
import { allowedImage } from './allowed-image.js';
import { builtImage } from './built-image.js';
import { DEFAULT_LIMITS, findCgroups, type Cgroups, type ContainerLimits } from './cgroups.js';
import { ContainerProcess } from './container-process.js';
import { killOrphans } from './kill-orphans.js';
import { userOf } from './launch.js';
import type { PodNetworks } from './pod-networks.js';
import type { VolumeParts } from './pod-volumes.js';
import type { ProcessSetup } from './process-settings.js';
import { createError, keyOf, prepareContainer, type PrepareParts, type RunnableImage } from './prepare-container.js';
import { CLEAN_PATH, findSandbox, isRoot, type Sandbox } from './sandbox.js';

export interface ProcessHost {
  readonly client: LocalClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Runs what is not allowed to be a process. */
  readonly simulated: Runtime;
}

/** Bytes without which not even the sandbox can be made. */
const SMALLEST = 16 << 20;

/** Containers of allowed images run here, confined; all others are simulated. */
export function processRuntime(setup: ProcessSetup, host: ProcessHost): Runtime {
  const parts = new ProcessParts(setup, host);
  const { client, log, simulated } = host;
  const left = killOrphans(podsOf(setup.data));
  parts.cgroups.removeAll();
  if (left > 0) log.info(`kubelet: ended ${left} processes that an earlier server left behind`);
  for (const folder of orphanedPodFolders(client, setup.data)) parts.remove(folder);
  const watch = client.watch({ group: '', plural: 'persistentvolumes' }, ({ type, object }) => {
    if (type === 'DELETED' && object.metadata.name) parts.remove(parts.volumes.volumeFolder(object.metadata.name));
  });
  return {
    pull: (image, pod) =>
      allowedImage(setup.images, image, pod.metadata.namespace ?? '')
        ? { ok: true, milliseconds: 0, bytes: 0, digest: `sha256:${createHash('sha256').update(image).digest('hex')}` }
        : simulated.pull(image, pod),
    start: (container, listener) => {
      const entry = parts.entryOf(container.pod, container.spec);
      return entry === undefined
        ? simulated.start(container, listener)
        : startProcess(parts, entry, container, listener);
    },
    startError: (start) =>
      parts.entryOf(start.pod, start.spec) === undefined ? simulated.startError?.(start) : undefined,
    sandboxDelay: (pod) => simulated.sandboxDelay(pod),
    simulationError: (pod) => simulated.simulationError(pod),
    isReal: (pod, spec) => parts.entryOf(pod, spec) !== undefined,
    createError: (pod, spec) => parts.createError(pod, spec),
    missingWalls: (pod, spec) => parts.missingWalls(pod, spec),
    forget(pod) {
      setup.networks.forget(pod.metadata.uid ?? '');
      parts.remove(parts.volumes.podFolder(pod.metadata.uid ?? ''));
    },
    close() {
      watch.close();
      for (const container of parts.running) container.kill();
      setup.networks.close();
      parts.cgroups.removeAll();
    },
  };
}

/** What all containers of a server share. */
class ProcessParts {
  readonly running = new Set<ContainerProcess>();
  readonly cgroups: Cgroups;
  readonly volumes: VolumeParts;
  #sandbox: Sandbox | undefined;

  constructor(
    readonly setup: ProcessSetup,
    readonly host: ProcessHost,
  ) {
    const { data } = setup;
    const sandbox = (): Sandbox => this.sandbox;
    this.cgroups = findCgroups(keyOf(data).toString('hex').slice(0, 12));
    this.volumes = {
      client: host.client,
      filled: new Set(),
      podFolder: (uid) => join(data, 'pods', uid),
      volumeFolder: (name) => join(data, 'volumes', name),
      userOf: (namespace) => (sandbox().kind === 'bwrap' ? userOf(keyOf(data, namespace)) : undefined),
      get nests() {
        return sandbox().kind === 'bwrap';
      },
      token: (pod, audience, seconds) => setup.token(pod, audience, seconds),
    };
  }

  get sandbox(): Sandbox {
    if (this.#sandbox === undefined) {
      this.#sandbox = findSandbox();
      if (this.#sandbox.kind === 'unshare') this.setup.networks.useLoopback(this.setup.data);
    }
    return this.#sandbox;
  }

  /** A pod that says how it is simulated is. */
  entryOf(pod: KubeObject, spec: JsonObject): RunnableImage | undefined {
    if (pod.metadata.annotations?.[SIMULATE] !== undefined) return undefined;
    const { images } = this.setup;
    const [image, namespace] = [text(spec, 'image'), pod.metadata.namespace ?? ''];
    return allowedImage(images, image, namespace) ?? builtImage(this.host.client, images, namespace, image);
  }

  prepareParts(kind: PrepareParts['sandbox']): PrepareParts {
    return { setup: this.setup, client: this.host.client, volumes: this.volumes, sandbox: kind };
  }

  createError(pod: KubeObject, spec: JsonObject): string | undefined {
    const entry = this.entryOf(pod, spec);
    if (!entry) return undefined;
    const { sandbox } = this;
    if (sandbox.kind === 'none') return sandbox.why;
    if (sandbox.missing.length > 0 && entry.withMissingWalls !== true)
      return `pods of this image run behind all walls only, and this machine lacks ${sandbox.missing.join('; ')}`;
    return createError(this.prepareParts(sandbox.kind), entry, pod, spec);
  }

  missingWalls(pod: KubeObject, spec: JsonObject): readonly string[] {
    if (this.entryOf(pod, spec) === undefined) return [];
    return this.sandbox.kind === 'none' ? [] : this.sandbox.missing;
  }

  /** Whatever a process left there, or changes there at this moment: `rm` follows no link. */
  remove(folder: string): void {
    execFile('rm', ['-rf', '--', folder], { env: { PATH: CLEAN_PATH } }, (error) => {
      if (error) this.host.log.warn(`kubelet: ${folder} cannot be removed`, { error });
    });
  }
}

/** Pods that have a folder. */
function podsOf(data: string): string[] {
  const folder = join(data, 'pods');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder);
}

/** Folders of pods that were deleted while the server was down. */
function orphanedPodFolders(client: LocalClient, data: string): string[] {
  const known = new Set(client.list({ group: '', plural: 'pods' }).map((pod) => pod.metadata.uid));
  return podsOf(data)
    .filter((uid) => !known.has(uid))
    .map((uid) => join(data, 'pods', uid));
}

function startProcess(
  parts: ProcessParts,
  entry: RunnableImage,
  start: ContainerStart,
  listener: ContainerListener,
): RunningContainer {
  const { sandbox, setup, host } = parts;
  // Processes end with the server: one that runs by its status is gone.
  if (start.resumed)
    return exitImmediately(host.clock, listener, {
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'the process ended with the server that ran it',
    });
  if (sandbox.kind === 'none')
    return exitImmediately(host.clock, listener, { exitCode: 128, reason: 'StartError', message: sandbox.why });
  const { kind } = sandbox;
  const { pod, spec, podIp } = start;
  const uid = pod.metadata.uid ?? '';
  const { hostname, port } = new URL(setup.url);
  const outside = { api: { host: hostname, port: Number(port) }, accept: setup.accept, others: setup.reachable };
  const name = `${uid}-${text(spec, 'name')}-${start.attempt}`;
  const container = new ContainerProcess(
    {
      clock: host.clock,
      start,
      sandbox: kind,
      target: {
        host: kind === 'bwrap' ? podIp : setup.address(podIp),
        dial: (to) => dialled(setup.networks, podIp, to),
      },
      network: () => (kind === 'bwrap' ? setup.networks.take(uid, podIp, outside, isRoot()) : undefined),
      cgroup: () => (parts.cgroups.missing.length === 3 ? undefined : parts.cgroups.create(name, limitsOf(spec))),
      prepare: () => prepareContainer(parts.prepareParts(kind), entry, start),
      released() {
        parts.running.delete(container);
        if (kind === 'bwrap') setup.networks.give(uid, host.clock);
      },
    },
    listener,
  );
  parts.running.add(container);
  return {
    stop: (grace) => container.stop(grace),
    renew: () => undefined,
    changesAt: (probe) => (probe === 'liveness' ? Infinity : 0),
    health: () => container.health(),
    exec: (request, execListener) => container.exec(request, execListener),
  };
}

function dialled(
  networks: PodNetworks,
  podIp: string,
  port: number,
): ReturnType<NonNullable<PodNetworks['dial']>> & {} {
  return networks.dial(podIp, port) ?? Promise.reject(new Error('the pod has ended'));
}

/** What the container asks for, where it asks for anything. */
function limitsOf(spec: JsonObject): ContainerLimits {
  const limit = (name: string): number | undefined => {
    const written = text(maybe(spec, 'resources.limits'), name);
    return written === '' ? undefined : quantityToNumber(parseQuantity(written));
  };
  return {
    memory: Math.max(SMALLEST, limit('memory') ?? DEFAULT_LIMITS.memory),
    processes: DEFAULT_LIMITS.processes,
    cpus: Math.max(0.01, limit('cpu') ?? DEFAULT_LIMITS.cpus),
  };
}

function exitImmediately(clock: Clock, listener: ContainerListener, exit: ContainerExit): RunningContainer {
  // Not before the caller knows the container.
  clock.after(0, () => listener.exited(exit));
  return { stop: () => undefined, renew: () => undefined, changesAt: () => Infinity };
}
