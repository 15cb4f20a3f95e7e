import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { LocalClient } from '../rest/index.js';
import { items, maybe, text } from '../resources/index.js';
import { referenceKey, type Missing } from './missing-references.js';

/** What every Linux node has, by what it is; `*` is for all below. */
const HOST_PATHS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Directory', ['/', '/bin', '/boot', '/dev', '/etc*', '/home', '/lib*', '/opt', '/proc*', '/root', '/run*', '/sys*']],
  ['File', ['/etc/*', '/run/*', '/var/run/*', '/proc/*']],
  ['Socket', ['/run/*.sock', '/var/run/*.sock', '/var/lib/*.sock']],
  ['CharDevice', ['/dev/*']],
  ['BlockDevice', ['/dev/*']],
]);
const DIRECTORIES = ['/tmp*', '/usr*', '/var*', '/srv', '/mnt', '/media', '/sbin'];

const NAMES: Readonly<Record<string, string>> = {
  Directory: 'a directory',
  File: 'a file',
  Socket: 'a socket file',
  CharDevice: 'a character device',
  BlockDevice: 'a block device',
};

/** Volumes that a node cannot mount although all objects are there, in the kubelet's words. */
export function unmountableVolumes(client: LocalClient, pod: KubeObject): Missing[] {
  return items(maybe(pod, 'spec'), 'volumes').flatMap((volume) => {
    const found = hostPathError(volume) ?? driverError(client, volume);
    if (found === undefined) return [];
    const name = JSON.stringify(text(volume, 'name'));
    return [{ ...found, message: `MountVolume.SetUp failed for volume ${name} : ${found.message}` }];
  });
}

/** Nodes have nothing but what Linux brings: a volume that insists on more cannot be mounted. */
function hostPathError(volume: JsonObject): Missing | undefined {
  const source = maybe(volume, 'hostPath');
  const [type, path] = [text(source, 'type'), text(source, 'path')];
  const known = HOST_PATHS.get(type);
  if (known === undefined) return undefined;
  const all = type === 'Directory' ? [...known, ...DIRECTORIES] : known;
  if (all.some((pattern) => isBelow(path, pattern))) return undefined;
  return { message: `hostPath type check failed: ${path} is not ${NAMES[type] ?? type}`, needs: '' };
}

function isBelow(path: string, pattern: string): boolean {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return path === start;
  return (path === start || path.startsWith(start.endsWith('/') ? start : `${start}/`)) && path.endsWith(end);
}

/** A driver is on all nodes as soon as it is registered. */
function driverError(client: LocalClient, volume: JsonObject): Missing | undefined {
  const driver = text(maybe(volume, 'csi'), 'driver');
  if (driver === '' || client.get({ group: 'storage.k8s.io', plural: 'csidrivers' }, '', driver)) return undefined;
  return {
    message:
      `kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name ${driver} not found in the list of ` +
      'registered CSI drivers',
    needs: referenceKey('CSIDriver', '', driver),
  };
}
