import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { Logger } from '../../../model/logging/index.js';
import type { Clock, LocalClient } from '../../rest/index.js';
import { text } from '../../resources/index.js';
import { SIMULATE } from '../behaviour.js';
import type { ContainerExit, ContainerListener, ContainerStart, RunningContainer, Runtime } from '../runtime.js';
import { allowedImage, type AllowedImage } from './allowed-image.js';
import { BUILT_FOLDER, builtImage, sourceVariables, withSource, type BuiltSource } from './built-image.js';
import { passEnvironment, SandboxedChild } from './child-process.js';
import { containerCommand, containerEnvironment } from './container-environment.js';
import { clusterAccess, type ClusterAccess } from './cluster-access.js';
import { killOrphans } from './kill-orphans.js';
import { findProgram } from './find-program.js';
import { mountTarget, UnusableVolume, volumeMounts, type VolumeParts } from './pod-volumes.js';
import { Prober } from './prober.js';
import { startCommand, type Inside } from './sandbox-command.js';
import { CLEAN_PATH, findSandbox, systemMounts, type Sandbox } from './sandbox.js';

/** How containers of some images run as processes of this machine. */
export interface ProcessSetup extends ClusterAccess {
  readonly images: readonly AllowedImage[];
  /** Where pods have their folders (`pods/`) and persistent volumes theirs (`volumes/`). */
  readonly data: string;
  /** The loopback address at which the processes of a pod are reached. */
  address(podIp: string): string;
}

export interface ProcessHost {
  readonly client: LocalClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Runs what is not allowed to be a process. */
  readonly simulated: Runtime;
}

/** Most of a log that becomes the message of a container that failed. */
const MESSAGE_LINES = 80;
const MESSAGE_BYTES = 2048;

/** Containers of allowed images run here, confined; all others are simulated. */
export function processRuntime(setup: ProcessSetup, { client, clock, log, simulated }: ProcessHost): Runtime {
  let found: Sandbox | undefined;
  const running = new Set<SandboxedChild>();
  const sandbox = (): Sandbox => (found ??= findSandbox());
  const volumes: VolumeParts = {
    client,
    filled: new Set(),
    podFolder: (uid) => join(setup.data, 'pods', uid),
    volumeFolder: (name) => join(setup.data, 'volumes', name),
    token: (pod, audience, seconds) => setup.token(pod, audience, seconds),
  };
  const parts: ProcessParts = { setup, client, clock, volumes, sandbox, running };
  /** Whatever a process left there, it keeps nobody from anything else. */
  const remove = (folder: string): void => {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      log.warn(`kubelet: ${folder} cannot be removed`, { error });
    }
  };
  const left = killOrphans(podsOf(setup.data));
  if (left > 0) log.info(`kubelet: ended ${left} processes that an earlier server left behind`);
  orphanedPodFolders(client, setup.data).forEach(remove);
  const watch = client.watch({ group: '', plural: 'persistentvolumes' }, ({ type, object }) => {
    if (type === 'DELETED' && object.metadata.name) remove(volumes.volumeFolder(object.metadata.name));
  });
  return {
    pull: (image, pod) =>
      allowedImage(setup.images, image)
        ? { ok: true, milliseconds: 0, bytes: 0, digest: `sha256:${createHash('sha256').update(image).digest('hex')}` }
        : simulated.pull(image, pod),
    start: (container, listener) =>
      entryOf(parts, container.pod, container.spec)
        ? startProcess(parts, container, listener)
        : simulated.start(container, listener),
    sandboxDelay: (pod) => simulated.sandboxDelay(pod),
    simulationError: (pod) => simulated.simulationError(pod),
    isReal: (pod, spec) => entryOf(parts, pod, spec) !== undefined,
    createError: (pod, spec) => createError(parts, pod, spec),
    forget: (pod) => remove(volumes.podFolder(pod.metadata.uid ?? '')),
    close() {
      watch.close();
      for (const child of running) child.kill();
    },
  };
}

