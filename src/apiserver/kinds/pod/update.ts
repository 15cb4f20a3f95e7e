import { clone, equal, own, put, type JsonObject } from '../../../model/json/index.js';
import { has, items, maybe, number, pairs, sub, text } from '../../resources/index.js';
import { between } from '../validation/name-rules.js';
import { checkTolerations } from './scheduling.js';
import type { FieldErrors } from '../validation/field-errors.js';
import { structDiff } from '../validation/struct-diff.js';

const CHANGEABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** What may change in a pod: images, a shorter deadline, more tolerations, fewer gates. */
export function checkPodUpdate(to: FieldErrors, next: JsonObject, previous: JsonObject): void {
  const spec = sub(next, 'spec');
  const old = sub(previous, 'spec');
  checkAnnotationUpdate(to, sub(next, 'metadata'), sub(previous, 'metadata'));
  for (const list of ['containers', 'initContainers']) if (!sameContainers(to, spec, old, list)) return;
  if (!checkDeadline(to, spec, old)) return;
  checkAddedTolerations(to, spec, old);
  checkRemovedGates(to, spec, old);
  if (equal(spec, old)) return;
  const munged = withoutAllowedChanges(to, spec, old);
  if (!equal(munged, old)) {
    to.forbidden(
      'spec',
      `pod updates may not change fields other than ${CHANGEABLE}\n${structDiff(old, munged, 'core.PodSpec')}`,
    );
  }
}

function checkAnnotationUpdate(to: FieldErrors, next: JsonObject, previous: JsonObject): void {
  const mirror = 'kubernetes.io/config.mirror';
  const [now, before] = [
    new Map(pairs(next, 'annotations')).get(mirror),
    new Map(pairs(previous, 'annotations')).get(mirror),
  ];
  if (now === before) return;
  to.forbidden(
    `metadata.annotations[${mirror}]`,
    before === undefined ? 'may not add mirror pod annotation' : 'may not remove or update mirror pod annotation',
  );
}

function sameContainers(to: FieldErrors, spec: JsonObject, old: JsonObject, list: string): boolean {
  const containers = items(spec, list);
  if (containers.length !== items(old, list).length) {
    to.forbidden(`spec.${list}`, 'pod updates may not add or remove containers');
    return false;
  }
  containers.forEach((container, index) => {
    const image = text(container, 'image');
    if (image === '') to.required(`spec.${list}[${index}].image`);
    if (image.trim() !== image)
      to.invalid(`spec.${list}[${index}].image`, image, 'must not have leading or trailing whitespace');
  });
  return true;
}

function checkDeadline(to: FieldErrors, spec: JsonObject, old: JsonObject): boolean {
  const [now, before] = [number(spec, 'activeDeadlineSeconds'), number(old, 'activeDeadlineSeconds')];
  const field = 'spec.activeDeadlineSeconds';
  if (now === undefined) {
    if (before !== undefined) to.invalid(field, null, 'must not update from a positive integer to nil value');
    return true;
  }
  const complaints = between(now, 0, 2147483647);
  if (complaints.length === 0 && before !== undefined && before < now)
    complaints.push('must be less than or equal to previous value');
  to.invalidEach(field, now, complaints);
  return complaints.length === 0;
}

function checkAddedTolerations(to: FieldErrors, spec: JsonObject, old: JsonObject): void {
  const bare = (toleration: JsonObject): JsonObject => ({ ...toleration, tolerationSeconds: undefined });
  const now = items(spec, 'tolerations').map(bare);
  const kept = items(old, 'tolerations').every((toleration) => now.some((other) => equal(other, bare(toleration))));
  if (!kept)
    return to.forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds');
  checkTolerations(to, spec, 'spec.tolerations');
}

function checkRemovedGates(to: FieldErrors, spec: JsonObject, old: JsonObject): void {
  const before = items(old, 'schedulingGates').map((gate) => text(gate, 'name'));
  items(spec, 'schedulingGates').forEach((gate, index) => {
    const name = text(gate, 'name');
    if (!before.includes(name))
      to.forbidden(
        `spec.schedulingGates[${index}].name`,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      );
  });
}

/** The new spec with every permitted change undone; what then differs is forbidden. */
function withoutAllowedChanges(to: FieldErrors, spec: JsonObject, old: JsonObject): JsonObject {
  const munged = clone(spec);
  for (const list of ['containers', 'initContainers']) {
    items(munged, list).forEach((container, index) =>
      put(container, 'image', own(items(old, list)[index] ?? {}, 'image')),
    );
  }
  for (const key of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) put(munged, key, own(old, key));
  if (
    (number(old, 'terminationGracePeriodSeconds') ?? 0) < 0 &&
    number(munged, 'terminationGracePeriodSeconds') === 1
  ) {
    munged.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  }
  if (items(old, 'schedulingGates').length > 0) undoGatedChanges(to, munged, old);
  return munged;
}

/** A gated pod has not been scheduled: its node selector may still grow. */
function undoGatedChanges(to: FieldErrors, munged: JsonObject, old: JsonObject): void {
  const now = new Map(pairs(munged, 'nodeSelector'));
  if (pairs(old, 'nodeSelector').some(([key, value]) => now.get(key) !== value)) {
    to.invalid(
      'spec.nodeSelector',
      munged.nodeSelector ?? null,
      'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    );
  }
  munged.nodeSelector = old.nodeSelector;
  const affinity = maybe(munged, 'affinity');
  const oldNode = own(sub(old, 'affinity'), 'nodeAffinity');
  if (
    affinity !== undefined &&
    !has(old, 'affinity') &&
    !has(affinity, 'podAffinity') &&
    !has(affinity, 'podAntiAffinity')
  )
    munged.affinity = undefined;
  else if (affinity !== undefined) affinity.nodeAffinity = oldNode;
  else if (oldNode !== undefined) munged.affinity = { nodeAffinity: oldNode };
}

/** Debug containers may be added; those that are there stay as they are. */
export function checkEphemeralUpdate(to: FieldErrors, spec: JsonObject, old: JsonObject): void {
  const now = new Map(items(spec, 'ephemeralContainers').map((container) => [text(container, 'name'), container]));
  for (const before of items(old, 'ephemeralContainers')) {
    const name = JSON.stringify(text(before, 'name'));
    const after = now.get(text(before, 'name'));
    if (after === undefined)
      to.forbidden('spec.ephemeralContainers', `existing ephemeral containers ${name} may not be removed\n`);
    else if (!equal(after, before)) {
      const diff = structDiff(before, after, 'core.EphemeralContainer');
      to.forbidden('spec.ephemeralContainers', `existing ephemeral containers ${name} may not be changed\n${diff}`);
    }
  }
}

/** A running pod may get more or less cpu and memory, nothing else. */
export function checkResize(to: FieldErrors, spec: JsonObject, old: JsonObject): void {
  const bare = (container: JsonObject): JsonObject => {
    const copy = clone(container);
    for (const list of ['resources.limits', 'resources.requests'])
      for (const name of ['cpu', 'memory']) put(sub(copy, list), name, undefined);
    return { ...copy, resizePolicy: undefined };
  };
  const rest = (from: JsonObject): JsonObject => ({
    ...from,
    containers: items(from, 'containers').map(bare),
    initContainers: items(from, 'initContainers').map(bare),
  });
  if (!equal(rest(spec), rest(old))) to.forbidden('spec', 'only cpu and memory resources are mutable');
}
