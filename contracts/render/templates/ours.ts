import { ARITHMETIC } from '../../../src/render/helm/functions/arithmetic.js';
import { DICTS } from '../../../src/render/helm/functions/dicts.js';
import { FLOW } from '../../../src/render/helm/functions/flow.js';
import { DEFAULTS, KINDS } from '../../../src/render/helm/functions/kinds.js';
import { LISTS } from '../../../src/render/helm/functions/lists.js';
import { STRING_FUNCTIONS } from '../../../src/render/helm/functions/strings.js';
import { Budget } from '../../../src/render/helm/template/budget.js';
import type { GoFunctions } from '../../../src/render/helm/template/go-function.js';
import { toByteString } from '../../../src/render/helm/template/go-text.js';
import { TemplateError } from '../../../src/render/helm/template/template-error.js';
import { TemplateSet } from '../../../src/render/helm/template/template-set.js';
import { natives } from './natives.js';
import type { Answer, Task } from './task.js';

export const FUNCTIONS: GoFunctions = { ...ARITHMETIC, ...DICTS, ...FLOW, ...DEFAULTS, ...KINDS, ...LISTS, ...STRING_FUNCTIONS };

const { include, tpl } = FLOW;
const PLAIN_FUNCTIONS = Object.fromEntries(Object.entries({ include, tpl }).flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])));

/** The same task on our engine. */
export function renderOurs({ templates, values, name, missingKey, isPlain }: Task): Answer {
  try {
    const set = TemplateSet.parse(templates, isPlain ? PLAIN_FUNCTIONS : FUNCTIONS);
    const output = set.execute(name, { ...structuredClone(values), Native: natives() }, { missingKey, budget: new Budget({ steps: 5_000_000 }) });
    return { output: toByteString(output), failure: '', message: '' };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const failure = error.kind === 'parse' ? 'parse' : error.kind === 'budget' ? 'time' : 'exec';
    return { output: '', failure, message: toByteString(error.message) };
  }
}
