import { clone, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ensure, has, items, maybe, pairs, sub, text } from '../resources/index.js';
import type { AdmissionRequest, AdmissionPlugin } from '../rest/index.js';
import { amountsAt, sameAmounts } from './amounts.js';
import { isAbout, type HeadLister } from './head-lister.js';
import { admissionForbidden } from './admission-forbidden.js';
import { mergeTolerations } from './tolerations.js';

/** A pod's runtime class brings its overhead and its place. */
export function runtimeClass(newest: HeadLister): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    mutate(request) {
      const { object, operation } = request;
      if (!object || operation !== 'CREATE' || !isAbout(request, '', 'pods')) return;
      const spec = ensure(object, 'spec');
      const found = classOf(request, spec, newest);
      if (found && has(found, 'overhead')) setOverhead(request, spec, found);
      if (found && has(found, 'scheduling')) setScheduling(request, spec, sub(found, 'scheduling'));
    },
    validate(request) {
      const { object, operation } = request;
      if (!object || operation !== 'CREATE' || !isAbout(request, '', 'pods')) return;
      const spec = sub(object, 'spec');
      const found = classOf(request, spec, newest);
      const overhead = found && maybe(found, 'overhead');
      if (overhead && !sameAmounts(amountsAt(overhead, 'podFixed'), amountsAt(spec, 'overhead')))
        throw admissionForbidden(request, MISMATCH);
      if (!overhead && has(spec, 'overhead'))
        throw admissionForbidden(
          request,
          'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
        );
    },
  };
}

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function classOf(request: AdmissionRequest, spec: JsonObject, newest: HeadLister): KubeObject | undefined {
  if (!has(spec, 'runtimeClassName')) return undefined;
  const name = text(spec, 'runtimeClassName');
  const found = newest.get(['node.k8s.io', 'runtimeclasses'], '', name);
  if (!found) throw admissionForbidden(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  return found;
}

function setOverhead(request: AdmissionRequest, spec: JsonObject, found: KubeObject): void {
  const fixed = sub(found, 'overhead.podFixed');
  if (
    Object.keys(sub(spec, 'overhead')).length > 0 &&
    !sameAmounts(amountsAt(spec, 'overhead'), amountsAt(found, 'overhead.podFixed'))
  )
    throw admissionForbidden(request, MISMATCH);
  if (Object.keys(fixed).length > 0) spec.overhead = clone(fixed);
}

function setScheduling(request: AdmissionRequest, spec: JsonObject, scheduling: JsonObject): void {
  const selector = new Map(pairs(spec, 'nodeSelector'));
  for (const [key, value] of pairs(scheduling, 'nodeSelector')) {
    const own = selector.get(key);
    if (own !== undefined && own !== value) {
      throw admissionForbidden(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    }
    selector.set(key, value);
  }
  if (selector.size > 0) spec.nodeSelector = Object.fromEntries(selector);
  const merged = mergeTolerations(items(spec, 'tolerations'), items(scheduling, 'tolerations'));
  if (merged.length > 0) spec.tolerations = merged.map((toleration) => clone(toleration));
}
