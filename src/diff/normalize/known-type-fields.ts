import type { Meaning } from './same-value.js';

/**
 * Fields of custom resources that hold types of Kubernetes, as `resource.customizations.knownTypeFields` names them.
 */
export interface KnownTypeField {
  readonly group: string;
  readonly kind: string;
  /** Names joined by dots; lists on the way are entered. */
  readonly field: string;
  /** `core/v1/PodSpec`, `core/Quantity`, `meta/v1/Duration` and so on. */
  readonly type: string;
}

/** One step of the known fields of a kind. */
export interface KnownField {
  readonly fields: ReadonlyMap<string, KnownField>;
  /** Below here the rules of the built-in kinds hold. */
  readonly typed: boolean;
  readonly meaning?: Meaning;
}

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ['core/Quantity', 'quantity'],
  ['meta/v1/Duration', 'duration'],
]);

class EverythingTyped extends Map<string, KnownField> {
  override get(): KnownField {
    return TYPED;
  }
}

/** A Kubernetes type reaches as deep as its value. */
const TYPED: KnownField = { fields: new EverythingTyped(), typed: true };

class EveryQuantity extends Map<string, KnownField> {
  override get(): KnownField {
    return QUANTITY;
  }
}

const QUANTITY: KnownField = { fields: new Map(), typed: false, meaning: 'quantity' };
/** Whatever a list of resources names, the value is a quantity. */
const RESOURCE_LIST: KnownField = { fields: new EveryQuantity(), typed: false };

/** The known fields of one kind as a tree; undefined where it has none. */
export function knownFieldsOf(fields: readonly KnownTypeField[], group: string, kind: string): KnownField | undefined {
  const mine = fields.filter((field) => field.group === group && field.kind === kind);
  if (mine.length === 0 && group === 'argoproj.io' && kind === 'Rollout')
    mine.push({ group, kind, field: 'spec.template.spec', type: 'core/v1/PodSpec' });
  if (mine.length === 0) return undefined;
  return treeOf(mine.map(({ field, type }) => ({ names: field.split('.'), type })));
}

function treeOf(fields: readonly { names: readonly string[]; type: string }[]): KnownField {
  const end = fields.find(({ names }) => names.length === 0);
  if (end !== undefined) {
    if (end.type === 'core/v1/ResourceList') return RESOURCE_LIST;
    const meaning = MEANINGS.get(end.type);
    return meaning === undefined ? TYPED : { fields: new Map(), typed: false, meaning };
  }
  const byName = new Map<string, { names: readonly string[]; type: string }[]>();
  for (const {
    names: [first = '', ...names],
    type,
  } of fields) {
    const group = byName.get(first) ?? [];
    group.push({ names, type });
    byName.set(first, group);
  }
  return { fields: new Map([...byName].map(([name, below]) => [name, treeOf(below)])), typed: false };
}

/** Whether a type is one that Argo CD knows. */
export function isKnownType(type: string): boolean {
  return MEANINGS.has(type) || /^core\/v1\/[A-Z]\w*$/.test(type);
}
