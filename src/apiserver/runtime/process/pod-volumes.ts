import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { has, flag, items, maybe, number, text } from '../../resources/index.js';
import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { LocalClient } from '../../rest/index.js';
import { dataBytes, dataKeys, expand, fieldValue, type PodPlace } from './container-environment.js';
import { openBeneath, PathRefused } from './resolve-beneath.js';
import { CLEAN_PATH } from './sandbox.js';
import type { SandboxMount } from './sandbox-mount.js';

export interface VolumeParts {
  readonly client: LocalClient;
  /** Folder of a pod, by uid. */
  podFolder(uid: string): string;
  /** Folders of volumes that have their files. */
  readonly filled: Set<string>;
  /** Folder of a persistent volume, by name. */
  volumeFolder(name: string): string;
  /** Who the containers of a namespace are on this machine; undefined where they are the server's own user. */
  userOf(namespace: string): number | undefined;
  /** Whether the container's own user makes the places where one volume lies in another. */
  readonly nests: boolean;
  /** A token for the account of the pod. */
  token(pod: KubeObject, audience: string, seconds: number): string;
}

/** Why a container cannot have what it mounts. */
export class UnusableVolume extends Error {}

/** The mounts of a container, with the folders behind them made, filled and open; the caller closes them. */
export function volumeMounts(
  parts: VolumeParts,
  pod: KubeObject,
  container: JsonObject,
  place: PodPlace,
  named: ReadonlyMap<string, string>,
): SandboxMount[] {
  const volumes = new Map(items(maybe(pod, 'spec'), 'volumes').map((volume) => [text(volume, 'name'), volume]));
  const wanted = items(container, 'volumeMounts')
    .map((mount) => ({ mount, target: mountTarget(text(mount, 'mountPath')) }))
    .sort((a, b) => a.target.length - b.target.length);
  const done: SandboxMount[] = [];
  try {
    for (const { mount, target } of wanted) {
      const volume = volumes.get(text(mount, 'name'));
      if (!volume) throw new UnusableVolume(`there is no volume ${JSON.stringify(text(mount, 'name'))}`);
      const { folder, writable } = prepareVolume(parts, pod, volume, place);
      const sub =
        text(mount, 'subPathExpr') === '' ? text(mount, 'subPath') : expandPath(text(mount, 'subPathExpr'), named);
      const descriptor = openInside(parts, pod, folder, sub, writable);
      const kind = writable && !flag(mount, 'readOnly') ? 'write' : 'read';
      done.push({ kind, source: folder, target, descriptor });
      checkMountPoint(parts, done, target);
    }
    return done;
  } catch (error) {
    closeMounts(done);
    throw error;
  }
}

export function closeMounts(mounts: readonly SandboxMount[]): void {
  for (const { descriptor } of mounts) if (descriptor !== undefined) closeSync(descriptor);
}

/** A path with a hole in it would be another path. */
function expandPath(path: string, named: ReadonlyMap<string, string>): string {
  const missing = new Set<string>();
  const expanded = expand(path, named, (name) => missing.add(name));
  if (missing.size > 0) throw new UnusableVolume(`missing value for ${[...missing].sort().join(', ')}`);
  return expanded;
}

/** Where a container sees what is mounted at a path that its author wrote: never above its own root. */
export function mountTarget(path: string): string {
  const target = normalize(join('/', path)).replace(/(.)\/$/, '$1');
  if (['/', '/proc', '/dev', '/usr', '/lib', '/lib64', '/bin', '/sbin'].includes(target))
    throw new UnusableVolume(`nothing can be mounted at ${target}`);
  if (target.startsWith('/usr/') && !existsSync(target))
    throw new UnusableVolume(`nothing can be mounted at ${target}: /usr is this machine's own`);
  return target;
}

/** What lies inside a volume may be a link that somebody made to lead out of it, or makes at this moment. */
function openInside(parts: VolumeParts, pod: KubeObject, folder: string, path: string, mayMake: boolean): number {
  if (path.split('/').includes('..'))
    throw new UnusableVolume(`subPath ${JSON.stringify(path)} leads out of its volume`);
  const user = parts.userOf(pod.metadata.namespace ?? '');
  const make = (made: number): void => {
    if (user !== undefined) chownSync(`/proc/self/fd/${made}/.`, user, user);
  };
  try {
    return openBeneath(folder, path, mayMake ? make : undefined);
  } catch (error) {
    throw new UnusableVolume(
      error instanceof PathRefused && error.reason === 'leads out'
        ? `subPath ${JSON.stringify(path)} leads out of its volume`
        : `there is no ${JSON.stringify(path)} in the volume`,
    );
  }
}

/** A mount inside another volume needs a place in it, which is made inside of the sandbox. */
function checkMountPoint({ nests }: VolumeParts, done: readonly SandboxMount[], target: string): void {
  const outer = done.slice(0, -1).findLast((each) => target.startsWith(`${each.target}/`));
  if (outer?.descriptor === undefined) return;
  if (!nests)
    throw new UnusableVolume(`nothing can be mounted at ${target}, inside another volume, without bubblewrap`);
  if (outer.kind === 'write') return;
  try {
    closeSync(openBeneath(`/proc/self/fd/${outer.descriptor}/.`, target.slice(outer.target.length + 1), undefined));
  } catch {
    throw new UnusableVolume(`nothing can be mounted at ${target}: the volume around it is read-only`);
  }
}

