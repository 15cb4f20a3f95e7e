import { own, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { LocalClient } from '../rest/index.js';
import { flag, has, items, maybe, text } from '../resources/index.js';

type Kind = 'Secret' | 'ConfigMap';

/** What a pod lacks, in the kubelet's words, and the object whose arrival could help. */
export interface Missing {
  readonly message: string;
  readonly needs: string;
}

export function referenceKey(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

function find(client: LocalClient, kind: Kind, namespace: string, name: string): KubeObject | undefined {
  return client.get({ group: '', plural: kind === 'Secret' ? 'secrets' : 'configmaps' }, namespace, name);
}

function absent(kind: Kind, namespace: string, name: string): Missing {
  return {
    message: `${kind.toLowerCase()} ${JSON.stringify(name)} not found`,
    needs: referenceKey(kind, namespace, name),
  };
}

function hasKey(object: KubeObject, key: string): boolean {
  return ['data', 'binaryData'].some((part) => own(maybe(object, part) ?? {}, key) !== undefined);
}

/** What the environment of a container refers to and is not there; the first one is what the kubelet reports. */
export function missingEnvironment(client: LocalClient, pod: KubeObject, container: JsonObject): Missing | undefined {
  const namespace = pod.metadata.namespace ?? '';
  for (const source of items(container, 'envFrom')) {
    for (const [field, kind] of [
      ['configMapRef', 'ConfigMap'],
      ['secretRef', 'Secret'],
    ] as const) {
      const reference = maybe(source, field);
      if (!reference || flag(reference, 'optional')) continue;
      if (!find(client, kind, namespace, text(reference, 'name')))
        return absent(kind, namespace, text(reference, 'name'));
    }
  }
  for (const variable of items(container, 'env')) {
    for (const [field, kind] of [
      ['configMapKeyRef', 'ConfigMap'],
      ['secretKeyRef', 'Secret'],
    ] as const) {
      const reference = maybe(variable, `valueFrom.${field}`);
      if (!reference || flag(reference, 'optional')) continue;
      const [name, key] = [text(reference, 'name'), text(reference, 'key')];
      const object = find(client, kind, namespace, name);
      if (!object) return absent(kind, namespace, name);
      if (!hasKey(object, key))
        return {
          message: `couldn't find key ${key} in ${kind} ${namespace}/${name}`,
          needs: referenceKey(kind, namespace, name),
        };
    }
  }
  return undefined;
}

/** Volumes that cannot be mounted: one Event each. */
export function missingVolumes(client: LocalClient, pod: KubeObject): Missing[] {
  return items(maybe(pod, 'spec'), 'volumes').flatMap((volume) => {
    const missing = missingVolume(client, pod, volume);
    return missing ? [missing] : [];
  });
}

function missingVolume(client: LocalClient, pod: KubeObject, volume: JsonObject): Missing | undefined {
  const namespace = pod.metadata.namespace ?? '';
  const name = text(volume, 'name');
  const claim = maybe(volume, 'persistentVolumeClaim');
  if (claim) return missingClaim(client, namespace, name, text(claim, 'claimName'));
  const sources = has(volume, 'projected') ? items(maybe(volume, 'projected'), 'sources') : [volume];
  for (const source of sources) {
    const found =
      missingKeys(
        client,
        namespace,
        'Secret',
        maybe(source, 'secret'),
        has(volume, 'projected') ? 'name' : 'secretName',
      ) ?? missingKeys(client, namespace, 'ConfigMap', maybe(source, 'configMap'), 'name');
    if (found)
      return {
        message: `MountVolume.SetUp failed for volume ${JSON.stringify(name)} : ${found.message}`,
        needs: found.needs,
      };
  }
  return undefined;
}

function missingKeys(
  client: LocalClient,
  namespace: string,
  kind: Kind,
  source: JsonObject | undefined,
  nameField: string,
): Missing | undefined {
  if (!source || flag(source, 'optional')) return undefined;
  const name = text(source, nameField);
  const object = find(client, kind, namespace, name);
  if (!object) return absent(kind, namespace, name);
  const lacking = items(source, 'items')
    .map((item) => text(item, 'key'))
    .find((key) => !hasKey(object, key));
  if (lacking === undefined) return undefined;
  const what =
    kind === 'Secret' ? 'references non-existent secret key' : 'configmap references non-existent config key';
  return { message: `${what}: ${lacking}`, needs: referenceKey(kind, namespace, name) };
}

/** The scheduler waits for claims; a pod that names its node does not, and finds out here. */
function missingClaim(client: LocalClient, namespace: string, volume: string, name: string): Missing | undefined {
  const claim = client.get({ group: '', plural: 'persistentvolumeclaims' }, namespace, name);
  const say = (why: string): Missing => ({
    message:
      `Unable to attach or mount volumes: unmounted volumes=[${volume}], unattached volumes=[], failed to ` +
      `process volumes=[${volume}]: error processing PVC ${namespace}/${name}: ${why}`,
    needs: referenceKey('PersistentVolumeClaim', namespace, name),
  });
  if (!claim)
    return say(`failed to fetch PVC from API server: persistentvolumeclaims ${JSON.stringify(name)} not found`);
  if (text(maybe(claim, 'status'), 'phase') !== 'Bound') return say('PVC is not bound');
  return undefined;
}
