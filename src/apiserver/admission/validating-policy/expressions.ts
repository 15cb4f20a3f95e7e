import { put, type Json, type JsonObject } from '../../../model/json/index.js';
import { CelFailure, CelIssue, compileCel, DYN, fromJson, toJson, type CelValue } from '../../cel/index.js';
import { items, text } from '../../resources/index.js';

/** Limits of the real server: one expression, and all expressions of one policy for one request. */
const EXPRESSION_BUDGET = 1_000_000;
const REQUEST_BUDGET = 10_000_000;
const NAMES = ['object', 'oldObject', 'request', 'params', 'namespaceObject', 'variables'];

/** Why an expression has no value, in the words of the real server. */
export class ExpressionError extends Error {}

/** The expressions of one policy over one request; variables are computed when the first expression asks for them. */
export class Expressions {
  readonly #values: Map<string, CelValue>;
  readonly #variables: readonly JsonObject[];
  readonly #known: JsonObject = {};
  readonly #failed = new Map<string, string>();
  #left = REQUEST_BUDGET;

  constructor(spec: JsonObject, inputs: Readonly<Record<string, Json>>) {
    this.#values = new Map(Object.entries(inputs).map(([name, json]) => [name, fromJson(json, DYN)]));
    this.#variables = items(spec, 'variables');
  }

  /** Throws ExpressionError. */
  evaluate(expression: string): Json {
    this.#prepareVariables(expression);
    const program = compileCel(expression, { variables: NAMES });
    if (program instanceof CelIssue)
      throw new ExpressionError(`compilation error: compilation failed: ${program.message}`);
    const { result, spent } = program.run(
      new Map([...this.#values, ['variables', fromJson(this.#known, DYN)]]),
      Math.min(EXPRESSION_BUDGET, this.#left),
    );
    this.#left -= spent;
    if (!(result instanceof CelFailure)) return toJson(result) ?? null;
    if (this.#left <= 0)
      throw new ExpressionError(
        'validation failed due to running out of cost budget, no further validation rules will be run',
      );
    throw new ExpressionError(`expression '${expression}' resulted in error: ${result.message}`);
  }

  /** A variable may use the ones above it. */
  #prepareVariables(expression: string): void {
    for (const variable of this.#variables) {
      const name = text(variable, 'name');
      if (
        !new Set(
          expression.match(/\bvariables\s*\.\s*[A-Za-z_]\w*/g)?.map((found) => found.replace(/^.*\.\s*/s, '')),
        ).has(name)
      )
        continue;
      if (!Object.hasOwn(this.#known, name) && !this.#failed.has(name))
        this.#compute(name, text(variable, 'expression'));
      const failure = this.#failed.get(name);
      if (failure !== undefined)
        throw new ExpressionError(
          `expression '${expression}' resulted in error: composited variable ${JSON.stringify(name)} fails ` +
            `to evaluate: ${failure}`,
        );
    }
  }

  #compute(name: string, expression: string): void {
    try {
      put(this.#known, name, this.evaluate(expression));
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.#failed.set(name, error.message);
    }
  }
}
