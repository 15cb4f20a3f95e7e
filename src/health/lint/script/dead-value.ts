import type { Analysis } from './analysis.js';
import { closestWord } from '../closest-word.js';
import type { Node } from './parse-script.js';
import { allowedValues, mayHoldType } from './schema-step.js';
import { listAllowed } from './truth.js';
import type { Literal, Place } from './value.js';

const CONDITION_STATUSES = ['True', 'False', 'Unknown'];

/** Reports a comparison that can never hold: the CRD does not allow the value, or it has another type. */
export function checkComparison(place: Place, value: Literal, node: Node, analysis: Analysis): void {
  analysis.noteComparison(place, value);
  const allowed = allowedValues(place.schema);
  if (allowed !== undefined && !allowed.includes(value)) {
    // An empty text stands for "not set" and does no harm.
    if (value !== '')
      report(place, value, node, analysis, {
        expected: `only ${listAllowed(allowed)}`,
        close: closeValue(value, allowed),
      });
    return;
  }
  const type = typeof value as 'string' | 'number' | 'boolean';
  if (!mayHoldType(place.schema, type)) {
    const stored = String(place.schema?.type);
    report(place, value, node, analysis, {
      expected: `${/^[aeiou]/.test(stored) ? 'an' : 'a'} ${stored}`,
      close: undefined,
    });
    return;
  }
  if (
    place.schema === undefined &&
    isConditionStatus(place) &&
    (typeof value !== 'string' || isMisspeltStatus(value))
  ) {
    const close = CONDITION_STATUSES.find((status) => status.toLowerCase() === String(value).toLowerCase());
    report(place, value, node, analysis, { expected: 'the texts "True", "False" or "Unknown"', close });
  }
}

function isConditionStatus(place: Place): boolean {
  const path = place.path ?? [];
  return path.join('.') === 'status.conditions.[].status';
}

function isMisspeltStatus(value: string): boolean {
  return (
    !CONDITION_STATUSES.includes(value) &&
    CONDITION_STATUSES.some((status) => status.toLowerCase() === value.toLowerCase())
  );
}

/** The allowed value that was meant: the same word in another case, a near one, or one that means the same. */
function closeValue(value: Literal, allowed: readonly unknown[]): string | undefined {
  const words = allowed.filter((item): item is string => typeof item === 'string');
  return (
    closestWord(String(value), words) ??
    words.find((word) => [FAILING, PASSING].some((meaning) => meaning.test(word) && meaning.test(String(value))))
  );
}

const FAILING = /fail|err|degrad|lost/i;
const PASSING = /succe|complete|ready|done|^ok$/i;

function report(
  place: Place,
  value: Literal,
  node: Node,
  analysis: Analysis,
  found: { expected: string; close: string | undefined },
): void {
  const written = JSON.stringify(value);
  analysis.report('dead-value', node, {
    severity: 'warning',
    message:
      `\`${analysis.textOf(node)}\` never holds: \`${place.text}\` holds ${found.expected}, never ${written}, ` +
      'so this branch is dead.',
    hint:
      found.close === undefined
        ? `compare with a value it can have: ${found.expected.replace(/^only /, '')}`
        : `did you mean "${found.close}"?`,
  });
}
