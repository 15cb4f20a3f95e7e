import { createHash } from 'node:crypto';
import { chownSync, constants, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { text } from '../../resources/index.js';
import type { LocalClient } from '../../rest/index.js';
import type { ContainerStart } from '../runtime.js';
import type { AllowedImage } from './allowed-image.js';
import { BUILT_FOLDER, sourceVariables, withSource, type BuiltSource } from './built-image.js';
import { clusterAccess } from './cluster-access.js';
import { containerCommand, containerEnvironment } from './container-environment.js';
import { findProgram } from './find-program.js';
import type { ConfinedProgram } from './launch.js';
import { hostsFile } from './pod-network.js';
import { closeMounts, mountTarget, volumeMounts, type VolumeParts } from './pod-volumes.js';
import type { ProcessSetup } from './process-settings.js';
import { CLEAN_PATH, systemMounts, type Sandbox } from './sandbox.js';
import type { SandboxMount } from './sandbox-mount.js';
import { startScript } from './start-script.js';

/** An image that runs here, and the repository that it was built from. */
export type RunnableImage = AllowedImage & { readonly source?: BuiltSource };

export interface PrepareParts {
  readonly setup: ProcessSetup;
  readonly client: LocalClient;
  readonly volumes: VolumeParts;
  readonly sandbox: Exclude<Sandbox['kind'], 'none'>;
}

/** A container that is ready to be started. */
export interface Prepared {
  readonly program: Omit<ConfinedProgram, 'network' | 'processFiles'>;
  /** For whoever steps in later. */
  readonly values: ReadonlyMap<string, string>;
  readonly secrets: ReadonlySet<string>;
  readonly workingDirectory: string;
  /** Where the container may leave its last words. */
  readonly message: string;
}

type Placed = Pick<ContainerStart, 'pod' | 'spec' | 'podIp' | 'hostIp'>;

/** Why a container cannot be created; undefined where it can. */
export function createError(
  parts: PrepareParts,
  entry: RunnableImage,
  pod: KubeObject,
  spec: JsonObject,
): string | undefined {
  try {
    const start = { pod, spec, podIp: '0.0.0.0', hostIp: '' };
    const { values, named } = environmentOf(parts, start);
    closeMounts(volumeMounts(parts.volumes, pod, spec, start, named));
    messageTarget(spec);
    const command = containerCommand(spec, entry.program ?? [], named);
    if (command[0] === undefined)
      return `image ${text(spec, 'image')} has no program of its own here: the container must name a command`;
    return findProgram(command[0], values.get('PATH') ?? CLEAN_PATH, spec);
  } catch (error) {
    // Whatever its author wrote, the pod says what is wrong with it.
    return error instanceof Error ? error.message : String(error);
  }
}

function environmentOf(
  { client, setup, sandbox }: PrepareParts,
  { pod, spec, podIp, hostIp }: Placed,
): ReturnType<typeof containerEnvironment> {
  const image = new Map([
    ['PATH', CLEAN_PATH],
    ['HOME', '/root'],
    ['HOSTNAME', pod.metadata.name ?? ''],
    ['ARGOSY_ADDRESS', sandbox === 'bwrap' ? '127.0.0.1' : setup.address(podIp)],
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

/** The mounts of a container, its variables and its first program. */
export function prepareContainer(parts: PrepareParts, entry: RunnableImage, start: ContainerStart): Prepared {
  const { setup, volumes, sandbox } = parts;
  const { pod, spec } = start;
  const { values, named, secrets } = environmentOf(parts, start);
  const mounts = volumeMounts(volumes, pod, spec, start, named);
  try {
    const folder = containerFolder(volumes, start);
    const user = volumes.userOf(pod.metadata.namespace ?? '');
    const own = (name: string, content: string): string => ownFile(join(folder, name), content, user);
    const config = clusterAccess(setup).kubeconfig(mounts, own, pod.metadata.namespace ?? '');
    const all = config ? new Map([['KUBECONFIG', config.target], ...values]) : values;
    const { source } = entry;
    const workingDirectory = text(spec, 'workingDir');
    const message = own('message', '');
    return {
      program: {
        folder,
        hostname: hostnameOf(pod),
        user,
        mounts: [
          ...opened(sandbox, rootMounts(parts, entry, start, folder)),
          ...mounts,
          ...opened(sandbox, [
            ...(config ? [config] : []),
            { kind: 'write', source: message, target: messageTarget(spec) },
          ]),
        ],
        script: scriptOf(entry, spec, all, named),
      },
      values: all,
      secrets,
      workingDirectory: source === undefined ? workingDirectory : workingDirectory || BUILT_FOLDER,
      message,
    };
  } catch (error) {
    closeMounts(mounts);
    throw error;
  }
}

function containerFolder(volumes: VolumeParts, { pod, spec, attempt }: ContainerStart): string {
  const folder = join(volumes.podFolder(pod.metadata.uid ?? ''), 'containers', `${text(spec, 'name')}-${attempt}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A file that only the container reads, and may write where it is mounted so. */
function ownFile(file: string, content: string, user: number | undefined): string {
  writeFileSync(file, content, { mode: 0o600 });
  if (user !== undefined) chownSync(file, user, user);
  return file;
}

/** Everything that is there whatever the pod mounts. */
function rootMounts(
  { setup, volumes, sandbox }: PrepareParts,
  { source, folders = [] }: RunnableImage,
  { pod }: ContainerStart,
  folder: string,
): SandboxMount[] {
  const user = volumes.userOf(pod.metadata.namespace ?? '');
  const system = systemMounts();
  if (sandbox === 'bwrap') {
    const file = ownFile(join(folder, 'hosts'), hostsFile(setup.reachable, hostnameOf(pod)), user);
    const at = system.findIndex(({ target }) => target === '/etc/hosts');
    system.splice(at < 0 ? system.length : at, at < 0 ? 0 : 1, { kind: 'read', source: file, target: '/etc/hosts' });
  }
  if (source !== undefined) {
    mkdirSync(join(folder, 'source'), { recursive: true });
    if (user !== undefined) chownSync(join(folder, 'source'), user, user);
    system.push({ kind: 'write', source: join(folder, 'source'), target: BUILT_FOLDER });
  }
  return [
    ...system,
    ...[...folders, ...(setup.python?.folders ?? [])].map(
      (path) => ({ kind: 'read', source: path, target: path }) as const,
    ),
  ];
}

/** Linux only: without opening what is there. */
const O_PATH = 0o10000000;
/** What everybody on this machine may read. */
const PUBLIC = /^\/(?:usr|bin|sbin|lib|lib32|lib64|libx32|etc|nix)(?:\/|$)/;

/** Whoever builds the root is nobody: what only the server can reach is opened here. */
function opened(sandbox: PrepareParts['sandbox'], mounts: readonly SandboxMount[]): SandboxMount[] {
  return mounts.map((mount) =>
    sandbox === 'bwrap' && ['read', 'write', 'copy'].includes(mount.kind) && !PUBLIC.test(mount.source)
      ? { ...mount, descriptor: openSync(mount.source, O_PATH | constants.O_NOFOLLOW) }
      : mount,
  );
}

function scriptOf(
  { source, program = [] }: RunnableImage,
  spec: JsonObject,
  values: ReadonlyMap<string, string>,
  named: ReadonlyMap<string, string>,
): string {
  const workingDirectory = text(spec, 'workingDir');
  const command = containerCommand(spec, program, named);
  const written = containerCommand(spec, program, new Map());
  const filled = new Set(command.flatMap((word, index) => (word === written[index] ? [] : [index])));
  if (source === undefined) return startScript({ values, workingDirectory: workingDirectory || '/', command, filled });
  return startScript({
    values: new Map([...values, ...sourceVariables(source).values]),
    workingDirectory: '/',
    command: withSource(source, workingDirectory, command),
    filled: new Set(),
  });
}

export function messageTarget(spec: JsonObject): string {
  return mountTarget(text(spec, 'terminationMessagePath') || '/dev/termination-log');
}

/** Names of pods are longer than those of machines may be. */
function hostnameOf(pod: KubeObject): string {
  return (pod.metadata.name ?? 'pod').slice(0, 63).replaceAll('.', '-');
}

/** Servers and namespaces apart. */
export function keyOf(...parts: readonly string[]): Buffer {
  return createHash('sha256').update(parts.join('\n')).digest();
}
