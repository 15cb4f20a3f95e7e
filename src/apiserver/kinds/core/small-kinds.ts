import { equal, isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { splitApiVersion, type KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  count,
  fill,
  flag,
  has,
  items,
  maybe,
  number,
  sub,
  text,
  texts,
  clearStatus,
  keepMetadata,
  keepStatus,
  kind,
} from '../../resources/index.js';
import { checkAddress, isCidr, familyOf } from '../validation/addresses.js';
import { checkLabels } from '../validation/label-selectors.js';
import { dnsLabel, dnsLabel1035, pathSegment, portNumber, subdomain } from '../validation/name-rules.js';
import { checkTolerations } from '../pod/scheduling.js';
import { IMMUTABLE, collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import { checkResources } from '../validation/resource-lists.js';

const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  'system-node-critical': 2000001000,
  'system-cluster-critical': 2000000000,
};

export const PRIORITY_CLASS = kind({
  columns: [
    NAME,
    column('Value', (object) => count(object, 'value'), 'integer'),
    column('Global-Default', (object) => flag(object, 'globalDefault'), 'boolean'),
    AGE,
    column('PreemptionPolicy', (object) => text(object, 'preemptionPolicy')),
  ],
  strategy: {
    generation: true,
    defaults: (object) => fill(object, { preemptionPolicy: 'PreemptLowerPriority' }),
    validate: (object) => collectFieldErrors((to) => checkPriority(to, object)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        if (count(next, 'value') !== count(previous, 'value'))
          to.forbidden('value', 'may not be changed in an update.');
        const policy = text(next, 'preemptionPolicy');
        if (policy !== text(previous, 'preemptionPolicy')) to.invalid('preemptionPolicy', policy, IMMUTABLE);
      }),
  },
});

function checkPriority(to: FieldErrors, object: KubeObject): void {
  const name = object.metadata.name ?? '';
  const value = count(object, 'value');
  if (name.startsWith('system-')) {
    const expected = Object.hasOwn(SYSTEM_CLASSES, name) ? SYSTEM_CLASSES[name] : undefined;
    const reserved = "priority class names with 'system-' prefix are reserved for system use only. error:";
    if (expected === undefined)
      to.forbidden('metadata.name', `${reserved} ${name} is not a known system priority class`);
    else if (expected !== value)
      to.forbidden('metadata.name', `${reserved} value of ${name} PriorityClass must be ${expected}`);
    else if (flag(object, 'globalDefault'))
      to.forbidden('metadata.name', `${reserved} globalDefault of ${name} PriorityClass must be false`);
  } else if (value > 1000000000)
    to.forbidden('value', 'maximum allowed value of a user defined priority is 1000000000');
  const policy = text(object, 'preemptionPolicy');
  if (!['PreemptLowerPriority', 'Never'].includes(policy))
    to.unsupported('preemptionPolicy', policy, ['PreemptLowerPriority', 'Never']);
}

export const RUNTIME_CLASS = kind({
  columns: [NAME, column('Handler', (object) => text(object, 'handler')), AGE],
  strategy: {
    validate: (object) =>
      collectFieldErrors((to) => {
        to.invalidEach('handler', text(object, 'handler'), dnsLabel(text(object, 'handler')));
        const overhead = maybe(object, 'overhead');
        if (overhead !== undefined) checkResources(to, { limits: own(overhead, 'podFixed') }, 'overhead', new Set());
        const scheduling = maybe(object, 'scheduling');
        if (scheduling === undefined) return;
        checkLabels(to, scheduling, 'nodeSelector', 'scheduling.nodeSelector');
        checkTolerations(to, scheduling, 'scheduling.tolerations.tolerations');
      }),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        if (text(next, 'handler') !== text(previous, 'handler'))
          to.invalid('handler', text(next, 'handler'), IMMUTABLE);
      }),
  },
});

