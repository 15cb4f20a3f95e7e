import { Budget, isStackOverflow } from './budget.js';
import { compileTree } from './execute/compile.js';
import type { GoFunctions } from './value/go-function.js';
import type { GoValue } from './value/go-type.js';
import { isEmptyTree, type Tree } from './parse/node.js';
import { parseCached } from './parse-cache.js';
import { ROOT_NAME, Run } from './execute/run.js';
import type { MissingKey, Walk } from './execute/state.js';
import { TemplateError } from './template-error.js';

export interface TemplateSource {
  /** As errors cite it: `chart/templates/x.yaml`. */
  readonly name: string;
  readonly text: string;
}

export interface ExecuteOptions {
  /** Helm uses `zero`, and `error` with --strict. */
  readonly missingKey?: MissingKey;
  /** Shared by several calls, it limits them together. */
  readonly budget?: Budget;
  /** For the functions; see CallContext. */
  readonly host?: unknown;
}

/** Templates that can call one another by name. */
export class TemplateSet {
  private constructor(
    private readonly functions: GoFunctions,
    private readonly trees: Map<string, Tree>,
  ) {}

  /**
   * Texts in the order in which Helm parses them: of two definitions of a name the later one holds, unless it is empty.
   */
  static parse(sources: readonly TemplateSource[], functions: GoFunctions): TemplateSet {
    const set = new TemplateSet(functions, new Map());
    for (const source of sources) set.add(source);
    return set;
  }

  private add(source: TemplateSource): void {
    for (const [name, tree] of this.parsed(source)) {
      if (!this.trees.has(name) || !isEmptyTree(tree.root)) this.trees.set(name, tree);
    }
  }

  private parsed(source: TemplateSource): ReadonlyMap<string, Tree> {
    try {
      return parseCached(source, this.functions);
    } catch (error) {
      throw isStackOverflow(error) ? tooDeep(source.name) : error;
    }
  }

  has(name: string): boolean {
    return this.trees.has(name);
  }

  names(): readonly string[] {
    return [...this.trees.keys()];
  }

  /** A copy of the set with one more text, whose definitions nobody else sees. */
  withText(text: string, failed: (error: TemplateError) => TemplateError): TemplateSet {
    const trees = new Map(this.trees);
    trees.delete(ROOT_NAME);
    const copy = new TemplateSet(this.functions, trees);
    try {
      copy.add({ name: ROOT_NAME, text });
    } catch (error) {
      throw error instanceof TemplateError ? failed(error) : error;
    }
    return copy;
  }

  body(name: string): Walk {
    const tree = this.trees.get(name);
    if (tree === undefined) throw new TypeError(`no template ${name}`);
    return compileTree(tree, this.functions);
  }

  /** The text that a template gives. Throws a TemplateError with Go's message. */
  execute(name: string, data: GoValue, options: ExecuteOptions = {}): string {
    const { missingKey = 'zero', budget = new Budget(), host } = options;
    const run = new Run(this, missingKey, budget, host);
    try {
      return run.render(name, data ?? undefined);
    } catch (error) {
      throw error instanceof TemplateError || !(run.wasDeep || isStackOverflow(error)) ? error : tooDeep(name);
    }
  }
}

function tooDeep(name: string): TemplateError {
  return new TemplateError('budget', `template: ${name}: templates or values are nested too deep`);
}
