import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import type { Composition } from './compose.js';

export interface SettingsCondition {
  readonly type: 'Reconciled' | 'ChecksValid' | 'ValuesValid' | 'FieldsKnown';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const MAX_MESSAGE_LENGTH = 8000;

/** The conditions of an ArgoCD object about its fields. */
export function conditionsOf(composition: Composition): SettingsCondition[] {
  return [checksValid(composition), valuesValid(composition), fieldsKnown(composition)];
}

function checksValid({ violations, advice }: Composition): SettingsCondition {
  const invalid = violations.filter(({ why }) => why === 'lua');
  if (invalid.length > 0)
    return {
      type: 'ChecksValid',
      status: 'False',
      reason: 'InvalidLua',
      message: invalid.map(formatViolation).join('\n'),
    };
  if (advice.length === 0)
    return { type: 'ChecksValid', status: 'True', reason: 'Valid', message: 'all scripts are valid' };
  return {
    type: 'ChecksValid',
    status: 'True',
    reason: 'Advice',
    message: advice
      .map(({ where, message, hint }) => `${where.key ?? ''} line ${where.line}: ${message} Fix: ${hint}`)
      .join('\n'),
  };
}

function valuesValid({ violations, fieldViolations }: Composition): SettingsCondition {
  const wrong = [
    ...fieldViolations.map(({ field, message }) => `${field}: ${message}`),
    ...violations.filter(({ why }) => why === 'value').map(formatViolation),
  ];
  if (wrong.length > 0)
    return { type: 'ValuesValid', status: 'False', reason: 'InvalidValue', message: wrong.join('\n') };
  return { type: 'ValuesValid', status: 'True', reason: 'Valid', message: 'all values are valid' };
}

function fieldsKnown({ misplaced, withoutEffect }: Composition): SettingsCondition {
  const idle = withoutEffect.length === 0 ? '' : `stored without effect: ${withoutEffect.join(', ')}`;
  if (misplaced !== undefined)
    return {
      type: 'FieldsKnown',
      status: 'False',
      reason: 'MisplacedField',
      message: [misplaced.trimEnd(), ...(idle === '' ? [] : [idle])].join('\n'),
    };
  return idle === ''
    ? { type: 'FieldsKnown', status: 'True', reason: 'Known', message: 'all fields are supported' }
    : { type: 'FieldsKnown', status: 'True', reason: 'SomeWithoutEffect', message: idle };
}

function formatViolation({ entry, message, hint, isKept }: Composition['violations'][number]): string {
  const fix = hint === '' ? '' : ` Fix: ${hint.replace(/\.$/, '')}.`;
  return (
    `${entry.field} (${entry.key}): ${message.replace(/\.$/, '')}.${fix} Not written to ${entry.map}; ` +
    `${isKept ? 'the previous value is kept' : 'the key is not set'}.`
  );
}

/** The conditions to write: an unchanged one keeps its time, and conditions of others are kept. */
export function writeConditions(
  conditions: readonly SettingsCondition[],
  before: Json | undefined,
  generation: number,
  now: string,
): JsonObject[] {
  const known = isArray(before) ? before.filter(isObject) : [];
  const others = known.filter(({ type }) => !conditions.some((condition) => condition.type === type));
  return [
    ...others,
    ...conditions.map(({ type, status, reason, message }) => {
      const same = known.find((each) => each.type === type && each.status === status);
      const cut = message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}...` : message;
      return {
        type,
        status,
        reason,
        message: cut,
        observedGeneration: generation,
        lastTransitionTime: typeof same?.lastTransitionTime === 'string' ? same.lastTransitionTime : now,
      };
    }),
  ];
}
