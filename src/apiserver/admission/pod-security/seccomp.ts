import type { JsonObject } from '../../../model/json/index.js';
import { maybe, pairs, text } from '../../resources/index.js';
import {
  containersOf,
  containersText,
  isWindows,
  plural,
  quoted,
  settersText,
  unique,
  type Check,
  type PodParts,
  type Violation,
} from './check.js';

const POD_KEY = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER_KEY = 'container.seccomp.security.alpha.kubernetes.io/';

/** The profile that a pod or container sets; undefined where it sets none. */
function profile(holder: JsonObject): string | undefined {
  const found = maybe(holder, 'securityContext.seccompProfile');
  return found && text(found, 'type');
}

function isGood(type: string | undefined): boolean {
  return type === 'Localhost' || type === 'RuntimeDefault';
}

/** Before 1.19 profiles were annotations. */
function annotationsViolation({ metadata, spec }: PodParts): Violation | undefined {
  const keys = [POD_KEY, ...containersOf(spec).map((container) => CONTAINER_KEY + text(container, 'name'))];
  const bad = pairs(metadata, 'annotations')
    .filter(
      ([key, value]) =>
        keys.includes(key) && !['runtime/default', 'docker/default'].includes(value) && !value.startsWith('localhost/'),
    )
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return bad.length === 0
    ? undefined
    : { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', bad.length)} ${unique(bad).join(', ')}` };
}

function explicitViolation(spec: JsonObject): Violation | undefined {
  const isBad = (holder: JsonObject): boolean => profile(holder) !== undefined && !isGood(profile(holder));
  const bad = [spec, ...containersOf(spec)].filter(isBad);
  if (bad.length === 0) return undefined;
  const setters = settersText(isBad(spec), containersOf(spec).filter(isBad));
  const profiles = quoted(unique(bad.map((holder) => profile(holder) ?? '')));
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to ${profiles}`,
  };
}

export const seccompBaseline: Check = {
  id: 'seccompProfile_baseline',
  since: 0,
  test: (pod, minor) => (minor < 19 ? annotationsViolation(pod) : explicitViolation(pod.spec)),
};

export const seccompRestricted: Check = {
  id: 'seccompProfile_restricted',
  since: 19,
  replaces: 'seccompProfile_baseline',
  test({ spec }, minor) {
    if (minor >= 25 && isWindows(spec)) return undefined;
    const explicit = explicitViolation(spec);
    if (explicit || isGood(profile(spec))) return explicit;
    const silent = containersOf(spec).filter((container) => profile(container) === undefined);
    if (silent.length === 0) return undefined;
    return {
      reason: 'seccompProfile',
      detail:
        `pod or ${containersText(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or ` +
        '"Localhost"',
    };
  },
};
