import { applyMergePatch } from '../../model/patch/index.js';
import { equal, isObject, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { conditionsOf, findCondition } from '../controller-runtime/index.js';
import { type ServedKind, timestamp } from '../rest/index.js';
import { usesClock, type StageChoice } from './choose-stage.js';
import { createObject, type AppliedObjects } from './create-object.js';
import { lookUp, type StageContext } from './look-up.js';
import type { Action, Stage } from './stage.js';
import { fill, fillText, type Filling } from './templates.js';
import { replacingPatch } from './replacing-patch.js';

export interface StageRun extends StageChoice {
  readonly context: StageContext;
  /** Self's kind. */
  readonly kind: ServedKind;
  readonly applied: AppliedObjects;
}

/** Does what the stage says; true where that changed anything. Events are separate, because they are not state. */
export async function applyStage(doing: StageRun): Promise<boolean> {
  const {
    stage: { then },
    context,
    applied,
  } = doing;
  let changed = false;
  for (const template of then.create)
    changed = (await createObject(context, applied, template, doing.values, !usesClock(doing.stage))) || changed;
  for (const wanted of then.delete) {
    const { kind, objects } = lookUp(context, wanted, doing.values);
    for (const { metadata } of objects) {
      if (kind === undefined || metadata.deletionTimestamp !== undefined) continue;
      // Without a word about it, a Job would leave its pods behind.
      await context.host.client.remove(kind, metadata.namespace ?? '', metadata.name ?? '', {
        propagation: 'Background',
        ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
      });
      changed = true;
    }
  }
  if (then.status !== undefined || then.conditions.length > 0)
    changed = (await writeSelf(doing, statusPatch, doing.kind.hasStatus ? 'status' : undefined)) || changed;
  // Last, because an object without its finalizer is gone.
  return (await writeSelf(doing, patchOf)) || changed;
}

type PatchBuilder = (stage: Stage, current: KubeObject, filling: Filling, now: string) => JsonObject;

/** Patches the newest self, unless that changes nothing: a time that is there already is no reason to write. */
async function writeSelf(
  { context: { host, self }, stage, values, kind }: StageRun,
  build: PatchBuilder,
  subresource?: string,
): Promise<boolean> {
  const { namespace = '', name = '', uid } = self.metadata;
  const current = host.client.get(kind, namespace, name);
  if (current === undefined || current.metadata.uid !== uid) return false;
  const now = timestamp(host.clock.now());
  const isSame = (patch: JsonObject): boolean => equal(applyMergePatch(current, patch), current);
  if (isSame(build(stage, current, { values, keepTimes: !usesClock(stage) }, now))) return false;
  const written = await host.client.mergePatch(
    kind,
    namespace,
    name,
    build(stage, current, { values }, now),
    subresource,
  );
  return (
    written.metadata.resourceVersion !== current.metadata.resourceVersion ||
    host.client.get(kind, namespace, name) === undefined
  );
}

function statusPatch({ then }: Stage, current: KubeObject, filling: Filling, now: string): JsonObject {
  const filled = then.status === undefined ? {} : fill(then.status, filling, current['status']);
  const status = isObject(filled) ? { ...filled } : {};
  if (then.conditions.length > 0) status['conditions'] = conditionsAfter(then, current, filling, now);
  return Object.keys(status).length === 0 ? {} : { status };
}

/** Conditions keep their place in the list; lastTransitionTime moves only with status. */
function conditionsAfter({ conditions }: Action, current: KubeObject, filling: Filling, now: string): Json[] {
  const list = [...conditionsOf(current)];
  for (const { type, template } of conditions) {
    const old = findCondition(list, type);
    const filled = fill(template, filling, old);
    const next: JsonObject = isObject(filled) ? { ...filled } : {};
    next['lastTransitionTime'] =
      old !== undefined && old['status'] === next['status'] ? (old['lastTransitionTime'] ?? now) : now;
    if (old === undefined) list.push(next);
    else list[list.indexOf(old)] = next;
  }
  return list;
}

/** What a stage changes of self beside its status. */
export function patchOf({ then }: Stage, current: KubeObject, filling: Filling): JsonObject {
  const filled = then.patch === undefined ? {} : fill(then.patch, filling, current);
  const patch = then.replace.reduce<JsonObject>(
    (whole, path) => replacingPatch(whole, current, path),
    isObject(filled) ? { ...filled } : {},
  );
  const before = current.metadata.finalizers ?? [];
  // Nothing can be added to an object that is on its way out.
  const added =
    current.metadata.deletionTimestamp === undefined
      ? then.finalizers.add.filter((name) => !before.includes(name))
      : [];
  const after = [...before, ...added].filter((name) => !then.finalizers.remove.includes(name));
  if (!equal(after, before))
    put(patch, 'metadata', {
      ...(isObject(patch.metadata) ? patch.metadata : {}),
      finalizers: after.length === 0 ? null : after,
    });
  return patch;
}

/** The stage's Events as they read now. */
export function eventsOf({
  stage,
  values,
}: StageChoice): { type: 'Normal' | 'Warning'; reason: string; message: string }[] {
  return stage.then.events.map(({ type, reason, message }) => ({
    type,
    reason: fillText(reason, { values }, 'event.reason'),
    message: fillText(message, { values }, 'event.message'),
  }));
}

/** Does a stage do anything but record Events? */
export function onlyRecordsEvents({ then }: Stage): boolean {
  return (
    then.status === undefined &&
    then.patch === undefined &&
    [then.conditions, then.create, then.delete, then.finalizers.add, then.finalizers.remove].every(
      (list) => list.length === 0,
    )
  );
}
