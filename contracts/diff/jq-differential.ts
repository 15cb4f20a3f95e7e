import { compileJq } from '../../src/diff/jq/program.js';
import { removePaths } from '../../src/diff/fields/path.js';
import type { Json } from '../../src/model/json/index.js';
import type { Answer, Gojq } from './gojq.js';

/** Far more than any of these expressions needs. */
const STEPS = 2_000_000;

/** What our evaluator says to an expression: its values, or what `del` of it leaves. */
function ours(expression: string, input: Json, mode: 'values' | 'del'): Answer {
  const compiled = compileJq(expression);
  if (compiled.kind === 'refused') return { failure: 'compile', message: compiled.message, values: [] };
  if (mode === 'del') {
    const outcome = compiled.program.paths(input, STEPS);
    return outcome.kind === 'paths'
      ? { failure: '', message: '', values: [removePaths(input, outcome.paths)] }
      : { failure: 'run', message: outcome.message, values: [] };
  }
  const outcome = compiled.program.values(input, STEPS);
  return outcome.kind === 'values'
    ? { failure: '', message: '', values: outcome.values }
    : { failure: 'run', message: outcome.message, values: [] };
}

/** Where the two engines disagree, as text; undefined where they agree. Messages may differ, failing may not. */
export async function disagreement(
  gojq: Gojq,
  expression: string,
  input: Json,
  mode: 'values' | 'del',
): Promise<string | undefined> {
  const theirs = await gojq.run(mode === 'values' ? expression : `del(${expression}\n)`, input);
  const mine = ours(expression, input, mode);
  const [left, right] = [theirs, mine].map(({ failure, values }) => (failure === '' ? sortedText(values) : failure));
  if (left === right) return undefined;
  return (
    `${mode} of ${expression}\n  input  ${sortedText(input)}\n  gojq   ${left ?? ''} ${theirs.message}\n  ` +
    `argosy ${right ?? ''} ${mine.message}`
  );
}

/** JSON with sorted keys; not-a-number is null and infinity the largest number, as gojq writes them. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown): unknown => {
    if (typeof part === 'bigint') return part.toString();
    if (typeof part === 'number' && !Number.isFinite(part))
      return Number.isNaN(part) ? null : Math.sign(part) * Number.MAX_VALUE;
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