/** A folder of a volume, which belongs to who uses it. */
function makeFolder(parts: VolumeParts, pod: KubeObject, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const user = parts.userOf(pod.metadata.namespace ?? '');
  if (user === undefined || statSync(folder).uid === user) return;
  // It is new, or it was another user's: chown follows no link, whatever is done to it meanwhile.
  execFileSync('chown', ['-hR', `${user}:${user}`, '--', folder], { env: { PATH: CLEAN_PATH } });
}

function prepareVolume(
  parts: VolumeParts,
  pod: KubeObject,
  volume: JsonObject,
  place: PodPlace,
): { folder: string; writable: boolean } {
  const name = text(volume, 'name');
  const claim = maybe(volume, 'persistentVolumeClaim');
  if (claim) {
    const folder = parts.volumeFolder(
      boundVolume(parts.client, pod.metadata.namespace ?? '', text(claim, 'claimName')),
    );
    makeFolder(parts, pod, folder);
    return { folder, writable: !flag(claim, 'readOnly') };
  }
  const folder = join(parts.podFolder(pod.metadata.uid ?? ''), 'volumes', name);
  if (has(volume, 'emptyDir')) {
    makeFolder(parts, pod, folder);
    return { folder, writable: true };
  }
  // Another container of the pod may read them already.
  if (parts.filled.has(folder)) return { folder, writable: false };
  const files = volumeFiles(parts, pod, volume, place);
  if (files === undefined) {
    const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'emptyDir';
    throw new UnusableVolume(
      `volume ${JSON.stringify(name)} is a ${kind}, and processes have only emptyDir, configMap, secret, ` +
        'projected, downwardAPI and persistentVolumeClaim',
    );
  }
  writeFiles(folder, files);
  makeFolder(parts, pod, folder);
  parts.filled.add(folder);
  return { folder, writable: false };
}

/**
 * The volume that a claim is bound to. Whoever may write claims can write any name into one; only a volume that exists
 * and names the claim in turn is its own.
 */
function boundVolume(client: LocalClient, namespace: string, name: string): string {
  const claim = client.get({ group: '', plural: 'persistentvolumeclaims' }, namespace, name);
  const volumeName = text(maybe(claim, 'spec'), 'volumeName');
  const volume = volumeName === '' ? undefined : client.get({ group: '', plural: 'persistentvolumes' }, '', volumeName);
  const user = maybe(maybe(volume, 'spec'), 'claimRef');
  const isBound =
    volume?.metadata.name === volumeName &&
    text(user, 'namespace') === namespace &&
    text(user, 'name') === name &&
    text(user, 'uid') === claim?.metadata.uid;
  if (!isBound) throw new UnusableVolume(`claim ${JSON.stringify(name)} is not bound to a volume of its own`);
  return volumeName;
}

interface VolumeFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly mode: number;
}

const FILE_MODE = 0o644;

/** The files that a volume shows; undefined for kinds that are more than files. */
function volumeFiles(
  parts: VolumeParts,
  pod: KubeObject,
  volume: JsonObject,
  place: PodPlace,
): VolumeFile[] | undefined {
  const projected = maybe(volume, 'projected');
  if (projected)
    return items(projected, 'sources').flatMap(
      (source) => sourceFiles(parts, pod, source, place, number(projected, 'defaultMode') ?? FILE_MODE) ?? [],
    );
  return sourceFiles(parts, pod, volume, place, FILE_MODE);
}

function sourceFiles(
  { client, token }: VolumeParts,
  pod: KubeObject,
  source: JsonObject,
  place: PodPlace,
  mode: number,
): VolumeFile[] | undefined {
  const namespace = pod.metadata.namespace ?? '';
  const secret = maybe(source, 'secret');
  if (secret)
    return dataFiles(
      client.get({ group: '', plural: 'secrets' }, namespace, text(secret, 'secretName') || text(secret, 'name')),
      secret,
      mode,
    );
  const map = maybe(source, 'configMap');
  if (map) return dataFiles(client.get({ group: '', plural: 'configmaps' }, namespace, text(map, 'name')), map, mode);
  const downward = maybe(source, 'downwardAPI');
  if (downward)
    return items(downward, 'items').map((item) => ({
      path: text(item, 'path'),
      bytes: Buffer.from(fieldValue(pod, place, text(maybe(item, 'fieldRef'), 'fieldPath'))),
      mode,
    }));
  const account = maybe(source, 'serviceAccountToken');
  return (
    account && [
      {
        path: text(account, 'path'),
        bytes: Buffer.from(token(pod, text(account, 'audience'), number(account, 'expirationSeconds') ?? 3600)),
        mode: 0o600,
      },
    ]
  );
}

function dataFiles(object: KubeObject | undefined, source: JsonObject, defaultMode: number): VolumeFile[] {
  const mode = number(source, 'defaultMode') ?? defaultMode;
  const chosen = items(source, 'items').map((item) => ({
    key: text(item, 'key'),
    path: text(item, 'path'),
    mode: number(item, 'mode') ?? mode,
  }));
  const all = chosen.length > 0 ? chosen : dataKeys(object).map((key) => ({ key, path: key, mode }));
  return all.flatMap(({ key, path, mode: own }) => {
    const bytes = dataBytes(object, key);
    return bytes === undefined ? [] : [{ path, bytes, mode: own }];
  });
}

function writeFiles(folder: string, files: readonly VolumeFile[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { path, bytes, mode } of files) {
    if (path.startsWith('/') || path.split('/').includes('..'))
      throw new UnusableVolume(`path ${JSON.stringify(path)} leads out of its volume`);
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
    chmodSync(join(folder, path), mode | 0o400);
  }
}
