import type { JsonObject } from '../../../model/json/index.js';
import { Analysis, type Flow, type Interpreter } from './analysis.js';
import { callValue } from './calls.js';
import { evaluateExpression } from './expressions.js';
import type { Chunk, Expression } from './parse-script.js';
import { START } from './state.js';
import { runBlock } from './statements.js';
import type { Scope } from './value.js';

export interface ScriptFacts {
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly openLibs: boolean;
  readonly schema: JsonObject | undefined;
}

/** Follows every path through a script; looks twice, because what the script tests in one place tells about another. */
export function analyseScript(source: string, chunk: Chunk, facts: ScriptFacts): { analysis: Analysis; flow: Flow } {
  const first = analyseOnce(source, chunk, facts, new Set());
  const tested = [...first.analysis.nilTested].filter(
    (path) => /^(spec|metadata)\b/.test(path) && !path.includes('[]'),
  );
  return tested.length === 0 ? first : analyseOnce(source, chunk, facts, new Set(tested));
}

function analyseOnce(
  source: string,
  chunk: Chunk,
  facts: ScriptFacts,
  testedBefore: ReadonlySet<string>,
): { analysis: Analysis; flow: Flow } {
  const analysis = new Analysis(source, chunk, { ...facts, testedBefore });
  const interpreter: Interpreter = {
    analysis,
    evaluate: (node, state, scope) => evaluateExpression(interpreter, node as Expression, state, scope),
    call: (callee, args, at) => callValue(interpreter, callee, args, at),
    run: (block, states, scope) =>
      states.length === 0
        ? { next: [], breaks: [], returns: [], jumps: [] }
        : runBlock(interpreter, block, states, scope),
  };
  const scope: Scope = { parent: undefined, names: new Map(), calls: '' };
  const flow = interpreter.run(chunk.body, [START], scope);
  return { analysis, flow };
}
