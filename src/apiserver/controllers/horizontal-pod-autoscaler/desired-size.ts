import type { JsonObject } from '../../../model/json/index.js';
import { count, items, maybe, number, sub, text } from '../../resources/index.js';
import type { ScalingHistory } from './scaling-history.js';

/** Milliseconds for which the highest recommendation holds. */
const DOWNSCALE_WINDOW = 300_000;
/** Without policies a target grows to twice its size at once, or to this. */
const MIN_SCALE_UP = 4;

export interface ScaleProposal {
  /** Of the autoscaler. */
  readonly spec: JsonObject;
  readonly current: number;
  /** What metrics ask for. */
  readonly desired: number;
  readonly now: number;
}

export interface ConditionReason {
  readonly reason: string;
  readonly message: string;
}

/** How many replicas there shall be, and what the conditions AbleToScale and ScalingLimited say about it. */
export interface DesiredSize {
  readonly size: number;
  readonly able: ConditionReason;
  readonly isLimited: boolean;
  readonly limit: ConditionReason;
}

const READY: ConditionReason = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const UP_STABILIZED: ConditionReason = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const DOWN_STABILIZED: ConditionReason = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const WITHIN: ConditionReason = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
};
const TOO_FEW: ConditionReason = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const TOO_MANY: ConditionReason = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const UP_LIMIT: ConditionReason = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const DOWN_LIMIT: ConditionReason = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};

/** A proposed size, limited by recent recommendations, by policies and by the autoscaler's bounds. */
export function desiredSize(proposal: ScaleProposal, history: ScalingHistory): DesiredSize {
  const behavior = maybe(proposal.spec, 'behavior');
  const stable = behavior === undefined ? stabilized(proposal, history) : stabilizedBy(behavior, proposal, history);
  const held = { ...proposal, desired: stable.size };
  const { size, because } = behavior === undefined ? bounded(held) : boundedBy(behavior, held, history);
  return {
    size,
    able: stable.size === proposal.desired ? READY : stable.because,
    isLimited: size !== stable.size,
    limit: because,
  };
}

interface BoundedSize {
  readonly size: number;
  readonly because: ConditionReason;
}

function stabilized({ desired, now }: ScaleProposal, history: ScalingHistory): BoundedSize {
  const size = Math.max(desired, ...history.recommended(now - DOWNSCALE_WINDOW, 'included'));
  history.recommend(desired, now, now - DOWNSCALE_WINDOW);
  return { size, because: DOWN_STABILIZED };
}

function stabilizedBy(
  behavior: JsonObject,
  { current, desired, now }: ScaleProposal,
  history: ScalingHistory,
): BoundedSize {
  const since = (direction: string, seconds: number): number =>
    now - (number(sub(behavior, direction), 'stabilizationWindowSeconds') ?? seconds) * 1000;
  const [up, down] = [since('scaleUp', 0), since('scaleDown', DOWNSCALE_WINDOW / 1000)];
  const lowest = Math.min(desired, ...history.recommended(up, 'excluded'));
  const highest = Math.max(desired, ...history.recommended(down, 'excluded'));
  history.recommend(desired, now, Math.min(up, down));
  return {
    size: Math.min(Math.max(current, lowest), highest),
    because: desired >= current ? UP_STABILIZED : DOWN_STABILIZED,
  };
}

const boundsOf = (spec: JsonObject): { readonly least: number; readonly most: number } => ({
  least: number(spec, 'minReplicas') ?? 1,
  most: count(spec, 'maxReplicas'),
});

function bounded({ spec, current, desired }: ScaleProposal): BoundedSize {
  const { least, most } = boundsOf(spec);
  const rate = Math.max(2 * current, MIN_SCALE_UP);
  if (desired < least) return { size: least, because: TOO_FEW };
  if (desired > Math.min(most, rate))
    return most > rate ? { size: rate, because: UP_LIMIT } : { size: most, because: TOO_MANY };
  return { size: desired, because: WITHIN };
}

function boundedBy(
  behavior: JsonObject,
  { spec, current, desired, now }: ScaleProposal,
  history: ScalingHistory,
): BoundedSize {
  const { least, most } = boundsOf(spec);
  if (desired > current) {
    const rate = Math.max(policyLimit(sub(behavior, 'scaleUp'), 'up', current, now, history), current);
    if (desired > Math.min(most, rate))
      return most > rate ? { size: rate, because: UP_LIMIT } : { size: most, because: TOO_MANY };
  } else if (desired < current) {
    const rate = Math.min(policyLimit(sub(behavior, 'scaleDown'), 'down', current, now, history), current);
    if (desired < Math.max(least, rate))
      return least < rate ? { size: rate, because: DOWN_LIMIT } : { size: least, because: TOO_FEW };
  }
  return { size: desired, because: WITHIN };
}

/** How far policies let a target go: each counts from the size that it had when its period began. */
function policyLimit(
  rules: JsonObject,
  direction: 'up' | 'down',
  current: number,
  now: number,
  history: ScalingHistory,
): number {
  const select = text(rules, 'selectPolicy');
  if (select === 'Disabled') return current;
  const limits = items(rules, 'policies').map((policy) => {
    const start = current - history.growthSince(now - count(policy, 'periodSeconds') * 1000);
    const value = count(policy, 'value');
    if (text(policy, 'type') === 'Pods') return direction === 'up' ? start + value : start - value;
    return direction === 'up' ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100));
  });
  // The smaller change is the lower limit for growing and the higher one for shrinking.
  return (select === 'Min') === (direction === 'up') ? Math.min(...limits) : Math.max(...limits);
}

/** Milliseconds for which policies look back at what was scaled. */
export function maxPeriod(spec: JsonObject): number {
  const policies = ['scaleUp', 'scaleDown'].flatMap((direction) =>
    items(maybe(spec, `behavior.${direction}`), 'policies'),
  );
  return Math.max(0, ...policies.map((policy) => count(policy, 'periodSeconds') * 1000));
}
