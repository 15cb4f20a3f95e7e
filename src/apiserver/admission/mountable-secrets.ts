import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { has, items, maybe, text } from '../resources/index.js';
import type { AdmissionRequest } from '../rest/index.js';
import { admissionForbidden } from './admission-forbidden.js';

/** Volumes that hold a secret under another field than `secret.secretName`. */
const VOLUME_SECRETS = ['azureFile', 'cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos', 'csi'];

/** Does a pod refer to any secret? */
export function namesSecrets(spec: JsonObject): boolean {
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => items(spec, list));
  return (
    items(spec, 'imagePullSecrets').length > 0 ||
    containers.some((container) => secretsOfEnv(container).length > 0) ||
    items(spec, 'volumes').some(holdsSecret)
  );
}

function holdsSecret(volume: JsonObject): boolean {
  return (
    has(volume, 'secret') ||
    items(maybe(volume, 'projected'), 'sources').some((source) => has(source, 'secret')) ||
    VOLUME_SECRETS.some((kind) =>
      ['secretName', 'secretRef', 'nodePublishSecretRef'].some((field) => has(maybe(volume, kind) ?? {}, field)),
    )
  );
}

function secretsOfEnv(container: JsonObject): { how: string; secret: string }[] {
  const direct = items(container, 'env').map((env) => ({
    how: `envVar ${text(env, 'name')}`,
    secret: text(maybe(env, 'valueFrom.secretKeyRef'), 'name'),
  }));
  const whole = items(container, 'envFrom').map((from) => ({
    how: 'envFrom',
    secret: text(maybe(from, 'secretRef'), 'name'),
  }));
  return [...direct, ...whole].filter(({ secret }) => secret !== '');
}

/** An account may say that its pods use only the secrets that it lists. */
export function checkMountableSecrets(
  request: AdmissionRequest,
  spec: JsonObject,
  account: KubeObject,
  debugging: boolean,
): void {
  const allowed = new Set(items(account, 'secrets').map((secret) => text(secret, 'name')));
  const suffix = `because service account ${account.metadata.name ?? ''} does not reference that`;
  const checkContainers = (list: string, word: string): void => {
    for (const container of items(spec, list)) {
      for (const { how, secret } of secretsOfEnv(container)) {
        if (!allowed.has(secret))
          throw admissionForbidden(
            request,
            `${word} ${text(container, 'name')} with ${how} referencing secret.secretName="${secret}" is ` +
              `not allowed ${suffix} secret`,
          );
      }
    }
  };
  if (debugging) return checkContainers('ephemeralContainers', 'ephemeral container');
  for (const volume of items(spec, 'volumes')) {
    const name = text(maybe(volume, 'secret'), 'secretName');
    if (has(volume, 'secret') && !allowed.has(name))
      throw admissionForbidden(request, `volume with secret.secretName="${name}" is not allowed ${suffix} secret`);
  }
  checkContainers('initContainers', 'init container');
  checkContainers('containers', 'container');
  const pull = new Set(items(account, 'imagePullSecrets').map((secret) => text(secret, 'name')));
  items(spec, 'imagePullSecrets').forEach((secret, index) => {
    const name = text(secret, 'name');
    if (!pull.has(name))
      throw admissionForbidden(
        request,
        `imagePullSecrets[${index}].name="${name}" is not allowed ${suffix} imagePullSecret`,
      );
  });
}
