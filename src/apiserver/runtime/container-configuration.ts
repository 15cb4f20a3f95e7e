import { own, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { LocalClient } from '../rest/index.js';
import { items, maybe, number, text } from '../resources/index.js';
import { imageText, parseImage } from './images/image-reference.js';

/** Official images whose programs run as root: a pod that forbids it cannot have them as they are. */
const ROOT_IMAGES = /^docker\.io\/library\/(?:alpine|busybox|debian|httpd|nginx|node|python|ubuntu)[:@]/;

/** Why a container cannot be configured although all objects are there, in the kubelet's words. */
export function configurationError(client: LocalClient, pod: KubeObject, container: JsonObject): string | undefined {
  return rootError(pod, container) ?? subPathError(client, pod, container);
}

function rootError(pod: KubeObject, container: JsonObject): string | undefined {
  const contexts = [maybe(container, 'securityContext'), maybe(pod, 'spec.securityContext')];
  const first = <T>(read: (context: JsonObject | undefined) => T | undefined): T | undefined =>
    contexts.map(read).find((value) => value !== undefined);
  if (first((context) => context?.['runAsNonRoot'] as boolean | undefined) !== true) return undefined;
  const user = first((context) => number(context, 'runAsUser'));
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const who = `(pod: "${name}_${namespace}(${uid})", container: ${text(container, 'name')})`;
  if (user === 0) return `container's runAsUser breaks non-root policy ${who}`;
  const image = parseImage(text(container, 'image'));
  if (user !== undefined || image === undefined || !ROOT_IMAGES.test(imageText(image))) return undefined;
  return `container has runAsNonRoot and image will run as root ${who}`;
}

/** A sub-path may not go below what is a file. */
function subPathError(client: LocalClient, pod: KubeObject, container: JsonObject): string | undefined {
  for (const mount of items(container, 'volumeMounts')) {
    const [file = '', ...below] = text(mount, 'subPath').split('/');
    if (below.length === 0) continue;
    const volume = items(maybe(pod, 'spec'), 'volumes').find((each) => text(each, 'name') === text(mount, 'name'));
    if (volume === undefined || !hasFile(client, pod.metadata.namespace ?? '', volume, file)) continue;
    const names = [text(mount, 'name'), text(container, 'name')].map((name) => JSON.stringify(name));
    return `failed to prepare subPath for volumeMount ${names.join(' of container ')}`;
  }
  return undefined;
}

function hasFile(client: LocalClient, namespace: string, volume: JsonObject, file: string): boolean {
  const [secret, map] = [maybe(volume, 'secret'), maybe(volume, 'configMap')];
  const object = secret
    ? client.get({ group: '', plural: 'secrets' }, namespace, text(secret, 'secretName'))
    : map && client.get({ group: '', plural: 'configmaps' }, namespace, text(map, 'name'));
  return (
    object !== undefined && ['data', 'binaryData'].some((part) => own(maybe(object, part) ?? {}, file) !== undefined)
  );
}
