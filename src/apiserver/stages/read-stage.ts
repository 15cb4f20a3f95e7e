import { Fault } from '../../model/faults/index.js';
import { checkQualifiedName, labelSelectorOf, type LabelSelector } from '../../model/kubernetes/index.js';
import { isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import type { CelProgram } from '../cel/index.js';
import { compileCondition, inside, variablesWith, stageFault, type Place, type Variables } from './expressions.js';
import { readAction } from './read-action.js';
import { readRef } from './read-look-up.js';
import { flagOf, listOf, mapOf, onlyFields, textOf } from './stage-fields.js';
import type { Ref, Stage } from './stage.js';

/** Event source and field manager of stages that do not say whose they are. */
const DEFAULT_CONTROLLER = 'argosy';
const SHARED_FIELDS = ['controller', 'follows', 'match', 'admission', 'refs'];
const STAGE_FIELDS = ['name', ...SHARED_FIELDS, 'when', 'then'];
const MATCH_FIELDS = ['group', 'kind', 'labelSelector', 'deleting', 'when'];
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

/**
 * Reads the stages of one file, in order. A document is one stage, or `stages: [...]` under fields that they share.
 * Everything that can be known without an object is checked here: fields, expressions, names of refs.
 */
export function readStages(text: string, file: string): Stage[] {
  const found: Stage[] = [];
  for (const { value } of readYaml(text, { dialect: 'kubernetes', file, duplicates: 'error' })) {
    if (value === null) continue;
    for (const raw of stagesOf(value, file)) found.push(readStage(raw, file));
  }
  return found;
}

/** The stages of a document, each with what the document says for all. */
function stagesOf(document: Json, file: string): JsonObject[] {
  const place = { file, stage: '', field: '' };
  if (!isObject(document)) throw stageFault(place, 'a document is not a map with name, match and then');
  if (document.stages === undefined) return [document];
  onlyFields(document, [...SHARED_FIELDS, 'stages'], place);
  const { stages, ...shared } = document;
  return listOf(stages, inside(place, 'stages')).map((stage, index) => {
    if (!isObject(stage)) throw stageFault(inside(place, `stages[${index}]`), 'not a map');
    const refs =
      isObject(shared.refs) && (stage.refs === undefined || isObject(stage.refs))
        ? { ...shared.refs, ...stage.refs }
        : (stage.refs ?? shared.refs);
    return { ...shared, ...stage, ...(refs === undefined ? {} : { refs }) };
  });
}

function readStage(raw: JsonObject, file: string): Stage {
  const name = raw.name;
  if (typeof name !== 'string' || name === '')
    throw stageFault(
      { file, stage: '', field: 'name' },
      `a stage needs a name; this one has the fields ${Object.keys(raw).join(', ')}`,
    );
  const place: Place = { file, stage: name, field: '' };
  onlyFields(raw, STAGE_FIELDS, place);
  const controller =
    raw.controller === undefined ? DEFAULT_CONTROLLER : textOf(raw.controller, inside(place, 'controller'));
  const badName = checkQualifiedName(controller)[0];
  if (badName !== undefined) throw stageFault(inside(place, 'controller'), badName);
  const match = readMatch(raw.match, inside(place, 'match'));
  const refs = readRefs(raw.refs ?? {}, inside(place, 'refs'));
  const names = refs.map((ref) => ref.name);
  const stage: Stage = {
    name,
    controller,
    file,
    match,
    refs,
    admission: flagOf(raw.admission, inside(place, 'admission')),
    follows: textOf(raw.follows, inside(place, 'follows')),
    when: readConditions(raw.when, variablesWith(names), inside(place, 'when')),
    then: readAction(raw.then, names, inside(place, 'then')),
  };
  if (stage.admission) checkAdmission(stage, raw.then, place);
  return stage;
}

/** A write does not wait: nothing is looked up, and nothing but the object is changed. */
function checkAdmission({ refs }: Stage, then: Json | undefined, place: Place): void {
  if (refs.length > 0) throw stageFault(inside(place, 'refs'), 'a stage with admission looks nothing up');
  const other = Object.keys(isObject(then) ? then : {}).find((field) => field !== 'patch' && field !== 'replace');
  if (other !== undefined)
    throw stageFault(inside(place, `then.${other}`), 'a stage with admission has patch and replace only');
}

function readMatch(raw: Json | undefined, place: Place): Stage['match'] {
  const match = mapOf(raw, place);
  onlyFields(match, MATCH_FIELDS, place);
  return {
    group: match.group === undefined ? '' : textOf(match.group, inside(place, 'group'), true),
    kind: textOf(match.kind, inside(place, 'kind')),
    labels:
      match.labelSelector === undefined ? undefined : readSelector(match.labelSelector, inside(place, 'labelSelector')),
    deleting: flagOf(match.deleting, inside(place, 'deleting')),
    when: readConditions(match.when, variablesWith([]), inside(place, 'when')),
  };
}

function readSelector(raw: Json, place: Place): LabelSelector {
  const selector = mapOf(raw, place);
  onlyFields(selector, ['matchLabels', 'matchExpressions'], place);
  try {
    return labelSelectorOf(selector);
  } catch (error) {
    if (error instanceof Fault) throw stageFault(place, error.message);
    throw error;
  }
}

/** Look-ups that several stages of a document share are read once, so that a pass can see that they are the same. */
const SHARED = new WeakMap<JsonObject, { readonly after: string; readonly source: Ref['source'] }>();

/** Refs in the order in which they are written; each may use those before it. */
function readRefs(raw: Json, place: Place): Ref[] {
  const refs: Ref[] = [];
  const map = mapOf(raw, place);
  for (const name of Object.keys(map)) {
    if (!IDENTIFIER.test(name))
      throw stageFault(
        inside(place, name),
        'a ref is named as in CEL: letters, digits and _, not starting with a digit',
      );
    const before = refs.map((ref) => ref.name);
    const written = mapOf(own(map, name), inside(place, name));
    const known = SHARED.get(written);
    const source = known?.after === before.join() ? known.source : readRef(written, before, inside(place, name));
    SHARED.set(written, { after: before.join(), source });
    refs.push({ name, source });
  }
  return refs;
}

function readConditions(raw: Json | undefined, variables: Variables, place: Place): CelProgram[] {
  if (raw === undefined) return [];
  return listOf(raw, place).map((text, index) =>
    compileCondition(textOf(text, inside(place, `[${index}]`)), variables, inside(place, `[${index}]`)),
  );
}