interface ProcessParts {
  readonly setup: ProcessSetup;
  readonly client: LocalClient;
  readonly clock: Clock;
  readonly volumes: VolumeParts;
  sandbox(): Sandbox;
  readonly running: Set<SandboxedChild>;
}

type Entry = AllowedImage & { readonly source?: BuiltSource };

/** A pod that says how it is simulated is. */
function entryOf({ setup: { images }, client }: ProcessParts, pod: KubeObject, spec: JsonObject): Entry | undefined {
  if (pod.metadata.annotations?.[SIMULATE] !== undefined) return undefined;
  const image = text(spec, 'image');
  return allowedImage(images, image) ?? builtImage(client, images, pod.metadata.namespace ?? '', image);
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

interface Prepared {
  readonly argv: readonly string[];
  readonly environment: Record<string, string>;
  readonly address: string;
  /** For whoever steps in later. */
  readonly inside: Omit<Inside, 'pid'>;
  /** Where the container may leave its last words. */
  readonly message: string;
}

/** Why a container cannot be created; undefined where it can, or is none of ours. */
function createError(parts: ProcessParts, pod: KubeObject, spec: JsonObject): string | undefined {
  const entry = entryOf(parts, pod, spec);
  if (!entry) return undefined;
  const sandbox = parts.sandbox();
  if (sandbox.kind === 'none') return sandbox.why;
  try {
    const start = { pod, spec, podIp: '0.0.0.0', hostIp: '' };
    const { values, named } = environmentOf(parts, start);
    volumeMounts(parts.volumes, pod, spec, start, named);
    messageTarget(spec);
    const command = containerCommand(spec, entry.program ?? [], named);
    if (command[0] === undefined)
      return `image ${text(spec, 'image')} has no program of its own here: the container must name a command`;
    return findProgram(command[0], values.get('PATH') ?? CLEAN_PATH, spec);
  } catch (error) {
    if (error instanceof UnusableVolume) return error.message;
    throw error;
  }
}

type Placed = Pick<ContainerStart, 'pod' | 'spec' | 'podIp' | 'hostIp'>;

function environmentOf(
  { client, setup }: ProcessParts,
  { pod, spec, podIp, hostIp }: Placed,
): ReturnType<typeof containerEnvironment> {
  const image = new Map([
    ['PATH', CLEAN_PATH],
    ['HOME', '/root'],
    ['HOSTNAME', pod.metadata.name ?? ''],
    ['ARGOSY_ADDRESS', setup.address(podIp)],
  ]);
  if (setup.python !== undefined) image.set('ARGOSY_PYTHON', setup.python.program);
  return containerEnvironment(
    client,
    pod,
    spec,
    { podIp, hostIp },
    { image, services: new Map(clusterAccess(setup).variables) },
  );
}

function prepare(
  parts: ProcessParts,
  entry: Entry,
  sandbox: Extract<Sandbox, { wrap: unknown }>,
  start: ContainerStart,
): Prepared {
  const { setup, volumes } = parts;
  const { pod, spec } = start;
  const { values, named, secrets } = environmentOf(parts, start);
  const mounts = volumeMounts(volumes, pod, spec, start, named);
  const folder = join(
    volumes.podFolder(pod.metadata.uid ?? ''),
    'containers',
    `${text(spec, 'name')}-${start.attempt}`,
  );
  const [root, message] = [join(folder, 'root'), join(folder, 'message')];
  mkdirSync(root, { recursive: true });
  writeFileSync(message, '');
  const config = clusterAccess(setup).kubeconfig(mounts, join(folder, 'kubeconfig'), pod.metadata.namespace ?? '');
  const all = config ? new Map([['KUBECONFIG', config.target], ...values]) : values;
  const { source } = entry;
  const [command, workingDirectory] = [containerCommand(spec, entry.program ?? [], named), text(spec, 'workingDir')];
  const passed =
    source === undefined
      ? passEnvironment(all, secrets, command)
      : passWithSource(source, all, secrets, withSource(source, workingDirectory, command));
  if (source !== undefined) mkdirSync(join(folder, 'source'), { recursive: true });
  const words = sandbox.wrap({
    root,
    workingDirectory: source === undefined ? workingDirectory || '/' : '/',
    command: passed.command,
    mounts: [
      ...systemMounts(),
      ...(source === undefined
        ? []
        : [{ kind: 'write', source: join(folder, 'source'), target: BUILT_FOLDER } as const]),
      ...[...(entry.folders ?? []), ...(setup.python?.folders ?? [])].map(
        (path) => ({ kind: 'read', source: path, target: path }) as const,
      ),
      ...mounts,
      ...(config ? [config] : []),
      { kind: 'write', source: message, target: messageTarget(spec) },
    ],
  });
  return {
    argv: words,
    environment: passed.environment,
    address: setup.address(start.podIp),
    inside: {
      values: all,
      secrets,
      workingDirectory: source === undefined ? workingDirectory : workingDirectory || BUILT_FOLDER,
    },
    message,
  };
}

function passWithSource(
  source: BuiltSource,
  values: ReadonlyMap<string, string>,
  secrets: ReadonlySet<string>,
  command: readonly string[],
): ReturnType<typeof passEnvironment> {
  const more = sourceVariables(source);
  return passEnvironment(new Map([...values, ...more.values]), new Set([...secrets, ...more.secrets]), command);
}

function startProcess(parts: ProcessParts, start: ContainerStart, listener: ContainerListener): RunningContainer {
  const entry = entryOf(parts, start.pod, start.spec) ?? { image: '' };
  const sandbox = parts.sandbox();
  // Processes end with the server: one that runs by its status is gone.
  if (start.resumed)
    return exitImmediately(parts.clock, listener, {
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'the process ended with the server that ran it',
    });
  if (sandbox.kind === 'none')
    return exitImmediately(parts.clock, listener, { exitCode: 128, reason: 'StartError', message: sandbox.why });
  const { argv, environment, address, inside, message } = prepare(parts, entry, sandbox, start);
  const tail: string[] = [];
  const line = (words_: string): void => {
    tail.push(words_);
    if (tail.length > MESSAGE_LINES) tail.shift();
    listener.log(words_);
  };
  const child = new SandboxedChild(argv, environment, sandbox.depth, parts.clock, {
    line,
    ended({ exitCode, error }) {
      parts.running.delete(child);
      prober.close();
      if (error !== undefined) line(error);
      listener.exited(exitOf(exitCode, terminationMessage(start.spec, message, exitCode, tail)));
    },
  });
  parts.running.add(child);
  const prober = new Prober(parts.clock, start.spec, address, () => listener.changed());
  return {
    stop: (grace) => child.stop(grace),
    renew: () => undefined,
    changesAt: (probe) => (probe === 'liveness' ? Infinity : 0),
    health: () => prober.health,
    exec: (request, execListener) => startCommand({ pid: child.program ?? 0, ...inside }, request, execListener),
  };
}

function exitImmediately(clock: Clock, listener: ContainerListener, exit: ContainerExit): RunningContainer {
  // Not before the caller knows the container.
  clock.after(0, () => listener.exited(exit));
  return { stop: () => undefined, renew: () => undefined, changesAt: () => Infinity };
}

function exitOf(exitCode: number, message: string): ContainerExit {
  return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', ...(message === '' ? {} : { message }) };
}

function messageTarget(spec: JsonObject): string {
  return mountTarget(text(spec, 'terminationMessagePath') || '/dev/termination-log');
}

/** A container may write a file of any size. */
function readBeginning(file: string, bytes: number): string {
  if (!existsSync(file)) return '';
  const buffer = Buffer.alloc(bytes);
  const descriptor = openSync(file, 'r');
  try {
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, bytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** What the container wrote to its termination message, or the end of its log where it failed and asks for that. */
function terminationMessage(spec: JsonObject, file: string, exitCode: number, tail: readonly string[]): string {
  const written = readBeginning(file, 2 * MESSAGE_BYTES);
  if (written !== '' || exitCode === 0 || text(spec, 'terminationMessagePolicy') !== 'FallbackToLogsOnError')
    return written;
  return Buffer.from(tail.join('\n')).subarray(-MESSAGE_BYTES).toString('utf8');
}