export const LEASE = kind({
  columns: [NAME, column('Holder', (object) => text(maybe(object, 'spec'), 'holderIdentity')), AGE],
  strategy: {
    validate: (object) => collectFieldErrors((to) => checkLease(to, sub(object, 'spec'))),
    validateUpdate: (next) => collectFieldErrors((to) => checkLease(to, sub(next, 'spec'))),
  },
});

function checkLease(to: FieldErrors, spec: JsonObject): void {
  const duration = number(spec, 'leaseDurationSeconds');
  if (duration !== undefined && duration <= 0)
    to.invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0');
  to.nonNegative(spec, 'spec', 'leaseTransitions');
  if (text(spec, 'preferredHolder') !== '' && text(spec, 'strategy') === '')
    to.forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined');
}

export const CONTROLLER_REVISION = kind({
  columns: [
    NAME,
    column('Controller', (object) => {
      const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
      if (owner === undefined) return '<none>';
      const { group } = splitApiVersion(owner.apiVersion);
      return `${(group === '' ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`;
    }),
    column('Revision', (object) => count(object, 'revision')),
    AGE,
  ],
  strategy: {
    validate: (object) =>
      collectFieldErrors((to) => {
        checkRevision(to, object);
        const data = own(object, 'data');
        if (data === undefined || data === null) to.required('data', 'data is mandatory');
        else if (!isObject(data)) to.required('data', 'data must be a valid JSON object');
      }),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkRevision(to, next);
        if (!equal(own(next, 'data'), own(previous, 'data'))) to.invalid('data', own(next, 'data') ?? null, IMMUTABLE);
      }),
  },
});

function checkRevision(to: FieldErrors, object: KubeObject): void {
  const revision = count(object, 'revision');
  if (revision < 0) to.invalid('revision', revision, 'must be greater than or equal to 0');
}

export const IP_ADDRESS = kind({
  columns: [
    NAME,
    column('ParentRef', (object) => {
      const parent = maybe(object, 'spec.parentRef');
      if (parent === undefined) return '<none>';
      const [group, resource, namespace] = [text(parent, 'group'), text(parent, 'resource'), text(parent, 'namespace')];
      return [
        (group === '' ? resource : `${resource}.${group}`).toLowerCase(),
        ...(namespace === '' ? [] : [namespace]),
        text(parent, 'name'),
      ].join('/');
    }),
  ],
  strategy: {
    nameRule: 'path',
    validate: (object) =>
      collectFieldErrors((to) => {
        checkAddress(to, 'metadata.name', object.metadata.name ?? '');
        const parent = maybe(object, 'spec.parentRef');
        if (parent === undefined) return to.required('spec.parentRef');
        const group = text(parent, 'group');
        if (group !== '') to.invalidEach('spec.parentRef.group', group, subdomain(group));
        for (const key of ['resource', 'name']) {
          const value = text(parent, key);
          if (value === '') to.required(`spec.parentRef.${key}`);
          else to.invalidEach(`spec.parentRef.${key}`, value, pathSegment(value));
        }
      }),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        const parent = own(sub(next, 'spec'), 'parentRef');
        if (!equal(parent, own(sub(previous, 'spec'), 'parentRef')))
          to.invalid('spec.parentRef', formatParent(parent), IMMUTABLE);
      }),
  },
});

function formatParent(parent: Json | undefined): Json {
  if (!isObject(parent)) return null;
  return {
    Group: text(parent, 'group'),
    Resource: text(parent, 'resource'),
    Namespace: text(parent, 'namespace'),
    Name: text(parent, 'name'),
  };
}

export const SERVICE_CIDR = kind({
  columns: [NAME, column('CIDRs', (object) => texts(maybe(object, 'spec'), 'cidrs').join(',')), AGE],
  strategy: {
    prepareCreate: clearStatus,
    prepareUpdate: keepStatus,
    prepareStatusUpdate: keepMetadata,
    validate: (object) => collectFieldErrors((to) => checkServiceCidrs(to, texts(maybe(object, 'spec'), 'cidrs'))),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        const [now, before] = [texts(maybe(next, 'spec'), 'cidrs'), texts(maybe(previous, 'spec'), 'cidrs')];
        if (now.length !== before.length && !(before.length === 1 && now.length === 2))
          return to.invalid('spec.cidrs', own(sub(next, 'spec'), 'cidrs') ?? null, IMMUTABLE);
        before.forEach((cidr, index) => {
          if (cidr !== now[index]) to.invalid(`spec.cidrs[${index}]`, now[index], IMMUTABLE);
        });
        if (now.length > before.length) checkServiceCidrs(to, now);
      }),
  },
});

