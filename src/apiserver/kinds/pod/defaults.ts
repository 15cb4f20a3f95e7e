import { clone, drop, own, put, type JsonObject } from '../../../model/json/index.js';
import { count, ensure, fill, flag, has, items, maybe, sub, text } from '../../resources/index.js';
import { podLevelDefaults, roundAmounts } from './resources.js';

/** Defaults of one volume source, by the name of the source. */
const VOLUME_SOURCE_DEFAULTS: Readonly<Record<string, JsonObject>> = {
  secret: { defaultMode: 420 },
  configMap: { defaultMode: 420 },
  downwardAPI: { defaultMode: 420 },
  projected: { defaultMode: 420 },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** What a pod template and a pod have in common. */
export function podSpecDefaults(spec: JsonObject): void {
  fill(spec, {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
    securityContext: {},
  });
  mirrorServiceAccount(spec);
  dropDisabled(spec);
  for (const volume of items(spec, 'volumes')) volumeDefaults(volume);
  for (const list of CONTAINER_LISTS) items(spec, list).forEach(containerDefaults);
}

/** The old field `serviceAccount` always repeats `serviceAccountName`. */
function mirrorServiceAccount(spec: JsonObject): void {
  const name = text(spec, 'serviceAccountName') || text(spec, 'serviceAccount');
  if (name === '') return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

/** Fields of features that 1.34 has switched off are taken away in silence. */
function dropDisabled(spec: JsonObject): void {
  drop(spec, 'hostnameOverride');
  const images = items(spec, 'volumes')
    .filter((volume) => has(volume, 'image'))
    .map((volume) => text(volume, 'name'));
  if (images.length > 0) spec.volumes = items(spec, 'volumes').filter((volume) => !has(volume, 'image'));
  for (const list of CONTAINER_LISTS) {
    for (const container of items(spec, list)) {
      drop(container, 'restartPolicyRules');
      if (list !== 'initContainers' || text(container, 'restartPolicy') !== 'Always') drop(container, 'restartPolicy');
      for (const variable of items(container, 'env')) drop(sub(variable, 'valueFrom'), 'fileKeyRef');
      if (images.length > 0)
        container.volumeMounts = items(container, 'volumeMounts').filter(
          (mount) => !images.includes(text(mount, 'name')),
        );
    }
  }
}

/** What only a pod gets: a template keeps its requests and links unset. */
export function podDefaults(pod: JsonObject): void {
  const spec = ensure(pod, 'spec');
  podSpecDefaults(spec);
  fill(spec, { enableServiceLinks: true });
  for (const list of ['containers', 'initContainers'] as const) {
    for (const container of items(spec, list)) {
      requestsFromLimits(container);
      if (flag(spec, 'hostNetwork')) hostPorts(container);
    }
  }
  podLevelDefaults(spec);
  statusAddresses(pod);
}

/** `podIP` and the first of `podIPs` are one value under two names; the old one wins. */
function statusAddresses(pod: JsonObject): void {
  const status = maybe(pod, 'status');
  if (status === undefined) return;
  const single = text(status, 'podIP');
  const first = text(items(status, 'podIPs')[0], 'ip');
  if (single !== '' && first !== single) status.podIPs = [{ ip: single }];
  else if (single === '' && first !== '') status.podIP = first;
}

function requestsFromLimits(container: JsonObject): void {
  const limits = maybe(container, 'resources.limits');
  if (limits === undefined) return;
  const requests = ensure(ensure(container, 'resources'), 'requests');
  for (const name of Object.keys(limits)) if (!has(requests, name)) put(requests, name, own(limits, name));
}

function hostPorts(container: JsonObject): void {
  for (const port of items(container, 'ports'))
    if (count(port, 'hostPort') === 0) port.hostPort = own(port, 'containerPort');
}

function volumeDefaults(volume: JsonObject): void {
  if (Object.keys(volume).every((key) => key === 'name' || !has(volume, key))) volume.emptyDir = {};
  for (const [source, values] of Object.entries(VOLUME_SOURCE_DEFAULTS)) {
    const found = maybe(volume, source);
    if (found !== undefined) fill(found, clone(values));
  }
  const hostPath = maybe(volume, 'hostPath');
  if (hostPath !== undefined && !has(hostPath, 'type')) hostPath.type = '';
  items(maybe(volume, 'downwardAPI'), 'items').forEach(fieldRefDefault);
  for (const source of items(maybe(volume, 'projected'), 'sources')) {
    const token = maybe(source, 'serviceAccountToken');
    if (token !== undefined) fill(token, { expirationSeconds: 3600 });
    items(maybe(source, 'downwardAPI'), 'items').forEach(fieldRefDefault);
  }
  const claim = maybe(volume, 'ephemeral.volumeClaimTemplate.spec');
  if (claim !== undefined) fill(claim, { volumeMode: 'Filesystem' });
}

function fieldRefDefault(holder: JsonObject): void {
  const ref = maybe(holder, 'fieldRef');
  if (ref !== undefined) fill(ref, { apiVersion: 'v1' });
}

function containerDefaults(container: JsonObject): void {
  fill(container, {
    imagePullPolicy: pullPolicyFor(text(container, 'image')),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  roundAmounts(container);
  for (const port of items(container, 'ports')) fill(port, { protocol: 'TCP' });
  for (const variable of items(container, 'env')) fieldRefDefault(sub(variable, 'valueFrom'));
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = maybe(container, name);
    if (probe !== undefined) probeDefaults(probe);
  }
  for (const hook of ['lifecycle.postStart', 'lifecycle.preStop']) httpGetDefaults(maybe(container, hook));
}

function probeDefaults(probe: JsonObject): void {
  for (const [key, value] of Object.entries({
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  })) {
    if (count(probe, key) === 0) put(probe, key, value);
  }
  httpGetDefaults(probe);
  const grpc = maybe(probe, 'grpc');
  if (grpc !== undefined && !has(grpc, 'service')) grpc.service = '';
}

function httpGetDefaults(handler: JsonObject | undefined): void {
  const get = maybe(handler, 'httpGet');
  if (get !== undefined) fill(get, { path: '/', scheme: 'HTTP' });
}

// domain/path:tag@digest; a text that is no image reference is never pulled "always".
const DOMAIN = String.raw`(?:[\w-]+(?:\.[\w-]+)*|\[[0-9a-fA-F:]+\])(?::\d+)?`;
const PATH_PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const TAG = String.raw`(?<tag>:[\w][\w.-]{0,127})`;
const DIGEST = String.raw`(?<digest>@[A-Za-z][\w.+-]*:[0-9a-fA-F]{32,})`;
const REFERENCE = new RegExp(`^(?:${DOMAIN}/)?${PATH_PART}(?:/${PATH_PART})*${TAG}?${DIGEST}?$`);

/** Always for `latest`, explicit or implied; a digest without tag implies no tag. */
function pullPolicyFor(image: string): 'Always' | 'IfNotPresent' {
  const groups = REFERENCE.exec(image)?.groups;
  if (groups === undefined) return 'IfNotPresent';
  const implied = groups.tag === undefined && groups.digest === undefined;
  return implied || groups.tag === ':latest' ? 'Always' : 'IfNotPresent';
}
