import {
  EVERYTHING,
  labelSelectorOf,
  matchesLabels,
  type KubeObject,
  type LabelSelector,
} from '../../model/kubernetes/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, own, writeJson, type Json } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { fromJson } from '../cel/index.js';
import type { ControllerHost } from '../controller-runtime/index.js';
import type { ServedKind } from '../rest/index.js';
import { holds, type Values } from './expressions.js';
import type { KindWatches } from './kind-watches.js';
import type { ProbeCache } from './probe-cache.js';
import { kindText, PROBES, type Dependency } from './ref-index.js';
import { StageError } from './stage-error.js';
import type { LookUp, ProbeRef, Ref } from './stage.js';
import { fill, fillText } from './templates.js';

/** One pass over one object: what it may read, and what it has read so far. */
export interface StageContext {
  readonly host: ControllerHost;
  readonly watches: KindWatches;
  readonly self: KubeObject;
  readonly answers: ProbeCache;
  /** Grows with every look-up, found or not. */
  readonly dependencies: Dependency[];
}

export interface Found {
  readonly kind: ServedKind | undefined;
  readonly objects: readonly KubeObject[];
}

const NOTHING_FOUND: Found = { kind: undefined, objects: [] };

/** The objects that a look-up means now; none where the kind, the name or the object is missing. */
export function lookUp(context: StageContext, wanted: LookUp, values: Values): Found {
  return (
    ignoreIfOptional(wanted.optional, () =>
      wanted.all ? lookUpAll(context, wanted, values) : lookUpOne(context, wanted, values),
    ) ?? NOTHING_FOUND
  );
}

/** What is optional may have expressions without a result. */
function ignoreIfOptional<T>(optional: boolean, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (optional && error instanceof StageError) return undefined;
    throw error;
  }
}

/** What `refs.NAME` is: an object or null, or a list; of a probe its answer, or null while there is none. */
export function refValue(context: StageContext, source: Ref['source'], values: Values): Json {
  if ('probe' in source) return probeAnswer(context, source, values);
  if ('value' in source) return ignoreIfOptional(source.optional, () => fill(source.value, { values })) ?? null;
  const { objects } = lookUp(context, source, values);
  if (source.all) return [...objects];
  return source.key === undefined ? (objects[0] ?? null) : contentOf(objects[0], source.key);
}

/** What a key of a ConfigMap says in YAML or JSON; null where there is no such key. */
function contentOf(object: KubeObject | undefined, key: string): Json {
  const text = isObject(object?.['data']) ? own(object['data'], key) : undefined;
  if (object === undefined || typeof text !== 'string') return null;
  try {
    return readOneYaml(text, { dialect: 'kubernetes', file: key });
  } catch (error) {
    if (error instanceof Fault)
      throw new StageError(`${key} of ConfigMap ${object.metadata.name ?? ''} cannot be read: ${error.message}`);
    throw error;
  }
}

function probeAnswer(context: StageContext, { probe, with: wanted, every, optional }: ProbeRef, values: Values): Json {
  const input = ignoreIfOptional(optional, () => fill(wanted, { values }));
  if (!isObject(input)) return null;
  const { text, answer, secrets } = context.answers.get({
    probe,
    input,
    every,
    namespace: context.self.metadata.namespace ?? '',
  });
  context.dependencies.push({ kind: 'one', of: PROBES, namespace: '', name: text });
  if (secrets.length > 0) context.watches.ensureWatched('', 'Secret');
  for (const secret of secrets) {
    const [namespace = '', name = ''] = secret.split('/');
    context.dependencies.push({ kind: 'one', of: kindText('', 'Secret'), namespace, name });
  }
  return answer;
}

function lookUpOne(context: StageContext, wanted: LookUp, values: Values): Found {
  const { of, group, kind } = kindOf(wanted, values);
  const name = fillText(wanted.name, { values }, 'name');
  if (kind === '' || name === '') return NOTHING_FOUND;
  const served = context.watches.ensureWatched(group, kind);
  const namespace = served?.namespaced === false ? '' : namespaceOf(context, wanted, values);
  context.dependencies.push({ kind: 'one', of, namespace, name });
  if (served === undefined) return NOTHING_FOUND;
  if (served.namespaced && namespace === '')
    throw new StageError(`the look-up of ${kind} ${name} needs a namespace, because self has none`);
  const object = context.host.client.get(served, namespace, name);
  return { kind: served, objects: object === undefined ? [] : [object] };
}

function lookUpAll(context: StageContext, wanted: LookUp, values: Values): Found {
  const { of, group, kind } = kindOf(wanted, values);
  if (kind === '') return NOTHING_FOUND;
  const selector = selectorOf(wanted.labelSelector === undefined ? undefined : fill(wanted.labelSelector, { values }));
  const served = context.watches.ensureWatched(group, kind);
  const namespace = served?.namespaced === false ? '' : namespaceOf(context, wanted, values);
  context.dependencies.push({ kind: 'all', of, namespace, selector });
  if (served === undefined) return NOTHING_FOUND;
  const { where } = wanted;
  const objects = context.host.client
    .list(served, namespace)
    .filter(
      (object) =>
        matchesLabels(selector, object.metadata.labels) &&
        (where === undefined || holds(where, new Map([...values, ['item', fromJson(object)]]))),
    );
  return { kind: served, objects };
}

function kindOf(wanted: LookUp, values: Values): { of: string; group: string; kind: string } {
  const group = fillText(wanted.group, { values }, 'group');
  const kind = fillText(wanted.kind, { values }, 'kind');
  return { of: kindText(group, kind), group, kind };
}

function namespaceOf({ self }: StageContext, { namespace }: LookUp, values: Values): string {
  return namespace === undefined ? (self.metadata.namespace ?? '') : fillText(namespace, { values }, 'namespace');
}

function selectorOf(value: Json | undefined): LabelSelector {
  if (value === undefined) return EVERYTHING;
  if (!isObject(value))
    throw new StageError(`a labelSelector is ${writeJson(value)}; it has matchLabels or matchExpressions`);
  try {
    return labelSelectorOf(value);
  } catch (error) {
    if (error instanceof Fault) throw new StageError(`a labelSelector cannot be read: ${error.message}`);
    throw error;
  }
}
