import { own, type JsonObject } from '../../../model/json/index.js';
import { count, flag, has, items, maybe, pairs, text, texts } from '../../resources/index.js';
import {
  containersOf,
  containersText,
  contextOf,
  namesOf,
  plural,
  quoted,
  settersText,
  unique,
  type Check,
} from './check.js';
import { seccompBaseline } from './seccomp.js';

const CAPABILITIES = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];
const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
/** Sysctl -> the first minor version in which it counts as safe. */
const SYSCTLS: ReadonlyMap<string, number> = new Map([
  ...[
    'kernel.shm_rmid_forced',
    'net.ipv4.ip_local_port_range',
    'net.ipv4.tcp_syncookies',
    'net.ipv4.ping_group_range',
    'net.ipv4.ip_unprivileged_port_start',
  ].map((name) => [name, 0] as const),
  ['net.ipv4.ip_local_reserved_ports', 27],
  ...[
    'net.ipv4.tcp_keepalive_time',
    'net.ipv4.tcp_fin_timeout',
    'net.ipv4.tcp_keepalive_intvl',
    'net.ipv4.tcp_keepalive_probes',
  ].map((name) => [name, 29] as const),
  ...['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'].map((name) => [name, 32] as const),
]);
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';

const appArmor: Check = {
  id: 'appArmorProfile',
  since: 0,
  test({ metadata, spec }) {
    const type = (holder: JsonObject): string | undefined =>
      maybe(holder, 'securityContext.appArmorProfile')
        ? text(maybe(holder, 'securityContext.appArmorProfile'), 'type')
        : undefined;
    const isBad = (holder: JsonObject): boolean => !['RuntimeDefault', 'Localhost', undefined].includes(type(holder));
    const containers = containersOf(spec).filter(isBad);
    const annotations = pairs(metadata, 'annotations').filter(
      ([key, value]) =>
        key.startsWith(APPARMOR) && !(value === '' || value === 'runtime/default' || value.startsWith('localhost/')),
    );
    const values = [
      ...unique([spec, ...containersOf(spec)].filter(isBad).map((holder) => type(holder) ?? '')),
      ...annotations.map(([key, value]) => `${key}=${JSON.stringify(value)}`).sort(),
    ];
    const setters = [
      ...(settersText(isBad(spec), containers) === '' ? [] : [settersText(isBad(spec), containers)]),
      ...(annotations.length > 0 ? [plural('annotation', annotations.length)] : []),
    ];
    if (setters.length === 0) return undefined;
    return {
      reason: plural('forbidden AppArmor profile', values.length),
      detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
    };
  },
};

const capabilities: Check = {
  id: 'capabilities_baseline',
  since: 0,
  test({ spec }) {
    const added = (container: JsonObject): string[] =>
      texts(maybe(container, 'securityContext.capabilities'), 'add').filter((name) => !CAPABILITIES.includes(name));
    const bad = containersOf(spec).filter((container) => added(container).length > 0);
    if (bad.length === 0) return undefined;
    return {
      reason: 'non-default capabilities',
      detail:
        `${containersText(bad)} must not include ${quoted(unique(bad.flatMap(added)))} in ` +
        'securityContext.capabilities.add',
    };
  },
};

const hostNamespaces: Check = {
  id: 'hostNamespaces',
  since: 0,
  test({ spec }) {
    const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => flag(spec, name)).map((name) => `${name}=true`);
    return used.length === 0 ? undefined : { reason: 'host namespaces', detail: used.join(', ') };
  },
};

const hostPathVolumes: Check = {
  id: 'hostPathVolumes',
  since: 0,
  test({ spec }) {
    const volumes = items(spec, 'volumes').filter((volume) => has(volume, 'hostPath'));
    return volumes.length === 0
      ? undefined
      : { reason: 'hostPath volumes', detail: `${plural('volume', volumes.length)} ${quoted(namesOf(volumes))}` };
  },
};

const hostPorts: Check = {
  id: 'hostPorts',
  since: 0,
  test({ spec }) {
    const ports = (container: JsonObject): string[] =>
      items(container, 'ports')
        .map((port) => count(port, 'hostPort'))
        .filter((port) => port !== 0)
        .map(String);
    const bad = containersOf(spec).filter((container) => ports(container).length > 0);
    if (bad.length === 0) return undefined;
    const used = unique(bad.flatMap(ports));
    const verb = bad.length === 1 ? 'uses' : 'use';
    return {
      reason: 'hostPort',
      detail: `${containersText(bad)} ${verb} ${plural('hostPort', used.length)} ${used.join(', ')}`,
    };
  },
};

