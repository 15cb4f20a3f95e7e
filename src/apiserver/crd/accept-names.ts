import { equal, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { list, object, readNames, text, type CrdNames } from './crd.js';

interface ConditionValue {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/**
 * The status of a CRD beside the others of its server: which of its names it may have, and whether it is served.
 * Names that another CRD of the same group already has are refused; once established, a CRD stays so.
 */
export function acceptNames(crd: KubeObject, others: readonly KubeObject[], now: string): JsonObject {
  const status = object(crd['status']);
  const { accepted, condition: condition } = negotiate(crd, others);
  const wasEstablished = conditionOf(status, 'Established')?.status === 'True';
  const established: ConditionValue =
    wasEstablished || condition.status === 'True'
      ? { status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
      : { status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  const conditions = setCondition(
    setCondition(list(status.conditions), 'NamesAccepted', condition, now),
    'Established',
    established,
    now,
  );
  return { ...status, conditions, acceptedNames: accepted, storedVersions: list(status.storedVersions) };
}

function negotiate(
  crd: KubeObject,
  others: readonly KubeObject[],
): { accepted: JsonObject; condition: ConditionValue } {
  const spec = object(crd['spec']);
  const wanted = readNames(object(spec.names));
  const had = readNames(object(object(crd['status']).acceptedNames));
  const { resources, kinds } = takenNames(others, text(spec.group));
  let condition: ConditionValue = { status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const choose = (name: string, before: string, taken: ReadonlySet<string>, reason: string): string => {
    if (name === before || !taken.has(name)) return name;
    condition = { status: 'False', reason, message: `${JSON.stringify(name)} is already in use` };
    return before;
  };
  const plural = choose(wanted.plural, had.plural, resources, 'PluralConflict');
  const singular = choose(wanted.singular, had.singular, resources, 'SingularConflict');
  const clashes = wanted.shortNames.filter((name) => !had.shortNames.includes(name) && resources.has(name));
  if (clashes.length > 0)
    condition = {
      status: 'False',
      reason: 'ShortNamesConflict',
      message: aggregate(clashes.map((name) => `${JSON.stringify(name)} is already in use`)),
    };
  const kind = choose(wanted.kind, had.kind, kinds, 'KindConflict');
  const listKind = choose(wanted.listKind, had.listKind, kinds, 'ListKindConflict');
  const shortNames = clashes.length > 0 ? had.shortNames : wanted.shortNames;
  return {
    accepted: namesJson({ plural, singular, kind, listKind, shortNames, categories: wanted.categories }),
    condition: condition,
  };
}

const aggregate = (messages: readonly string[]): string =>
  messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;

function namesJson(names: CrdNames): JsonObject {
  const json: JsonObject = { plural: names.plural };
  if (names.singular !== '') json.singular = names.singular;
  if (names.shortNames.length > 0) json.shortNames = [...names.shortNames];
  json.kind = names.kind;
  if (names.listKind !== '') json.listKind = names.listKind;
  if (names.categories.length > 0) json.categories = [...names.categories];
  return json;
}

function takenNames(
  others: readonly KubeObject[],
  group: string,
): { resources: ReadonlySet<string>; kinds: ReadonlySet<string> } {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (text(object(other['spec']).group) !== group) continue;
    const names = readNames(object(object(other['status']).acceptedNames));
    for (const name of [names.plural, names.singular, ...names.shortNames]) resources.add(name);
    for (const name of [names.kind, names.listKind]) kinds.add(name);
  }
  // A CRD that has no names yet claims none.
  resources.delete('');
  kinds.delete('');
  return { resources, kinds };
}

function conditionOf(status: JsonObject, type: string): JsonObject | undefined {
  return list(status.conditions)
    .map(object)
    .find((condition) => condition.type === type);
}

/** A status with one condition set. */
export function withCondition(status: JsonObject, type: string, condition: ConditionValue, now: string): JsonObject {
  return { ...status, conditions: setCondition(list(status.conditions), type, condition, now) };
}

/** Replaces a condition; its time moves only with its status. */
function setCondition(
  conditions: readonly Json[],
  type: string,
  { status, reason, message }: ConditionValue,
  now: string,
): Json[] {
  const old = conditions.map(object).find((condition) => condition.type === type);
  const time = old?.status === status ? (old.lastTransitionTime ?? now) : now;
  const next: JsonObject = { type, status, lastTransitionTime: time, reason, message };
  if (old === undefined) return [...conditions, next];
  return conditions.map((condition) => (object(condition).type === type && !equal(condition, next) ? next : condition));
}
