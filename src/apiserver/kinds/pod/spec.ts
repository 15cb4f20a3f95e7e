import { own, type JsonObject } from '../../../model/json/index.js';
import { checkAddress } from '../validation/addresses.js';
import { count, flag, has, items, maybe, number, pairs, sub, text, texts } from '../../resources/index.js';
import { checkAnnotations, checkLabels } from '../validation/label-selectors.js';
import { between, dnsLabel, qualifiedName, subdomain, subdomainWithUnderscore } from '../validation/name-rules.js';
import { checkContainers, checkEphemeralContainers, checkInitContainers } from './containers.js';
import { checkResourceClaims } from './env.js';
import { checkPodLevel } from './resources.js';
import { checkAffinity, checkSpread, checkTolerations } from './scheduling.js';
import { checkPodSecurity } from './security.js';
import { checkVolumes } from './volumes.js';
import type { FieldErrors } from '../validation/field-errors.js';
import { checkResources, quantities } from '../validation/resource-lists.js';

/** The name of the pod, where it is one; a template has none yet. */
type Place = { readonly kind: 'pod'; readonly name: string } | { readonly kind: 'template' };

export function checkPodSpec(to: FieldErrors, spec: JsonObject, field: string, place: Place): void {
  const volumes = checkVolumes(to, spec, place.kind === 'pod' ? place.name : '', `${field}.volumes`);
  const claimNames = checkResourceClaims(to, spec, `${field}.resourceClaims`);
  const parts = { spec, volumes, claimNames };
  checkContainers(to, parts, `${field}.containers`);
  checkInitContainers(to, parts, `${field}.initContainers`);
  checkEphemeralContainers(to, parts, `${field}.ephemeralContainers`);
  checkPodLevel(to, spec, `${field}.resources`);
  checkHostNetwork(to, spec, field, place);
  to.oneOf(spec, field, 'restartPolicy', ['Always', 'OnFailure', 'Never'], 'required');
  to.oneOf(spec, field, 'dnsPolicy', ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'], 'required');
  checkLabels(to, spec, 'nodeSelector', `${field}.nodeSelector`);
  checkPodSecurity(to, spec, field);
  checkAffinity(to, spec, `${field}.affinity`);
  checkDns(to, spec, `${field}.dnsConfig`);
  checkGates(to, spec, field);
  checkSpread(to, spec, `${field}.topologySpreadConstraints`);
  checkHostUsers(to, spec, field);
  checkNames(to, spec, field);
}

function checkHostNetwork(to: FieldErrors, spec: JsonObject, field: string, place: Place): void {
  if (!flag(spec, 'hostNetwork')) return;
  items(spec, 'containers').forEach((container, index) =>
    items(container, 'ports').forEach((port, at) => {
      const host = count(port, 'hostPort');
      if ((place.kind === 'pod' || host !== 0) && host !== count(port, 'containerPort')) {
        to.invalid(
          `${field}.containers[${index}].ports[${at}].hostPort`,
          host,
          'must match `containerPort` when `hostNetwork` is true',
        );
      }
    }),
  );
}

function checkDns(to: FieldErrors, spec: JsonObject, field: string): void {
  const config = maybe(spec, 'dnsConfig');
  const servers = texts(config, 'nameservers');
  if (text(spec, 'dnsPolicy') === 'None') {
    if (config === undefined) return to.required(field, 'must provide `dnsConfig` when `dnsPolicy` is None');
    if (servers.length === 0)
      return to.required(`${field}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None');
  }
  if (config === undefined) return;
  if (servers.length > 3) to.invalid(`${field}.nameservers`, servers, 'must not have more than 3 nameservers');
  servers.forEach((server, index) => checkAddress(to, `${field}.nameservers[${index}]`, server));
  const searches = texts(config, 'searches');
  if (searches.length > 32) to.invalid(`${field}.searches`, searches, 'must not have more than 32 search paths');
  if (searches.join(' ').length > 2048)
    to.invalid(
      `${field}.searches`,
      searches,
      'must not have more than 2048 characters (including spaces) in the search list',
    );
  searches.forEach((search, index) => {
    const name = search.replace(/\.$/, '');
    if (search !== '.') to.invalidEach(`${field}.searches[${index}]`, name, subdomainWithUnderscore(name));
  });
  items(config, 'options').forEach((option, index) => {
    if (text(option, 'name') === '') to.required(`${field}.options[${index}]`, 'must not be empty');
  });
}

function checkGates(to: FieldErrors, spec: JsonObject, field: string): void {
  items(spec, 'readinessGates').forEach((gate, index) => {
    const type = text(gate, 'conditionType');
    to.invalidEach(`${field}.readinessGates[${index}].conditionType`, type, qualifiedName(type));
  });
  const seen = new Set<string>();
  items(spec, 'schedulingGates').forEach((gate, index) => {
    const name = text(gate, 'name');
    to.invalidEach(`${field}.schedulingGates[${index}]`, name, qualifiedName(name));
    if (seen.has(name)) to.duplicate(`${field}.schedulingGates[${index}]`, name);
    seen.add(name);
  });
}

function checkHostUsers(to: FieldErrors, spec: JsonObject, field: string): void {
  if (own(spec, 'hostUsers') !== false) return;
  for (const [key, goName] of [
    ['hostNetwork', 'hostNetwork'],
    ['hostPID', 'HostPID'],
    ['hostIPC', 'HostIPC'],
  ] as const) {
    if (flag(spec, key)) to.forbidden(`${field}.${goName}`, 'when `hostUsers` is false');
  }
}

/** Names and small numbers at the end of the list. */
function checkNames(to: FieldErrors, spec: JsonObject, field: string): void {
  const named = (key: string, rule: (value: string) => string[]): void => {
    const value = text(spec, key);
    if (value !== '') to.invalidEach(`${field}.${key}`, value, rule(value));
  };
  named('serviceAccountName', subdomain);
  named('nodeName', subdomain);
  const deadline = number(spec, 'activeDeadlineSeconds');
  if (deadline !== undefined)
    to.invalidEach(`${field}.activeDeadlineSeconds`, deadline, between(deadline, 1, 2147483647));
  named('hostname', dnsLabel);
  named('subdomain', dnsLabel);
  checkTolerations(to, spec, `${field}.tolerations`);
  items(spec, 'hostAliases').forEach((alias, index) => {
    checkAddress(to, `${field}.hostAliases[${index}].ip`, text(alias, 'ip'));
    texts(alias, 'hostnames').forEach((name, at) =>
      to.invalidEach(`${field}.hostAliases[${index}].hostnames[${at}]`, name, subdomain(name)),
    );
  });
  named('priorityClassName', subdomain);
  if (has(spec, 'runtimeClassName'))
    to.invalidEach(
      `${field}.runtimeClassName`,
      text(spec, 'runtimeClassName'),
      subdomain(text(spec, 'runtimeClassName')),
    );
  to.oneOf(
    spec,
    field,
    'preemptionPolicy',
    ['PreemptLowerPriority', 'Never'],
    has(spec, 'preemptionPolicy') ? 'required' : 'optional',
  );
  if (quantities(spec, 'overhead').length > 0)
    checkResources(to, { limits: sub(spec, 'overhead') }, `${field}.overhead`, new Set());
  checkOs(to, spec, `${field}.os`);
}

function checkOs(to: FieldErrors, spec: JsonObject, field: string): void {
  const os = maybe(spec, 'os');
  if (os === undefined) return;
  const name = text(os, 'name');
  if (name === '') to.required(`${field}.name`);
  else if (!['linux', 'windows'].includes(name)) to.unsupported(field, name, ['linux', 'windows']);
  else checkOsFields(to, spec, field.replace(/\.os$/, ''), name);
}

/** Fields that mean nothing on the other system. */
const NOT_ON_WINDOWS = {
  pod: ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace'],
  podContext: [
    'appArmorProfile',
    'seLinuxOptions',
    'seccompProfile',
    'fsGroup',
    'fsGroupChangePolicy',
    'sysctls',
    'runAsUser',
    'runAsGroup',
    'supplementalGroups',
    'supplementalGroupsPolicy',
    'seLinuxChangePolicy',
  ],
  context: [
    'appArmorProfile',
    'seLinuxOptions',
    'seccompProfile',
    'capabilities',
    'readOnlyRootFilesystem',
    'privileged',
    'allowPrivilegeEscalation',
    'procMount',
    'runAsUser',
    'runAsGroup',
  ],
} as const;

function checkOsFields(to: FieldErrors, spec: JsonObject, field: string, os: string): void {
  const forbid = (holder: JsonObject, path: string, windows: readonly string[]): void => {
    const keys = os === 'windows' ? windows : ['windowsOptions'];
    const why = os === 'windows' ? 'cannot be set for a windows pod' : 'windows options cannot be set for a linux pod';
    for (const key of keys) if (has(holder, key)) to.forbidden(`${path}.${key}`, why);
  };
  if (os === 'windows') forbid(spec, field, NOT_ON_WINDOWS.pod);
  forbid(sub(spec, 'securityContext'), `${field}.securityContext`, NOT_ON_WINDOWS.podContext);
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    items(spec, list).forEach((container, index) =>
      forbid(sub(container, 'securityContext'), `${field}.${list}[${index}].securityContext`, NOT_ON_WINDOWS.context),
    );
  }
}

/** Annotations that the server itself reads. */
export function checkPodAnnotations(to: FieldErrors, metadata: JsonObject, spec: JsonObject, field: string): void {
  const annotations = new Map(pairs(metadata, 'annotations'));
  const mirror = annotations.get('kubernetes.io/config.mirror');
  if (mirror !== undefined && text(spec, 'nodeName') === '') {
    to.invalid(
      `${field}[kubernetes.io/config.mirror]`,
      mirror,
      'must set spec.nodeName if mirror pod annotation is set',
    );
  }
  const cost = annotations.get('controller.kubernetes.io/pod-deletion-cost');
  if (cost !== undefined && !/^(0|-?[1-9]\d*|[1-9]\d*)$/.test(cost)) {
    to.invalid(`${field}[controller.kubernetes.io/pod-deletion-cost]`, cost, 'must be a 32bit integer');
  }
}

/** The template of a workload. */
export function checkPodTemplate(to: FieldErrors, template: JsonObject, field: string): void {
  const metadata = sub(template, 'metadata');
  const spec = sub(template, 'spec');
  checkLabels(to, metadata, 'labels', `${field}.labels`);
  checkAnnotations(to, metadata, `${field}.annotations`);
  checkPodAnnotations(to, metadata, spec, `${field}.annotations`);
  checkPodSpec(to, spec, `${field}.spec`, { kind: 'template' });
  if (items(spec, 'ephemeralContainers').length > 0)
    to.forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template');
}
