import { equal, own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { sub, text } from '../../resources/index.js';
import { timestamp } from '../../rest/index.js';
import { findCondition, type ControllerHost, replaceStatus } from '../../controller-runtime/index.js';
import type { ScalingHistory } from './scaling-history.js';
import { HORIZONTAL_POD_AUTOSCALERS } from '../../../model/resources/index.js';

export const COMPONENT = 'horizontal-pod-autoscaler';

/** The state of one reconcile of one autoscaler. */
export interface AutoscalerState {
  readonly host: ControllerHost;
  readonly autoscaler: KubeObject;
  readonly conditions: JsonObject[];
  readonly history: ScalingHistory;
}

/** True where the condition says something new. */
export function setCondition(
  { conditions, host }: AutoscalerState,
  type: string,
  status: string,
  reason: string,
  message: string,
): boolean {
  const current = findCondition(conditions, type);
  const lastTransitionTime =
    current && text(current, 'status') === status ? own(current, 'lastTransitionTime') : timestamp(host.clock.now());
  const next: JsonObject = { type, status, lastTransitionTime, reason, message };
  if (current && equal(current, next)) return false;
  if (current) conditions.splice(conditions.indexOf(current), 1, next);
  else conditions.push(next);
  return true;
}

export async function writeStatus(
  { host: { client }, autoscaler, conditions }: AutoscalerState,
  parts: JsonObject,
): Promise<void> {
  const { currentReplicas, ...rest } = parts;
  const lastScaleTime = own(sub(autoscaler, 'status'), 'lastScaleTime');
  const status: JsonObject = {
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    ...(currentReplicas === 0 ? {} : { currentReplicas }),
    currentMetrics: null,
    ...rest,
    conditions,
  };
  if (equal(status, autoscaler['status'])) return;
  await replaceStatus(client, HORIZONTAL_POD_AUTOSCALERS, autoscaler, status);
}
