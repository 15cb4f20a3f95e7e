import { Fault } from '../../model/faults/index.js';
import { own, type Json, type JsonObject } from '../../model/json/index.js';
import { parseDuration } from '../../model/formats/index.js';
import { compileCondition, inside, variablesWith, stageFault, type Place } from './expressions.js';
import { flagOf, mapOf, onlyFields, textOf } from './stage-fields.js';
import type { LookUp, ProbeRef, Ref, ValueRef } from './stage.js';
import { compileTemplate, type Template } from './templates.js';

const LOOK_UP_FIELDS = ['group', 'kind', 'namespace', 'name', 'all', 'labelSelector', 'where', 'key', 'optional'];

const PROBE_FIELDS = ['probe', 'with', 'every', 'optional'];

/**
 * One entry of refs: an object of the cluster, with `probe` a fact from outside, or with `value` something computed.
 */
export function readRef(raw: JsonObject, refs: readonly string[], place: Place): Ref['source'] {
  if (own(raw, 'probe') !== undefined) return readProbe(raw, refs, place);
  return own(raw, 'value') === undefined ? readLookUp(raw, refs, place) : readValue(raw, refs, place);
}

function readValue(raw: JsonObject, refs: readonly string[], place: Place): ValueRef {
  onlyFields(raw, ['value', 'optional'], place);
  return {
    value: compileTemplate(raw.value ?? null, variablesWith(refs), inside(place, 'value')),
    optional: flagOf(raw.optional, inside(place, 'optional')),
  };
}

function readProbe(raw: JsonObject, refs: readonly string[], place: Place): ProbeRef {
  onlyFields(raw, PROBE_FIELDS, place);
  return {
    probe: textOf(raw.probe, inside(place, 'probe')),
    with: compileTemplate(mapOf(raw.with ?? {}, inside(place, 'with')), variablesWith(refs), inside(place, 'with')),
    every:
      raw.every === undefined
        ? undefined
        : readEvery(textOf(raw.every, inside(place, 'every')), inside(place, 'every')),
    optional: flagOf(raw.optional, inside(place, 'optional')),
  };
}

function readEvery(text: string, place: Place): number {
  try {
    const milliseconds = Number(parseDuration(text)) / 1e6;
    if (milliseconds >= 1000) return milliseconds;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw stageFault(place, error.message);
  }
  throw stageFault(place, `${text} is less than a second`);
}

/** One entry of refs or delete; its expressions may use the refs named. */
export function readLookUp(raw: Json | undefined, refs: readonly string[], place: Place): LookUp {
  const map = mapOf(raw, place);
  onlyFields(map, LOOK_UP_FIELDS, place);
  const variables = variablesWith(refs);
  const template = (field: string): Template | undefined => {
    const value = own(map, field);
    return value === undefined ? undefined : compileTemplate(value, variables, inside(place, field));
  };
  const all = flagOf(map.all, inside(place, 'all'));
  textOf(map.kind, inside(place, 'kind'));
  if (all && map.name !== undefined)
    throw stageFault(inside(place, 'name'), 'a look-up has either a name or all: true');
  if (!all && map.name === undefined) throw stageFault(place, 'a look-up needs a name, or all: true');
  for (const field of ['labelSelector', 'where']) {
    if (!all && own(map, field) !== undefined)
      throw stageFault(inside(place, field), 'it belongs to a look-up with all: true');
  }
  return {
    group: template('group') ?? { kind: 'plain', value: '' },
    kind: template('kind') ?? { kind: 'plain', value: '' },
    namespace: template('namespace'),
    name: template('name'),
    all,
    labelSelector: template('labelSelector'),
    where:
      map.where === undefined
        ? undefined
        : compileCondition(
            textOf(map.where, inside(place, 'where')),
            variablesWith(refs, ['item']),
            inside(place, 'where'),
          ),
    key: map.key === undefined ? undefined : readKey(map, place),
    optional: flagOf(map.optional, inside(place, 'optional')),
  };
}

function readKey(map: JsonObject, place: Place): string {
  if (map.all === true || map.kind !== 'ConfigMap')
    throw stageFault(inside(place, 'key'), 'it belongs to a look-up of one ConfigMap');
  return textOf(map.key, inside(place, 'key'));
}
