import { own, type JsonObject } from '../../../model/json/index.js';
import { count, flag, has, items, maybe, number, sub, text } from '../../resources/index.js';
import { dnsLabel, portName, portNumber } from '../validation/name-rules.js';
import { checkEnv, checkEnvFrom } from './env.js';
import { checkLifecycle, checkProbes, forbidProbes } from './probes.js';
import { checkContainerSecurity } from './security.js';
import { checkDescendingPath, type Volumes } from './volumes.js';
import type { FieldErrors } from '../validation/field-errors.js';
import { checkResources } from '../validation/resource-lists.js';

export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const READ_ONLY_MODES = ['Disabled', 'Enabled', 'IfPossible'];

/** What the containers of one pod share. */
export interface PodParts {
  readonly spec: JsonObject;
  readonly volumes: Volumes;
  readonly claimNames: ReadonlySet<string>;
}

export function checkContainers(to: FieldErrors, parts: PodParts, field: string): void {
  const containers = items(parts.spec, 'containers');
  if (containers.length === 0) return to.required(field);
  const names = new Set<string>();
  containers.forEach((container, index) => {
    const path = `${field}[${index}]`;
    checkContainer(to, container, path, parts);
    const name = text(container, 'name');
    if (names.has(name)) to.duplicate(`${path}.name`, name);
    names.add(name);
    checkLifecycle(to, container, path, gracePeriod(parts), os(parts));
    checkProbes(to, container, path, gracePeriod(parts));
    if (has(container, 'restartPolicy'))
      to.forbidden(`${path}.restartPolicy`, 'may not be set for non-init containers');
  });
  checkHostPorts(to, containers, field);
}

export function checkInitContainers(to: FieldErrors, parts: PodParts, field: string): void {
  const names = new Set(items(parts.spec, 'containers').map((container) => text(container, 'name')));
  items(parts.spec, 'initContainers').forEach((container, index) => {
    const path = `${field}[${index}]`;
    checkContainer(to, container, path, parts);
    const restart = text(container, 'restartPolicy');
    if (has(container, 'restartPolicy') && restart !== 'Always')
      to.unsupported(`${path}.restartPolicy`, restart, ['Always']);
    const name = text(container, 'name');
    if (names.has(name)) to.duplicate(`${path}.name`, name);
    else if (name !== '') names.add(name);
    checkHostPorts(to, [container], field);
    if (restart === 'Always') {
      checkLifecycle(to, container, path, gracePeriod(parts), os(parts));
      checkProbes(to, container, path, gracePeriod(parts));
    } else forbidProbes(to, container, path);
  });
}

