import { clone } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { checkCidr, familyOf } from '../validation/addresses.js';
import {
  AGE,
  column,
  NAME,
  wide,
  flag,
  has,
  items,
  maybe,
  pairs,
  sub,
  text,
  texts,
  keepStatus,
  kind,
} from '../../resources/index.js';
import { labelValue, qualifiedName } from '../validation/name-rules.js';
import { TAINT_EFFECTS } from '../pod/scheduling.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import { checkQuantity, quantities } from '../validation/resource-lists.js';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const KEEP_MESSAGE = 'except from "" to valid';
const info =
  (key: string) =>
  (node: KubeObject): string =>
    text(maybe(node, 'status.nodeInfo'), key);

export const NODE = kind({
  columns: [
    NAME,
    column('Status', statusText),
    column('Roles', (node) => roles(node).join(',') || '<none>'),
    AGE,
    column('Version', info('kubeletVersion')),
    wide('Internal-IP', (node) => address(node, 'InternalIP')),
    wide('External-IP', (node) => address(node, 'ExternalIP')),
    wide('OS-Image', (node) => info('osImage')(node) || '<unknown>'),
    wide('Kernel-Version', (node) => info('kernelVersion')(node) || '<unknown>'),
    wide('Container-Runtime', (node) => info('containerRuntimeVersion')(node) || '<unknown>'),
  ],
  fields: { 'spec.unschedulable': 'false' },
  strategy: {
    /** A kubelet registers with its status, so create keeps it. */
    defaults(node) {
      const status = maybe(node, 'status');
      if (status !== undefined && has(status, 'capacity') && !has(status, 'allocatable'))
        status.allocatable = clone(status.capacity);
      alignPodCidrs(node);
    },
    prepareUpdate: keepStatus,
    validate: (node) =>
      collectFieldErrors((to) => {
        checkTaints(to, node);
        checkAmounts(to, node);
        checkPodCidrs(to, node);
      }),
    validateUpdate: (next, previous) => collectFieldErrors((to) => checkUpdate(to, next, previous)),
    validateStatusUpdate: (next, previous) => collectFieldErrors((to) => checkUpdate(to, next, previous)),
  },
});

function statusText(node: KubeObject): string {
  const ready = items(maybe(node, 'status'), 'conditions').findLast((condition) => text(condition, 'type') === 'Ready');
  const readiness = text(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  const first = ready === undefined ? 'Unknown' : readiness;
  return flag(maybe(node, 'spec'), 'unschedulable') ? `${first},SchedulingDisabled` : first;
}

function roles(node: KubeObject): string[] {
  const found = pairs(node.metadata, 'labels').flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)];
    return key === 'kubernetes.io/role' ? [value] : [];
  });
  return [...new Set(found.filter((role) => role !== ''))].sort();
}

function address(node: KubeObject, type: string): string {
  return (
    text(
      items(maybe(node, 'status'), 'addresses').find((entry) => text(entry, 'type') === type),
      'address',
    ) || '<none>'
  );
}

/** `podCIDR` is the first of `podCIDRs`. */
function alignPodCidrs(node: KubeObject): void {
  const spec = maybe(node, 'spec');
  if (spec === undefined) return;
  const single = text(spec, 'podCIDR');
  const first = texts(spec, 'podCIDRs')[0];
  if (single !== '' && first !== single) spec.podCIDRs = [single];
  else if (single === '' && first !== undefined) spec.podCIDR = first;
}

/** The real server names taints by a path under metadata. */
function checkTaints(to: FieldErrors, node: KubeObject): void {
  const seen = new Set<string>();
  items(maybe(node, 'spec'), 'taints').forEach((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const [key, value, effect] = [text(taint, 'key'), text(taint, 'value'), text(taint, 'effect')];
    to.invalidEach(`${field}.key`, key, qualifiedName(key));
    const complaints = labelValue(value);
    if (complaints.length > 0) to.invalid(`${field}.value`, value, complaints.join(';'));
    to.oneOf(taint, field, 'effect', TAINT_EFFECTS, 'required');
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) {
      to.duplicate(field, { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null });
      const last = to.errors.pop();
      if (last !== undefined)
        to.errors.push({ ...last, detail: `${last.detail}: taints must be unique by key and effect pair` });
    }
    seen.add(pair);
  });
}

function checkAmounts(to: FieldErrors, node: KubeObject): void {
  for (const list of ['capacity', 'allocatable']) {
    for (const [name, quantity] of quantities(node, `status.${list}`))
      checkQuantity(to, name, quantity, `status.${list}.${name}`);
  }
}

function checkPodCidrs(to: FieldErrors, node: KubeObject): void {
  const cidrs = texts(maybe(node, 'spec'), 'podCIDRs');
  cidrs.forEach((cidr, index) => checkCidr(to, `spec.podCIDRs[${index}]`, cidr));
  const families = new Set(cidrs.map((cidr) => familyOf(cidr.split('/')[0] ?? '')));
  if (cidrs.length > 1 && (families.size < 2 || cidrs.length > 2))
    to.invalid('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family');
}

function checkUpdate(to: FieldErrors, next: KubeObject, previous: KubeObject): void {
  checkAmounts(to, next);
  const seen = new Set<string>();
  items(maybe(next, 'status'), 'addresses').forEach((entry, index) => {
    const [type, value] = [text(entry, 'type'), text(entry, 'address')];
    if (seen.has(`${type}/${value}`)) to.duplicate(`status.addresses[${index}]`, { Type: type, Address: value });
    seen.add(`${type}/${value}`);
  });
  const [now, before] = [sub(next, 'spec'), sub(previous, 'spec')];
  const [nowCidrs, oldCidrs] = [texts(now, 'podCIDRs'), texts(before, 'podCIDRs')];
  if (
    oldCidrs.length > 0 &&
    (nowCidrs.length !== oldCidrs.length || oldCidrs.some((cidr, index) => cidr !== nowCidrs[index]))
  ) {
    to.forbidden('spec.podCIDRs', `node updates may not change podCIDR ${KEEP_MESSAGE}`);
  }
  if (text(before, 'providerID') !== '' && text(before, 'providerID') !== text(now, 'providerID')) {
    to.forbidden('spec.providerID', `node updates may not change providerID ${KEEP_MESSAGE}`);
  }
  checkTaints(to, next);
}
