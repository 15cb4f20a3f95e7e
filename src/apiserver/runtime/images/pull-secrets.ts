import { Fault } from '../../../model/faults/index.js';
import { isObject, own, parseJson, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { LocalClient } from '../../rest/index.js';
import { items, maybe, text } from '../../resources/index.js';
import { imageText, type ImageReference } from './image-reference.js';
import { matches } from './image-rules.js';

/** A user and password for a registry, or for some repositories of it. */
export interface Credential {
  /** `ghcr.io`, `quay.io/acme`. */
  readonly place: string;
  readonly user: string;
  readonly password: string;
}

/** The types of Secrets with credentials, and the key that has them. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/dockerconfigjson', '.dockerconfigjson'],
  ['kubernetes.io/dockercfg', '.dockercfg'],
]);
const DOCKER_HUB = ['index.docker.io', 'docker.io', 'registry-1.docker.io'];

function secretNames(pod: KubeObject): string[] {
  return items(maybe(pod, 'spec'), 'imagePullSecrets')
    .map((secret) => text(secret, 'name'))
    .filter((name) => name !== '');
}

function secretOf(client: LocalClient, pod: KubeObject, name: string): KubeObject | undefined {
  return client.get({ group: '', plural: 'secrets' }, pod.metadata.namespace ?? '', name);
}

/** Pull secrets that a pod names and that are not there. */
export function missingPullSecrets(client: LocalClient, pod: KubeObject): string[] {
  return secretNames(pod).filter((name) => !secretOf(client, pod, name));
}

/** The credentials of a pod that are meant for an image. */
export function credentialsFor(client: LocalClient, pod: KubeObject, image: ImageReference): Credential[] {
  return secretNames(pod)
    .flatMap((name) => readSecret(secretOf(client, pod, name)))
    .filter(({ place }) => isFor(place, image));
}

function isFor(place: string, image: ImageReference): boolean {
  const [host = '', ...path] = place.split('/');
  const isHost = image.registry === 'docker.io' ? DOCKER_HUB.includes(host) : matches(host, image.registry);
  return isHost && imageText(image).startsWith([image.registry, ...path].join('/'));
}

/** Anything that cannot be read gives no credentials, as for the kubelet. */
function readSecret(secret: KubeObject | undefined): Credential[] {
  const key = KEYS.get(text(secret, 'type'));
  const encoded = key === undefined ? '' : text(maybe(secret, 'data'), key);
  try {
    const config = parseJson(Buffer.from(encoded, 'base64').toString('utf8'));
    const auths = isObject(config) && key === '.dockerconfigjson' ? own(config, 'auths') : config;
    return isObject(auths)
      ? Object.keys(auths).map((place) => credentialOf(place, own(auths, place) as JsonObject))
      : [];
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

function credentialOf(written: string, entry: JsonObject): Credential {
  const place = written
    .replace(/^https?:\/\//, '')
    .replace(/\/v[12](?=\/|$)/, '')
    .replace(/(?<!\/)\/+$/, '');
  const auth = Buffer.from(text(entry, 'auth'), 'base64').toString('utf8');
  const colon = auth.indexOf(':');
  const [user, password] =
    colon < 0 ? [text(entry, 'username'), text(entry, 'password')] : [auth.slice(0, colon), auth.slice(colon + 1)];
  return { place, user, password };
}
