import { isArray, isObject, own, type JsonObject } from '../../model/json/index.js';
import { isZero } from '../generators/index.js';

const TOOLS = ['kustomize', 'helm', 'directory'] as const;

/** The spec of an Application without what says nothing, so that two ways to write the same are no difference. */
export function normalSpec(spec: JsonObject): JsonObject {
  const { syncPolicy, source, sources, ...rest } = spec;
  return {
    ...rest,
    project: typeof rest.project === 'string' && rest.project !== '' ? rest.project : 'default',
    ...(isZero(syncPolicy) && !isAutomated(syncPolicy) ? {} : { syncPolicy: syncPolicy ?? null }),
    ...(isObject(source) ? { source: normalSource(source) } : {}),
    ...(isArray(sources) && sources.length > 0
      ? { sources: sources.map((each) => (isObject(each) ? normalSource(each) : each)) }
      : {}),
  };
}

/** `automated: {}` says much. */
function isAutomated(policy: unknown): boolean {
  return isObject(policy) && own(policy, 'automated') !== undefined;
}

function normalSource(source: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(source).filter(([key, value]) => !TOOLS.some((tool) => tool === key) || !isZero(value)),
  );
}