function checkServiceCidrs(to: FieldErrors, cidrs: readonly string[]): void {
  if (cidrs.length === 0) return to.required('spec.cidrs', 'at least one CIDR required');
  if (cidrs.length > 2) return to.invalid('spec.cidrs', { CIDRs: [...cidrs] }, 'may only hold up to 2 values');
  cidrs.forEach((cidr, index) => {
    if (!isCidr(cidr))
      to.invalid(`spec.cidrs[${index}]`, cidr, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)');
  });
  const families = cidrs.map((cidr) => familyOf(cidr.split('/')[0] ?? ''));
  if (cidrs.length === 2 && families[0] === families[1]) {
    to.invalid(
      'spec.cidrs',
      [...cidrs],
      'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    );
  }
}

export const API_SERVICE = kind({
  columns: [
    NAME,
    column('Service', (object) => {
      const service = maybe(object, 'spec.service');
      return service === undefined ? 'Local' : `${text(service, 'namespace')}/${text(service, 'name')}`;
    }),
    column('Available', (object) => {
      const condition = items(maybe(object, 'status'), 'conditions').find(
        (entry) => text(entry, 'type') === 'Available',
      );
      if (condition === undefined) return 'Unknown';
      const status = text(condition, 'status');
      const reason = text(condition, 'reason');
      return status === 'True' || reason === '' ? status : `${status} (${reason})`;
    }),
    AGE,
  ],
  strategy: {
    defaults(object) {
      const service = maybe(object, 'spec.service');
      if (service !== undefined) fill(service, { port: 443 });
    },
    prepareCreate: clearStatus,
    prepareUpdate: keepStatus,
    validate: (object) => collectFieldErrors((to) => checkApiService(to, object)),
    validateUpdate: (next) => collectFieldErrors((to) => checkApiService(to, next)),
  },
});

function checkApiService(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  const [group, version] = [text(spec, 'group'), text(spec, 'version')];
  const expected = `${version}.${group}`;
  if (object.metadata.name !== expected)
    to.invalid(
      'metadata.name',
      object.metadata.name,
      `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expected)}`,
    );
  if (group !== '') to.invalidEach('spec.group', group, subdomain(group));
  else if (version !== 'v1') to.required('spec.group', 'only v1 may have an empty group and it better be legacy kube');
  to.invalidEach('spec.version', version, dnsLabel1035(version));
  const [minimum, priority] = [count(spec, 'groupPriorityMinimum'), count(spec, 'versionPriority')];
  if (minimum <= 0 || minimum > 20000)
    to.invalid('spec.groupPriorityMinimum', minimum, 'must be positive and less than 20000');
  if (priority <= 0 || priority > 1000)
    to.invalid('spec.versionPriority', priority, 'must be positive and less than 1000');
  const service = maybe(spec, 'service');
  if (service === undefined) {
    if (has(spec, 'caBundle'))
      to.invalid(
        'spec.caBundle',
        `${Buffer.byteLength(text(spec, 'caBundle'), 'base64')} bytes`,
        'local APIServices may not have a caBundle',
      );
    if (flag(spec, 'insecureSkipTLSVerify'))
      to.invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify');
    return;
  }
  to.needs(service, 'spec.service', 'namespace', 'name');
  const complaints = portNumber(count(service, 'port'));
  if (complaints.length > 0)
    to.invalid('spec.service.port', count(service, 'port'), `port is not valid: ${complaints.join(', ')}`);
  if (flag(spec, 'insecureSkipTLSVerify') && has(spec, 'caBundle'))
    to.invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present');
}
