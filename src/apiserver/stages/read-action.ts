import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { parseDuration } from '../../model/formats/index.js';
import { inside, variablesWith, stageFault, type Place, type Variables } from './expressions.js';
import { readLookUp } from './read-look-up.js';
import { listOf, mapOf, onlyFields, textOf } from './stage-fields.js';
import type { Action, EventTemplate } from './stage.js';
import { compileTemplate, type Template } from './templates.js';

const ACTION_FIELDS = ['after', 'status', 'conditions', 'patch', 'replace', 'finalizers', 'create', 'delete', 'event'];
const PATCHABLE_METADATA = ['labels', 'annotations'];

/** `then`: what is true next. */
export function readAction(raw: Json | undefined, refs: readonly string[], place: Place): Action {
  const map = mapOf(raw, place);
  onlyFields(map, ACTION_FIELDS, place);
  if (!Object.keys(map).some((field) => field !== 'after'))
    throw stageFault(place, 'it does nothing; give status, conditions, patch, finalizers, create, delete or event');
  const variables = variablesWith(refs);
  const list = (field: string): Json[] =>
    own(map, field) === undefined ? [] : listOf(own(map, field), inside(place, field));
  const status =
    map.status === undefined
      ? undefined
      : compileTemplate(mapOf(map.status, inside(place, 'status')), variables, inside(place, 'status'));
  if (map.conditions !== undefined && isObject(map.status) && map.status.conditions !== undefined) {
    throw stageFault(inside(place, 'status.conditions'), 'conditions are given in then.conditions already');
  }
  return {
    after: map.after === undefined ? undefined : readDelay(map.after, variables, inside(place, 'after')),
    status,
    conditions: list('conditions').map((item, index) =>
      readCondition(item, variables, inside(place, `conditions[${index}]`)),
    ),
    patch: map.patch === undefined ? undefined : readPatch(map.patch, variables, inside(place, 'patch')),
    replace: list('replace').map((item, index) => readReplace(item, map.patch, inside(place, `replace[${index}]`))),
    finalizers: readFinalizers(map.finalizers, inside(place, 'finalizers')),
    create: list('create').map((item, index) => readCreated(item, variables, inside(place, `create[${index}]`))),
    delete: list('delete').map((item, index) => readLookUp(item, refs, inside(place, `delete[${index}]`))),
    events: readEvents(map.event, variables, inside(place, 'event')),
  };
}

function readDelay(raw: Json, variables: Variables, place: Place): Template {
  const text = textOf(raw, place);
  const template = compileTemplate(text, variables, place);
  if (template.kind !== 'plain') return template;
  try {
    if (parseDuration(text) < 0n) throw stageFault(place, `${text} lies in the past`);
  } catch (error) {
    if (error instanceof Fault && error.code !== 'STAGE_INVALID') throw stageFault(place, error.message);
    throw error;
  }
  return template;
}

function readCondition(raw: Json, variables: Variables, place: Place): Action['conditions'][number] {
  const map = mapOf(raw, place);
  const type = textOf(map.type, inside(place, 'type'));
  if (type.includes('${')) throw stageFault(inside(place, 'type'), 'the type of a condition is plain text');
  textOf(map.status, inside(place, 'status'));
  if (map.lastTransitionTime !== undefined)
    throw stageFault(inside(place, 'lastTransitionTime'), 'it is set by itself, when status changes');
  return { type, template: compileTemplate(map, variables, place) };
}

function readPatch(raw: Json, variables: Variables, place: Place): Template {
  const map = mapOf(raw, place);
  for (const field of ['apiVersion', 'kind', 'status']) {
    if (own(map, field) !== undefined)
      throw stageFault(
        inside(place, field),
        field === 'status' ? 'it is given in then.status' : 'it cannot be changed',
      );
  }
  if (map.metadata !== undefined)
    onlyFields(mapOf(map.metadata, inside(place, 'metadata')), PATCHABLE_METADATA, inside(place, 'metadata'));
  return compileTemplate(map, variables, place);
}

/** `spec.predictor.model`: a path of the patch beside it. */
function readReplace(raw: Json, patch: Json | undefined, place: Place): string[] {
  const path = textOf(raw, place).split('.');
  let at: Json | undefined = patch;
  for (const key of path) at = isObject(at) ? own(at, key) : undefined;
  if (at === undefined) throw stageFault(place, `then.patch has no ${path.join('.')}`);
  return path;
}

function readFinalizers(raw: Json | undefined, place: Place): Action['finalizers'] {
  if (raw === undefined) return { add: [], remove: [] };
  const map = mapOf(raw, place);
  onlyFields(map, ['add', 'remove'], place);
  const names = (field: string): string[] => {
    const value = own(map, field);
    return value === undefined
      ? []
      : listOf(value, inside(place, field)).map((name, index) => textOf(name, inside(place, `${field}[${index}]`)));
  };
  return { add: names('add'), remove: names('remove') };
}

function readCreated(raw: Json, variables: Variables, place: Place): Template {
  const map = mapOf(raw, place);
  textOf(map.apiVersion, inside(place, 'apiVersion'));
  textOf(map.kind, inside(place, 'kind'));
  const metadata: JsonObject = mapOf(map.metadata, inside(place, 'metadata'));
  if (metadata['generateName'] !== undefined)
    throw stageFault(
      inside(place, 'metadata.generateName'),
      'a stage runs many times: the object needs a name that is always the same',
    );
  textOf(metadata['name'], inside(place, 'metadata.name'));
  return compileTemplate(map, variables, place);
}

function readEvents(raw: Json | undefined, variables: Variables, place: Place): EventTemplate[] {
  if (raw === undefined) return [];
  if (isArray(raw)) return raw.map((item, index) => readEvent(item, variables, inside(place, `[${index}]`)));
  return [readEvent(raw, variables, place)];
}

function readEvent(raw: Json, variables: Variables, place: Place): EventTemplate {
  const map = mapOf(raw, place);
  onlyFields(map, ['type', 'reason', 'message'], place);
  const type = map.type ?? 'Normal';
  if (type !== 'Normal' && type !== 'Warning') throw stageFault(inside(place, 'type'), 'an Event is Normal or Warning');
  const text = (field: string, mayBeEmpty = false): Template =>
    compileTemplate(textOf(own(map, field), inside(place, field), mayBeEmpty), variables, inside(place, field));
  // Some controllers have nothing to add to the reason.
  return { type, reason: text('reason'), message: text('message', true) };
}
