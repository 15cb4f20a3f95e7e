import { isArray, own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { count, has, items, maybe, text } from '../../resources/index.js';

/** What the pod failure policy says of a failed pod. */
export interface FailurePolicyResult {
  readonly action: string;
  readonly counts: boolean;
  /** Set where the whole Job fails for it. */
  readonly failJob?: string;
}

const COUNTED: FailurePolicyResult = { action: '', counts: true };

export function matchFailurePolicy(job: KubeObject, pod: KubeObject): FailurePolicyResult {
  const rules = items(maybe(job, 'spec.podFailurePolicy'), 'rules');
  for (const [index, rule] of rules.entries()) {
    const matched = matchRule(rule, pod, index);
    if (matched === undefined) continue;
    const action = text(rule, 'action');
    return { action, counts: action !== 'Ignore', ...(action === 'FailJob' ? { failJob: matched } : {}) };
  }
  return COUNTED;
}

/** The message that a matching rule would fail the Job with. */
function matchRule(rule: JsonObject, pod: KubeObject, index: number): string | undefined {
  const { namespace = '', name = '' } = pod.metadata;
  const action = text(rule, 'action');
  const onExitCodes = maybe(rule, 'onExitCodes');
  if (onExitCodes) {
    const status = [
      ...items(maybe(pod, 'status'), 'containerStatuses'),
      ...items(maybe(pod, 'status'), 'initContainerStatuses'),
    ].find((each) => exitMatches(each, onExitCodes));
    return (
      status &&
      `Container ${text(status, 'name')} for pod ${namespace}/${name} failed with exit code ` +
        `${exitCode(status) ?? 0} matching ${action} rule at index ${index}`
    );
  }
  const condition = items(maybe(pod, 'status'), 'conditions').find((each) =>
    items(rule, 'onPodConditions').some(
      (pattern) =>
        text(pattern, 'type') === text(each, 'type') && (text(pattern, 'status') || 'True') === text(each, 'status'),
    ),
  );
  return (
    condition &&
    `Pod ${namespace}/${name} has condition ${text(condition, 'type')} matching ${action} rule at index ${index}`
  );
}

function exitCode(status: JsonObject): number | undefined {
  const terminated = maybe(status, 'state.terminated');
  return terminated && count(terminated, 'exitCode');
}

function exitMatches(status: JsonObject, requirement: JsonObject): boolean {
  const code = exitCode(status);
  if (code === undefined || code === 0) return false;
  if (has(requirement, 'containerName') && text(requirement, 'containerName') !== text(status, 'name')) return false;
  const values = own(requirement, 'values');
  const listed = isArray(values) && values.includes(code);
  return text(requirement, 'operator') === 'In' ? listed : text(requirement, 'operator') === 'NotIn' && !listed;
}
