import { compareText } from '../../model/go/index.js';
import { type Json, type JsonObject, isArray, isObject, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

export interface SetCondition {
  readonly type: 'ErrorOccurred' | 'ParametersGenerated' | 'ResourcesUpToDate';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const MAX_MESSAGE_LENGTH = 2000;
const UP_TO_DATE = { reason: 'ApplicationSetUpToDate', message: 'All applications have been generated successfully' };
const GENERATED: SetCondition = {
  type: 'ParametersGenerated',
  status: 'True',
  reason: 'ParametersGenerated',
  message: 'Successfully generated parameters for all Applications',
};

export function successConditions(): readonly SetCondition[] {
  return [
    { type: 'ErrorOccurred', status: 'False', ...UP_TO_DATE },
    GENERATED,
    { type: 'ResourcesUpToDate', status: 'True', ...UP_TO_DATE },
  ];
}

/** `isGenerated`: the parameters are there, and what failed came after them. */
export function errorConditions(reason: string, message: string, isGenerated: boolean): readonly SetCondition[] {
  const cut = message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}...` : message;
  return [
    { type: 'ErrorOccurred', status: 'True', reason, message: cut },
    isGenerated ? GENERATED : { type: 'ParametersGenerated', status: 'False', reason: 'ErrorOccurred', message: cut },
    { type: 'ResourcesUpToDate', status: 'False', reason: 'ErrorOccurred', message: cut },
  ];
}

/** The next status of a set: conditions that say the same keep their time, those of others stay. */
export function nextStatus(
  set: KubeObject,
  applications: readonly KubeObject[],
  conditions: readonly SetCondition[] | undefined,
  now: string,
  mostResources: number,
): JsonObject {
  const before = isObject(set.status) ? set.status : {};
  const written =
    conditions === undefined ? (before.conditions ?? []) : writeConditions(conditions, before.conditions, now);
  const resources = [...applications]
    .sort((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? ''))
    .map(resourceOf);
  return {
    ...before,
    conditions: written,
    health: healthOf(written),
    resources: mostResources > 0 ? resources.slice(0, mostResources) : resources,
    resourcesCount: resources.length,
  };
}

function writeConditions(conditions: readonly SetCondition[], before: Json | undefined, now: string): JsonObject[] {
  const known = isArray(before) ? before.filter(isObject) : [];
  const others = known.filter(({ type }) => !conditions.some((condition) => condition.type === type));
  const written = conditions.map((condition) => {
    const same = known.find(
      ({ type, status, reason, message }) =>
        type === condition.type &&
        status === condition.status &&
        reason === condition.reason &&
        message === condition.message,
    );
    return same ?? { ...condition, lastTransitionTime: now };
  });
  return [...others, ...written].sort((a, b) => compareText(textAt(a, 'type'), textAt(b, 'type')));
}

function resourceOf({ metadata: { name = '', namespace = '' }, ...application }: KubeObject): JsonObject {
  const [sync, health] = [
    textAt(application, 'status', 'sync', 'status'),
    textAt(application, 'status', 'health', 'status'),
  ];
  return {
    group: 'argoproj.io',
    version: 'v1alpha1',
    kind: 'Application',
    name,
    namespace,
    ...(sync === '' ? {} : { status: sync }),
    ...(health === '' ? {} : { health: { status: health } }),
  };
}

function healthOf(conditions: Json): JsonObject {
  const holds = isArray(conditions) ? conditions.filter(isObject).filter(({ status }) => status === 'True') : [];
  const message = (type: string): string | undefined => {
    const found = holds.find((condition) => condition.type === type);
    return found === undefined ? undefined : textAt(found, 'message');
  };
  for (const [type, status] of [
    ['ErrorOccurred', 'Degraded'],
    ['RolloutProgressing', 'Progressing'],
    ['ResourcesUpToDate', 'Healthy'],
  ] as const) {
    const text = message(type);
    if (text !== undefined) return { status, message: text };
  }
  return { status: 'Unknown', message: 'Waiting for health status to be determined' };
}
