import { own, type Json } from '../../model/index.js';
import { compileCondition, inside, variablesWith, wrong, type Place } from './expressions.js';
import { flagOf, mapOf, onlyFields, textOf } from './stage-fields.js';
import type { LookUp } from './stage.js';
import { compileTemplate, type Template } from './templates.js';

const LOOK_UP_FIELDS = ['group', 'kind', 'namespace', 'name', 'all', 'labelSelector', 'where', 'optional'];

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
  if (all && map.name !== undefined) throw wrong(inside(place, 'name'), 'a look-up has either a name or all: true');
  if (!all && map.name === undefined) throw wrong(place, 'a look-up needs a name, or all: true');
  for (const field of ['labelSelector', 'where']) {
    if (!all && own(map, field) !== undefined) throw wrong(inside(place, field), 'it belongs to a look-up with all: true');
  }
  return {
    group: template('group') ?? { kind: 'plain', value: '' }, kind: template('kind') ?? { kind: 'plain', value: '' },
    namespace: template('namespace'), name: template('name'), all, labelSelector: template('labelSelector'),
    where: map.where === undefined ? undefined : compileCondition(textOf(map.where, inside(place, 'where')), variablesWith(refs, ['item']), inside(place, 'where')),
    optional: flagOf(map.optional, inside(place, 'optional')),
  };
}
