import { matchesLabels, type KubeObject } from '../../model/kubernetes/index.js';
import { put, type Json, type JsonObject } from '../../model/json/index.js';
import { Timestamp, fromJson, type CelValue } from '../cel/index.js';
import { holds, type Values } from './expressions.js';
import { refValue, type StageContext } from './look-up.js';
import type { Ref, Stage } from './stage.js';
import { StageError } from './stage-error.js';

export interface StageChoice {
  readonly stage: Stage;
  readonly values: Values;
  readonly refs: JsonObject;
}

export interface ChoiceResult {
  /** The first stage that holds, if one does. */
  readonly choice: StageChoice | undefined;
  /** A condition uses the clock: its result may change later without any change of an object. */
  readonly dependsOnTime: boolean;
}

/** The first stage of an object's kind that holds, of stages that look nothing up. */
export function chooseSelfStage(stages: readonly Stage[], self: KubeObject, now: Date): StageChoice | undefined {
  const values = new Map<string, CelValue>([
    ['self', fromJson(self)],
    ['now', wholeSeconds(now)],
    ['refs', fromJson({})],
  ]);
  const stage = stages.find(
    (each) =>
      isCandidate(each, { self }) &&
      inStage(each, () => [...each.match.when, ...each.when].every((condition) => holds(condition, values))),
  );
  return stage && { stage, values, refs: {} };
}

interface ResolvedRef {
  readonly source: Ref['source'];
  readonly value: Json;
}

/** Tries the stages of self's kind in order. */
export function chooseStage(stages: readonly Stage[], context: StageContext): ChoiceResult {
  const now = wholeSeconds(context.host.clock.now());
  const self = fromJson(context.self);
  const resolved: ResolvedRef[] = [];
  let dependsOnTime = false;
  for (const stage of stages) {
    if (!isCandidate(stage, context)) continue;
    dependsOnTime ||= usesClock(stage);
    const refs: JsonObject = {};
    const values = new Map<string, CelValue>([
      ['self', self],
      ['now', now],
      ['refs', fromJson(refs)],
    ]);
    if (inStage(stage, () => isFulfilled(stage, context, values, refs, resolved)))
      return { choice: { stage, values, refs }, dependsOnTime };
  }
  return { choice: undefined, dependsOnTime };
}

/** Problems say in which stage they are. */
function inStage<T>(stage: Stage, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StageError) throw error.inStage(stage.name);
    throw error;
  }
}

/** Fills `refs` on the way. */
function isFulfilled(
  stage: Stage,
  context: StageContext,
  values: Values,
  refs: JsonObject,
  resolved: ResolvedRef[],
): boolean {
  if (!stage.match.when.every((condition) => holds(condition, values))) return false;
  lookUpRefs(stage, context, values, refs, resolved);
  return stage.when.every((condition) => holds(condition, values));
}

/** A stage whose condition uses the clock writes fresh times: the condition keeps it from doing so for ever. */
export function usesClock({ match, when }: Stage): boolean {
  return [...match.when, ...when].some((condition) => condition.uses.has('now'));
}

function isCandidate({ match }: Stage, { self: { metadata } }: Pick<StageContext, 'self'>): boolean {
  return (
    match.deleting === (metadata.deletionTimestamp !== undefined) &&
    (match.labels === undefined || matchesLabels(match.labels, metadata.labels))
  );
}

/** `resolved` is what earlier stages looked up: from the first ref on, what is looked up in the same way is known. */
function lookUpRefs(
  stage: Stage,
  context: StageContext,
  values: Values,
  refs: JsonObject,
  resolved: ResolvedRef[],
): void {
  for (const [index, ref] of stage.refs.entries()) {
    const known = resolved[index];
    if (known?.source !== ref.source)
      resolved.splice(index, Infinity, { source: ref.source, value: refValue(context, ref.source, values) });
    put(refs, ref.name, resolved[index]?.value ?? null);
  }
}

/** Whole seconds, as times in objects are. */
function wholeSeconds(time: Date): Timestamp {
  return new Timestamp(BigInt(Math.floor(time.getTime() / 1000)) * 1_000_000_000n);
}
