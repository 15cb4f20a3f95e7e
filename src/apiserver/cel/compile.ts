import type { Json } from '../../model/json/index.js';
import { CelSyntaxError, type Node } from './ast.js';
import { check, type Checked } from './checker.js';
import { Interpreter, OVER_BUDGET } from './interpreter.js';
import type { LiteralError } from './literal-checks.js';
import { parse } from './parser.js';
import { DYN, type CelType } from './types.js';
import { CelError, fromJson, toJson, type CelValue } from './values.js';

/** Why a text is no CEL expression. */
export class CelIssue {
  constructor(
    /** As the real compiler prints it: `ERROR: <input>:1:5: ...` with the line and a mark below it. */
    readonly message: string,
  ) {}
}

/** Why an evaluation has no result. */
export class CelFailure {
  constructor(
    readonly message: string,
    readonly overBudget: boolean,
  ) {}
}

export interface CelOptions {
  /** The variables that the text may use; names alone are of any type. */
  readonly variables: readonly string[] | ReadonlyMap<string, CelType>;
}

export interface CelRun {
  readonly result: CelValue | CelFailure;
  /** What the evaluation cost. */
  readonly spent: number;
}

/** A checked expression, ready to run any number of times. */
export class CelProgram {
  readonly #node: Node;
  readonly #checked: Checked;
  readonly #variables: ReadonlyMap<string, CelType>;

  constructor(node: Node, checked: Checked, variables: ReadonlyMap<string, CelType>) {
    this.#node = node;
    this.#checked = checked;
    this.#variables = variables;
  }

  get type(): CelType {
    return this.#checked.type;
  }

  /** The variables that the expression reads. */
  get uses(): ReadonlySet<string> {
    return this.#checked.uses;
  }

  /** Evaluates over JSON. The budget bounds the work whatever the expression and the data are. */
  evaluate(vars: Readonly<Record<string, Json>>, options: { readonly budget: number }): Json | CelFailure {
    const values = new Map<string, CelValue>();
    for (const [name, json] of Object.entries(vars)) values.set(name, fromJson(json, this.#variables.get(name) ?? DYN));
    const { result } = this.run(values, options.budget);
    return result instanceof CelFailure ? result : (toJson(result) ?? null);
  }

  /** The same over CEL values, with what it cost. */
  run(values: ReadonlyMap<string, CelValue>, budget: number): CelRun {
    const interpreter = new Interpreter(this.#checked, budget);
    try {
      return { result: interpreter.run(this.#node, values), spent: interpreter.spent };
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      return {
        result: new CelFailure(error.message, error.fatal && error.message === OVER_BUDGET),
        spent: interpreter.spent,
      };
    }
  }
}

const CACHE = new Map<string, CelProgram | CelIssue>();
const TYPED_CACHE = new WeakMap<ReadonlyMap<string, CelType>, Map<string, CelProgram | CelIssue>>();
const CACHE_LIMIT = 2000;

/** Parses and checks a CEL text; the answer is kept, so that asking again is free. */
export function compileCel(text: string, { variables }: CelOptions): CelProgram | CelIssue {
  if (variables instanceof Map) {
    const types = variables as ReadonlyMap<string, CelType>;
    const kept = TYPED_CACHE.get(types) ?? new Map<string, CelProgram | CelIssue>();
    TYPED_CACHE.set(types, kept);
    return remember(kept, text, () => compile(text, types));
  }
  const names = variables as readonly string[];
  return remember(CACHE, `${names.join(',')}\n${text}`, () => compile(text, new Map(names.map((name) => [name, DYN]))));
}

function remember(
  cache: Map<string, CelProgram | CelIssue>,
  key: string,
  create: () => CelProgram | CelIssue,
): CelProgram | CelIssue {
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= CACHE_LIMIT) cache.clear();
  const created = create();
  cache.set(key, created);
  return created;
}

function compile(text: string, variables: ReadonlyMap<string, CelType>): CelProgram | CelIssue {
  try {
    const node = parse(text);
    const checked = check(node, variables);
    if (checked.issues.length > 0) return issue(text, checked.issues);
    return new CelProgram(node, checked, variables);
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    return issue(text, [{ at: error.at, message: error.message }]);
  }
}

function issue(text: string, issues: readonly LiteralError[]): CelIssue {
  const ordered = [...issues].sort((a, b) => a.at - b.at);
  return new CelIssue(ordered.map((literalError) => formatIssue(text, literalError)).join('\n'));
}

/** One problem with its line and a mark under the place. */
function formatIssue(text: string, { at, message }: LiteralError): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = Array.from(before.split('\n').at(-1) ?? '').length;
  const source = (text.split('\n')[line - 1] ?? '').replaceAll('\t', ' ');
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${source}\n | ${'.'.repeat(column)}^`;
}
