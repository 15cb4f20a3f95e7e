import { own, type Json, type JsonObject } from '../../../model/json/index.js';
import { flag, has, items, maybe, number, sub, text, texts } from '../../resources/index.js';
import { between } from '../validation/name-rules.js';
import { checkDescendingPath } from './volumes.js';
import type { FieldErrors } from '../validation/field-errors.js';

const MAX_ID = 2147483647;
const SECCOMP_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const SYSCTL = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

function checkIds(to: FieldErrors, context: JsonObject, field: string, ...keys: string[]): void {
  for (const key of keys) {
    const id = number(context, key);
    if (id !== undefined) to.invalidEach(`${field}.${key}`, id, between(id, 0, MAX_ID));
  }
}

export function checkPodSecurity(to: FieldErrors, spec: JsonObject, field: string): void {
  const context = maybe(spec, 'securityContext');
  const path = `${field}.securityContext`;
  if (context === undefined) return;
  checkIds(to, context, path, 'fsGroup', 'runAsUser', 'runAsGroup');
  const groups = context.supplementalGroups;
  if (Array.isArray(groups))
    groups.forEach((gid, index) =>
      to.invalidEach(`${path}.supplementalGroups[${index}]`, gid, between(Number(gid), 0, MAX_ID)),
    );
  if (flag(spec, 'shareProcessNamespace') && flag(spec, 'hostPID')) {
    to.invalid(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled');
  }
  checkSysctls(to, spec, context, `${path}.sysctls`);
  to.oneOf(context, path, 'fsGroupChangePolicy', ['Always', 'OnRootMismatch']);
  checkProfiles(to, context, path);
  to.oneOf(context, path, 'supplementalGroupsPolicy', ['Merge', 'Strict']);
  to.oneOf(context, path, 'seLinuxChangePolicy', ['MountOption', 'Recursive']);
}

function checkSysctls(to: FieldErrors, spec: JsonObject, context: JsonObject, field: string): void {
  const seen = new Set<string>();
  items(context, 'sysctls').forEach((sysctl, index) => {
    const name = text(sysctl, 'name');
    const path = `${field}[${index}].name`;
    if (name === '') to.required(path);
    else if (name.length > 253 || !new RegExp(SYSCTL).test(name))
      to.invalid(path, name, `must have at most 253 characters and match regex ${SYSCTL}`);
    else if (seen.has(name)) to.duplicate(path, name);
    const dotted = name.replaceAll('/', '.');
    if (flag(spec, 'hostNetwork') && dotted.startsWith('net.'))
      to.invalid(path, name, "may not be specified when 'hostNetwork' is true");
    else if (flag(spec, 'hostIPC') && /^(kernel\.shm|kernel\.msg|kernel\.sem$|fs\.mqueue\.)/.test(dotted)) {
      to.invalid(path, name, "may not be specified when 'hostIPC' is true");
    }
    seen.add(name);
  });
}

function checkProfiles(to: FieldErrors, context: JsonObject, field: string): void {
  checkSeccomp(to, maybe(context, 'seccompProfile'), `${field}.seccompProfile`);
  checkAppArmor(to, maybe(context, 'appArmorProfile'), `${field}.appArmorProfile`);
}

function checkSeccomp(to: FieldErrors, profile: JsonObject | undefined, field: string): void {
  if (profile === undefined) return;
  const type = text(profile, 'type');
  if (type === '') to.required(`${field}.type`, 'type is required when seccompProfile is set');
  else if (!SECCOMP_TYPES.includes(type)) to.unsupported(`${field}.type`, type, SECCOMP_TYPES);
  const local = own(profile, 'localhostProfile');
  if (type === 'Localhost') {
    if (typeof local !== 'string')
      to.required(`${field}.localhostProfile`, 'must be set when seccomp type is Localhost');
    else checkDescendingPath(to, `${field}.localhostProfile`, local);
  } else if (local !== undefined) {
    to.invalid(
      `${field}.localhostProfile`,
      { Type: type, LocalhostProfile: local },
      'can only be set when seccomp type is Localhost',
    );
  }
}

function checkAppArmor(to: FieldErrors, profile: JsonObject | undefined, field: string): void {
  if (profile === undefined) return;
  const type = text(profile, 'type');
  const local = own(profile, 'localhostProfile');
  if (type === 'Localhost') checkLocalhostProfile(to, local, `${field}.localhostProfile`);
  else if (type === 'RuntimeDefault' || type === 'Unconfined') {
    if (local !== undefined)
      to.invalid(`${field}.localhostProfile`, local, 'can only be set when AppArmor type is Localhost');
  } else if (type === '') to.required(`${field}.type`, 'type is required when appArmorProfile is set');
  else to.unsupported(`${field}.type`, type, SECCOMP_TYPES);
}

function checkLocalhostProfile(to: FieldErrors, profile: Json | undefined, field: string): void {
  if (typeof profile !== 'string') return to.required(field, 'must be set when AppArmor type is Localhost');
  if (profile.trim() !== profile) to.invalid(field, profile, 'must not be padded with whitespace');
  else if (profile === '') to.required(field, 'must be set when AppArmor type is Localhost');
  if (profile.length > 4095) to.tooLong(field, 4095);
}

export function checkContainerSecurity(
  to: FieldErrors,
  container: JsonObject,
  field: string,
  hostUsers: boolean,
): void {
  const context = maybe(container, 'securityContext');
  if (context === undefined) return;
  const path = `${field}.securityContext`;
  checkIds(to, context, path, 'runAsUser', 'runAsGroup');
  const mount = text(context, 'procMount');
  if (has(context, 'procMount') && !['Default', 'Unmasked'].includes(mount))
    to.unsupported(`${path}.procMount`, mount, ['Default', 'Unmasked']);
  if (hostUsers && mount === 'Unmasked')
    to.invalid(`${path}.procMount`, mount, '`hostUsers` must be false to use `Unmasked`');
  checkSeccomp(to, maybe(context, 'seccompProfile'), `${path}.seccompProfile`);
  if (own(context, 'allowPrivilegeEscalation') === false) {
    if (flag(context, 'privileged'))
      to.invalid(
        path,
        formatContext(context),
        'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      );
    if (texts(sub(context, 'capabilities'), 'add').includes('CAP_SYS_ADMIN')) {
      to.invalid(
        path,
        formatContext(context),
        'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
      );
    }
  }
  checkAppArmor(to, maybe(context, 'appArmorProfile'), `${path}.appArmorProfile`);
}

/** The context as Go prints the internal struct: every field, in its order, by its Go name. */
function formatContext(context: JsonObject): Json {
  const capabilities = maybe(context, 'capabilities');
  const valueAt = (key: string): Json => own(context, key) ?? null;
  return {
    Capabilities:
      capabilities === undefined
        ? null
        : { Add: own(capabilities, 'add') ?? null, Drop: own(capabilities, 'drop') ?? null },
    Privileged: valueAt('privileged'),
    SELinuxOptions: valueAt('seLinuxOptions'),
    WindowsOptions: valueAt('windowsOptions'),
    RunAsUser: valueAt('runAsUser'),
    RunAsGroup: valueAt('runAsGroup'),
    RunAsNonRoot: valueAt('runAsNonRoot'),
    ReadOnlyRootFilesystem: valueAt('readOnlyRootFilesystem'),
    AllowPrivilegeEscalation: valueAt('allowPrivilegeEscalation'),
    ProcMount: valueAt('procMount'),
    SeccompProfile: valueAt('seccompProfile'),
    AppArmorProfile: valueAt('appArmorProfile'),
  };
}