const EPHEMERAL_FORBIDDEN = ['ports', 'resources', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'];

export function checkEphemeralContainers(to: FieldErrors, parts: PodParts, field: string): void {
  const others = new Set(
    [...items(parts.spec, 'containers'), ...items(parts.spec, 'initContainers')].map((container) =>
      text(container, 'name'),
    ),
  );
  const names = new Set(others);
  items(parts.spec, 'ephemeralContainers').forEach((container, index) => {
    const path = `${field}[${index}]`;
    checkContainer(to, container, path, parts);
    checkImageSpace(to, container, path);
    const name = text(container, 'name');
    if (names.has(name)) to.duplicate(`${path}.name`, name);
    names.add(name);
    const target = text(container, 'targetContainerName');
    if (target !== '' && !others.has(target)) to.notFound(`${path}.targetContainerName`, target);
    for (const key of EPHEMERAL_FORBIDDEN) {
      const value = own(container, key);
      const empty =
        value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
      if (!empty) to.forbidden(`${path}.${key}`, 'cannot be set for an Ephemeral Container');
    }
    items(container, 'volumeMounts').forEach((mount, at) => {
      for (const key of ['subPath', 'subPathExpr']) {
        if (text(mount, key) !== '')
          to.forbidden(`${path}.volumeMounts[${at}].${key}`, 'cannot be set for an Ephemeral Container');
      }
    });
  });
}

/** Pods refuse what templates still accept: an image name with space around it. */
export function checkImageSpace(to: FieldErrors, container: JsonObject, field: string): void {
  const image = text(container, 'image');
  if (image.trim() !== image) to.invalid(`${field}.image`, image, 'must not have leading or trailing whitespace');
}

function gracePeriod(parts: PodParts): number {
  return number(parts.spec, 'terminationGracePeriodSeconds') ?? 30;
}

function os(parts: PodParts): string {
  return text(maybe(parts.spec, 'os'), 'name');
}

function checkContainer(to: FieldErrors, container: JsonObject, field: string, parts: PodParts): void {
  const name = text(container, 'name');
  if (name === '') to.required(`${field}.name`);
  else to.invalidEach(`${field}.name`, name, dnsLabel(name));
  to.needs(container, field, 'image');
  to.oneOf(container, field, 'terminationMessagePolicy', ['File', 'FallbackToLogsOnError'], 'required');
  checkPorts(to, container, `${field}.ports`);
  checkEnv(to, container, `${field}.env`);
  checkEnvFrom(to, container, `${field}.envFrom`);
  checkMounts(to, container, `${field}.volumeMounts`, parts.volumes);
  checkDevices(to, container, `${field}.volumeDevices`, parts.volumes);
  to.oneOf(container, field, 'imagePullPolicy', PULL_POLICIES, 'required');
  checkResources(to, sub(container, 'resources'), `${field}.resources`, parts.claimNames);
  checkResizePolicy(to, container, `${field}.resizePolicy`, text(parts.spec, 'restartPolicy'));
  checkContainerSecurity(to, container, field, own(parts.spec, 'hostUsers') !== false);
}

function checkPorts(to: FieldErrors, container: JsonObject, field: string): void {
  const names = new Set<string>();
  items(container, 'ports').forEach((port, index) => {
    const path = `${field}[${index}]`;
    const name = text(port, 'name');
    const complaints = name === '' ? [] : portName(name);
    to.invalidEach(`${path}.name`, name, complaints);
    if (name !== '' && complaints.length === 0) {
      if (names.has(name)) to.duplicate(`${path}.name`, name);
      names.add(name);
    }
    const number = count(port, 'containerPort');
    if (number === 0) to.required(`${path}.containerPort`);
    else to.invalidEach(`${path}.containerPort`, number, portNumber(number));
    const host = count(port, 'hostPort');
    if (host !== 0) to.invalidEach(`${path}.hostPort`, host, portNumber(host));
    to.oneOf(port, path, 'protocol', PROTOCOLS, 'required');
  });
}

function checkHostPorts(to: FieldErrors, containers: readonly JsonObject[], field: string): void {
  const taken = new Set<string>();
  containers.forEach((container, index) =>
    items(container, 'ports').forEach((port, at) => {
      const host = count(port, 'hostPort');
      if (host === 0) return;
      const key = `${text(port, 'protocol')}/${text(port, 'hostIP')}/${host}`;
      if (taken.has(key)) to.duplicate(`${field}[${index}].ports[${at}].hostPort`, key);
      taken.add(key);
    }),
  );
}

function checkMounts(to: FieldErrors, container: JsonObject, field: string, volumes: Volumes): void {
  const paths = new Set<string>();
  const devices = items(container, 'volumeDevices');
  items(container, 'volumeMounts').forEach((mount, index) => {
    const at = `${field}[${index}]`;
    const name = text(mount, 'name');
    const path = text(mount, 'mountPath');
    if (name === '') to.required(`${at}.name`);
    if (!volumes.has(name)) to.notFound(`${at}.name`, name);
    if (path === '') to.required(`${at}.mountPath`);
    if (paths.has(path)) to.invalid(`${at}.mountPath`, path, 'must be unique');
    paths.add(path);
    if (devices.some((device) => text(device, 'name') === name))
      to.invalid(`${at}.name`, name, 'must not already exist in volumeDevices');
    if (devices.some((device) => text(device, 'devicePath') === path))
      to.invalid(`${at}.mountPath`, path, 'must not already exist as a path in volumeDevices');
    checkSubPaths(to, mount, at, field);
    checkPropagation(to, container, mount, field);
  });
}

/** The real server names the list, not the mount, in these paths. */
function checkSubPaths(to: FieldErrors, mount: JsonObject, at: string, field: string): void {
  const subPath = text(mount, 'subPath');
  const expression = text(mount, 'subPathExpr');
  if (subPath !== '') checkDescendingPath(to, `${field}.subPath`, subPath);
  if (expression === '') return;
  if (subPath !== '') to.invalid(`${at}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive');
  checkDescendingPath(to, `${field}.subPathExpr`, expression);
}

function checkPropagation(to: FieldErrors, container: JsonObject, mount: JsonObject, field: string): void {
  to.oneOf(mount, field, 'mountPropagation', PROPAGATIONS);
  const propagation = text(mount, 'mountPropagation');
  if (propagation === 'Bidirectional' && !flag(maybe(container, 'securityContext'), 'privileged')) {
    to.forbidden(
      `${field}.mountPropagation`,
      'Bidirectional mount propagation is available only to privileged containers',
    );
  }
  const mode = text(mount, 'recursiveReadOnly');
  to.oneOf(mount, field, 'recursiveReadOnly', READ_ONLY_MODES);
  if (mode !== 'Enabled' && mode !== 'IfPossible') return;
  if (!flag(mount, 'readOnly'))
    to.forbidden(`${field}.recursiveReadOnly`, 'may only be specified when readOnly is true');
  if (propagation !== '' && propagation !== 'None') {
    to.forbidden(`${field}.recursiveReadOnly`, 'may only be specified when mountPropagation is None or not specified');
  }
}

function checkDevices(to: FieldErrors, container: JsonObject, field: string, volumes: Volumes): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = items(container, 'volumeMounts');
  items(container, 'volumeDevices').forEach((device, index) => {
    const at = `${field}[${index}]`;
    const name = text(device, 'name');
    const path = text(device, 'devicePath');
    const volume = volumes.get(name);
    if (name === '') to.required(`${at}.name`);
    if (names.has(name)) to.invalid(`${at}.name`, name, 'must be unique');
    if (volume === undefined) to.notFound(`${at}.name`, name);
    else if (!has(volume, 'persistentVolumeClaim') && !has(volume, 'ephemeral')) {
      to.invalid(
        `${at}.name`,
        name,
        'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      );
    }
    if (path === '') to.required(`${at}.devicePath`);
    if (paths.has(path)) to.invalid(`${at}.devicePath`, path, 'must be unique');
    if (path.split('/').includes('..')) to.invalid(`${at}.devicePath`, path, "can not contain backsteps ('..')");
    else paths.add(path);
    if (mounts.some((mount) => text(mount, 'name') === name))
      to.invalid(`${at}.name`, name, 'must not already exist in volumeMounts');
    if (mounts.some((mount) => text(mount, 'mountPath') === path))
      to.invalid(`${at}.devicePath`, path, 'must not already exist as a path in volumeMounts');
    if (name !== '') names.add(name);
  });
}

function checkResizePolicy(to: FieldErrors, container: JsonObject, field: string, podRestartPolicy: string): void {
  const seen = new Set<string>();
  items(container, 'resizePolicy').forEach((policy, index) => {
    const resource = text(policy, 'resourceName');
    const restart = text(policy, 'restartPolicy');
    if (seen.has(resource)) to.duplicate(`${field}[${index}]`, resource);
    seen.add(resource);
    if (resource === '') to.required(field);
    else if (!['cpu', 'memory'].includes(resource)) to.unsupported(field, resource, ['cpu', 'memory']);
    if (restart === '') to.required(field);
    else if (!['NotRequired', 'RestartContainer'].includes(restart))
      to.unsupported(field, restart, ['NotRequired', 'RestartContainer']);
    if (podRestartPolicy === 'Never' && restart !== 'NotRequired')
      to.invalid(field, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'");
  });
}
