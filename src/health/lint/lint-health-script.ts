import { isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { analyseScript } from './script/analyse-script.js';
import { foldRepeated, sortFindings, type Finding } from './finding.js';
import type { LintOptions } from './lint-options.js';
import { checkMasking } from './script/masks-failure.js';
import { parseScript, type Chunk } from './script/parse-script.js';
import { checkReachability, checkUnusedVerdicts } from './script/reachability.js';
import { checkVerdicts } from './script/check-verdicts.js';

const MEANT = '-- masks-failure is meant: ';

export interface LintScript {
  readonly source: string;
  /** File or object, for the findings. */
  readonly name: string;
  readonly group?: string;
  readonly kind?: string;
  /** The CRD's openAPIV3Schema. */
  readonly schema?: Json;
  readonly options?: LintOptions;
}

/** What is wrong with one health script, in the order of its lines. Never throws for a bad script. */
export function lintHealthScript(script: LintScript): Finding[] {
  const { source, name, options = {} } = script;
  const parsed = parseScript(source);
  if (parsed.kind === 'broken') return placed([syntaxError(name, parsed)], options);
  try {
    return placed(findingsOf(script, parsed.chunk), options);
  } catch (error) {
    // Thousands of levels are no script that a person wrote; the stack is the limit.
    if (!(error instanceof RangeError)) throw error;
    return placed([syntaxError(name, { problem: 'the script is nested too deeply', line: 1, column: 1 })], options);
  }
}

function findingsOf(
  { source, name, group = '', kind = '', schema, options = {} }: LintScript,
  chunk: Chunk,
): Finding[] {
  const shape: JsonObject | undefined = isObject(schema) ? schema : undefined;
  const { analysis, flow } = analyseScript(source, chunk, {
    name,
    group,
    kind,
    openLibs: options.openLibs ?? false,
    schema: shape,
  });
  checkVerdicts(analysis, flow);
  checkReachability(analysis);
  checkUnusedVerdicts(analysis);
  if (!isMeant(source)) checkMasking(analysis, flow, options);
  return analysis.findings;
}

/**
 * What looks like hiding a failure may be all that can be told from the object; then the script says so, with the
 * reason.
 */
function isMeant(source: string): boolean {
  return source.split('\n').some((line) => line.trim().startsWith(MEANT));
}

function syntaxError(
  name: string,
  { problem, line, column }: { problem: string; line: number; column: number },
): Finding {
  return {
    rule: 'syntax-error',
    severity: 'error',
    message:
      `The script cannot be read (${problem}), so every resource of this kind is Unknown and its application ` +
      'has a ComparisonError.',
    where: { name, line, column },
    hint: /unexpected|expected near/.test(problem)
      ? 'close what is open (`end`, `then`, quotes) near this line; nothing may follow a `return` in its block'
      : 'correct the script near this line',
  };
}

/** Moves findings from lines of the script to lines of the file it stands in. */
function placed(findings: readonly Finding[], { origin, key }: LintOptions): Finding[] {
  const { line, column } = origin ?? { line: 1, column: 1 };
  return foldRepeated(
    sortFindings(findings).map((finding) => ({
      ...finding,
      where: {
        name: finding.where.name,
        ...(key === undefined ? {} : { key }),
        line: finding.where.line + line - 1,
        // Every line of a block scalar is indented alike.
        column: finding.where.column + column - 1,
      },
    })),
  );
}