const hostProbes: Check = {
  id: 'hostProbesAndHostLifecycle',
  since: 34,
  test({ spec }) {
    const hosts = (container: JsonObject): string[] =>
      ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle.postStart', 'lifecycle.preStop']
        .flatMap((path) => ['httpGet', 'tcpSocket'].map((kind) => text(maybe(container, `${path}.${kind}`), 'host')))
        .filter((host) => host !== '');
    const bad = containersOf(spec).filter((container) => hosts(container).length > 0);
    if (bad.length === 0) return undefined;
    const names = unique(namesOf(bad));
    const used = unique(bad.flatMap(hosts));
    return {
      reason: 'probe or lifecycle host',
      detail:
        `${plural('container', names.length)} ${quoted(names)} ${names.length === 1 ? 'uses' : 'use'} ` +
        `${plural('probe or lifecycle host', used.length)} ${quoted(used)}`,
    };
  },
};

const privileged: Check = {
  id: 'privileged',
  since: 0,
  test({ spec }) {
    const bad = containersOf(spec).filter((container) => flag(contextOf(container), 'privileged'));
    return bad.length === 0
      ? undefined
      : { reason: 'privileged', detail: `${containersText(bad)} must not set securityContext.privileged=true` };
  },
};

const procMount: Check = {
  id: 'procMount',
  since: 0,
  test({ spec }) {
    const bad = containersOf(spec).filter(
      (container) => !['', 'Default'].includes(text(contextOf(container), 'procMount')),
    );
    if (bad.length === 0) return undefined;
    const mounts = quoted(unique(bad.map((container) => text(contextOf(container), 'procMount'))));
    return {
      reason: 'procMount',
      detail: `${containersText(bad)} must not set securityContext.procMount to ${mounts}`,
    };
  },
};

const seLinuxOptions: Check = {
  id: 'seLinuxOptions',
  since: 0,
  test({ spec }, minor) {
    const types = minor >= 31 ? [...SELINUX_TYPES, 'container_engine_t'] : SELINUX_TYPES;
    const options = (holder: JsonObject): JsonObject => maybe(holder, 'securityContext.seLinuxOptions') ?? {};
    const isBad = (holder: JsonObject): boolean =>
      !types.includes(text(options(holder), 'type')) ||
      text(options(holder), 'user') !== '' ||
      text(options(holder), 'role') !== '';
    const bad = [spec, ...containersOf(spec)].filter(isBad);
    if (bad.length === 0) return undefined;
    const wrong = unique(bad.map((holder) => text(options(holder), 'type')).filter((type) => !types.includes(type)));
    const data = [
      ...(wrong.length > 0 ? [`${plural('type', wrong.length)} ${quoted(wrong)}`] : []),
      ...['user', 'role']
        .filter((field) => bad.some((holder) => text(options(holder), field) !== ''))
        .map((field) => `${field} may not be set`),
    ];
    return {
      reason: 'seLinuxOptions',
      detail:
        `${settersText(isBad(spec), containersOf(spec).filter(isBad))} set forbidden ` +
        `securityContext.seLinuxOptions: ${data.join('; ')}`,
    };
  },
};

const sysctls: Check = {
  id: 'sysctls',
  since: 0,
  test({ spec }, minor) {
    const bad = items(contextOf(spec), 'sysctls')
      .map((sysctl) => text(sysctl, 'name'))
      .filter((name) => (SYSCTLS.get(name) ?? Infinity) > minor);
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  },
};

const windowsHostProcess: Check = {
  id: 'windowsHostProcess',
  since: 0,
  test({ spec }) {
    const isBad = (holder: JsonObject): boolean =>
      own(maybe(holder, 'securityContext.windowsOptions') ?? {}, 'hostProcess') === true;
    const setters = settersText(isBad(spec), containersOf(spec).filter(isBad));
    return setters === ''
      ? undefined
      : { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
  },
};

/** In the order in which violations are reported. */
export const BASELINE: readonly Check[] = [
  appArmor,
  capabilities,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  privileged,
  procMount,
  seLinuxOptions,
  seccompBaseline,
  sysctls,
  windowsHostProcess,
];
