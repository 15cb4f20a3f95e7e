import type { Analysis, Flow } from './analysis.js';
import type { LintOptions } from './lint-options.js';
export function checkMasking(_analysis: Analysis, _flow: Flow, _subject: { group: string; kind: string; options: LintOptions }): void {
  return;
}
