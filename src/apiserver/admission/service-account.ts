import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ensure, flag, has, items, maybe, sub, text } from '../resources/index.js';
import type { AdmissionRequest, AdmissionPlugin } from '../rest/index.js';
import { isAbout, type HeadLister } from './head-lister.js';
import { admissionForbidden } from './admission-forbidden.js';
import { checkMountableSecrets, namesSecrets } from './mountable-secrets.js';

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const VOLUME = 'kube-api-access-';
const MIRROR = 'kubernetes.io/config.mirror';
const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';

/** Every pod runs as an account of its namespace, and its containers find that account's token. */
export function serviceAccount(newest: HeadLister, newSuffix: () => string): AdmissionPlugin {
  const accountOf = (request: AdmissionRequest, name: string): KubeObject => {
    const found = newest.get(['', 'serviceaccounts'], request.namespace, name);
    if (!found)
      throw admissionForbidden(
        request,
        `error looking up service account ${request.namespace}/${name}: serviceaccount ` +
          `${JSON.stringify(name)} not found`,
      );
    return found;
  };
  return {
    name: 'ServiceAccount',
    mutate(request) {
      if (request.operation !== 'CREATE' || !request.object || !isAbout(request, '', 'pods')) return;
      if (isMirror(request.object)) return checkMirror(request, request.object);
      const spec = ensure(request.object, 'spec');
      if (text(spec, 'serviceAccountName') === '') spec.serviceAccountName = 'default';
      spec.serviceAccount = spec.serviceAccountName;
      const account = accountOf(request, text(spec, 'serviceAccountName'));
      if (mountsToken(spec, account)) mountToken(spec, newSuffix);
      const pull = items(account, 'imagePullSecrets');
      if (items(spec, 'imagePullSecrets').length === 0 && pull.length > 0)
        spec.imagePullSecrets = pull.map((secret) => ({ name: text(secret, 'name') }));
    },
    validate(request) {
      const { object, operation } = request;
      const debugging = operation === 'UPDATE' && isAbout(request, '', 'pods', 'ephemeralcontainers');
      if (!object || !(debugging || (operation === 'CREATE' && isAbout(request, '', 'pods')))) return;
      if (isMirror(object)) return debugging ? undefined : checkMirror(request, object);
      const account = accountOf(request, text(maybe(object, 'spec'), 'serviceAccountName'));
      if (/^(1|t|T|TRUE|true|True)$/.test(account.metadata.annotations?.[ENFORCE] ?? ''))
        checkMountableSecrets(request, sub(object, 'spec'), account, debugging);
    },
  };
}

function isMirror(pod: KubeObject): boolean {
  return pod.metadata.annotations?.[MIRROR] !== undefined;
}

/** Mirror pods of a kubelet's static pods: they cannot use objects that only the API has. */
function checkMirror(request: AdmissionRequest, pod: KubeObject): void {
  const spec = sub(pod, 'spec');
  if (text(spec, 'serviceAccountName') !== '')
    throw admissionForbidden(request, 'a mirror pod may not reference service accounts');
  if (namesSecrets(spec)) throw admissionForbidden(request, 'a mirror pod may not reference secrets');
  const projects = items(spec, 'volumes').some((volume) =>
    items(maybe(volume, 'projected'), 'sources').some((source) => has(source, 'serviceAccountToken')),
  );
  if (projects) throw admissionForbidden(request, 'a mirror pod may not use ServiceAccountToken volume projections');
}

function mountsToken(spec: JsonObject, account: KubeObject): boolean {
  for (const holder of [spec, account])
    if (has(holder, 'automountServiceAccountToken')) return flag(holder, 'automountServiceAccountToken');
  return true;
}

function mountToken(spec: JsonObject, newSuffix: () => string): void {
  const known = items(spec, 'volumes').find((volume) => text(volume, 'name').startsWith(VOLUME));
  const containers = [...items(spec, 'initContainers'), ...items(spec, 'containers')].filter(
    (container) => !items(container, 'volumeMounts').some((mount) => text(mount, 'mountPath') === MOUNT_PATH),
  );
  if (containers.length === 0) return;
  const name = known === undefined ? VOLUME + newSuffix() : text(known, 'name');
  for (const container of containers) {
    container.volumeMounts = [...items(container, 'volumeMounts'), { name, readOnly: true, mountPath: MOUNT_PATH }];
  }
  if (known === undefined)
    spec.volumes = [...items(spec, 'volumes'), { name, projected: { sources: tokenSources(), defaultMode: 420 } }];
}

function tokenSources(): JsonObject[] {
  return [
    // An hour and seven seconds: the real server recognizes such tokens by the odd number.
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] },
    },
  ];
}
