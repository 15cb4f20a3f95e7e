import { FLOW } from '../../../src/render/helm/functions/flow.js';
import { HELM_FUNCTIONS } from '../../../src/render/helm/functions/helm-functions.js';
import { Budget } from '../../../src/render/helm/template/budget.js';
import { toByteString } from '../../../src/render/helm/template/value/go-text.js';
import { TemplateError } from '../../../src/render/helm/template/template-error.js';
import { TemplateSet } from '../../../src/render/helm/template/template-set.js';
import { natives } from './natives.js';
import type { Answer, Task } from './task.js';

const { include, tpl } = FLOW;
const PLAIN_FUNCTIONS = Object.fromEntries(
  Object.entries({ include, tpl }).flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])),
);

/** The same task on our engine. */
export function renderOurs({ templates, values, name, missingKey, isPlain, hasNatives }: Task): Answer {
  try {
    const set = TemplateSet.parse(templates, isPlain ? PLAIN_FUNCTIONS : HELM_FUNCTIONS);
    const output = set.execute(
      name,
      { ...structuredClone(values), ...(hasNatives === true ? { Native: natives() } : {}) },
      { missingKey, budget: new Budget({ steps: 5_000_000 }) },
    );
    return { output: toByteString(output), failure: '', message: '' };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const failed = error.kind === 'budget' ? 'time' : 'exec';
    return { output: '', failure: error.kind === 'parse' ? 'parse' : failed, message: toByteString(error.message) };
  }
}
