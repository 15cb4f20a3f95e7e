import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { type Finding, type LintRule } from '../finding.js';
import { childrenOf, startOf, textOf, type Chunk, type Node, type Position, type Statement } from './parse-script.js';
import { mergeStates, type State } from './state.js';
import type { Literal, Place, Scope, Value } from './value.js';

/** One way an expression can come out. */
export interface Outcome {
  readonly state: State;
  readonly value: Value;
  /** Further values of a call. */
  readonly rest?: readonly Value[];
}

export interface Returned {
  readonly state: State;
  readonly values: readonly Value[];
  readonly node: Node;
}

/** How a block can end, path by path. */
export interface Flow {
  readonly next: readonly State[];
  readonly breaks: readonly State[];
  readonly returns: readonly Returned[];
  readonly jumps: readonly { readonly label: string; readonly state: State }[];
}

/** The parts of the analysis that call each other. */
export interface Interpreter {
  readonly analysis: Analysis;
  readonly evaluate: (expression: Node, state: State, scope: Scope) => Outcome[];
  readonly call: (callee: Value, args: readonly Value[], at: { state: State; node: Node; scope: Scope }) => Outcome[];
  readonly run: (block: readonly Statement[], states: readonly State[], scope: Scope) => Flow;
}

/** A test of a field of the object against a value, found anywhere in the script. */
export interface Comparison {
  readonly path: readonly string[];
  readonly value: Literal;
}

interface FindingDetails {
  readonly severity: Finding['severity'];
  readonly message: string;
  readonly hint: string;
  readonly at?: Position;
  readonly example?: KubeObject;
}

const MAX_STEPS = 15_000;

/** What one look at a script has found so far. */
export class Analysis {
  readonly comparisons = new Map<string, Comparison>();
  /** Fields of the object that the script reads. */
  readonly reads = new Set<string>();
  /** Fields that the script itself tests for nil somewhere; whoever does that knows they can be missing. */
  readonly nilTested = new Set<string>();
  readonly executed = new Set<Node>();
  readonly entered = new Set<readonly Statement[]>();
  /** Conditions of `if` and `elseif` that held on some path, and all that were looked at. */
  readonly held = new Set<Node>();
  readonly evaluated = new Set<Node>();
  readonly assignedGlobals = new Set<string>();
  readonly comparedText = new Set<string>();
  /** Calls that stand in the script more than once in the same words. */
  readonly repeatedCalls = new Set<string>();
  /** Some paths were not followed; rules about all paths must stay silent. */
  isPartial = false;

  readonly #findings = new Map<string, Finding>();
  readonly #ids = new Map<Node, number>();
  readonly #calls = new Set<string>();
  #steps = 0;
  #silent = 0;

  constructor(
    readonly source: string,
    readonly chunk: Chunk,
    readonly settings: {
      readonly name: string;
      readonly group: string;
      readonly kind: string;
      readonly openLibs: boolean;
      readonly schema: JsonObject | undefined;
      readonly testedBefore: ReadonlySet<string>;
    },
  ) {
    this.#prepare(chunk);
  }

  get findings(): Finding[] {
    return [...this.#findings.values()];
  }

  idOf(node: Node): string {
    return String(this.#ids.get(node) ?? 0);
  }

  textOf(node: Node): string {
    return textOf(this.source, node);
  }

  report(rule: LintRule, node: Node, problem: FindingDetails): void {
    if (this.#silent > 0) return;
    const { line, column } = problem.at ?? startOf(node);
    const key = `${rule} ${this.idOf(node)}`;
    const known = this.#findings.get(key);
    if (known !== undefined && (known.severity === 'error' || problem.severity === 'warning')) return;
    const { severity, message, hint, example } = problem;
    const finding: Finding = { rule, severity, message, where: { name: this.settings.name, line, column }, hint };
    this.#findings.set(key, example === undefined ? finding : { ...finding, example });
  }

  /** Runs code whose mistakes do not count, such as a function under pcall. */
  silently<T>(run: () => T): T {
    this.#silent++;
    try {
      return run();
    } finally {
      this.#silent--;
    }
  }

  /** False when the script is too large to follow further. */
  step(): boolean {
    if (++this.#steps <= MAX_STEPS) return true;
    this.isPartial = true;
    return false;
  }

  merge(states: readonly State[]): State[] {
    return mergeStates(states, () => {
      this.isPartial = true;
    });
  }

  /**
   * Places whose absence the script itself reckons with are reported even where nothing else says they can be absent.
   */
  isReckonedWith(place: Place): boolean {
    // A loop that has tested every element speaks for the next loop too, so elements do not count.
    return (
      place.path !== undefined && !place.path.includes('[]') && this.settings.testedBefore.has(place.path.join('.'))
    );
  }

  noteComparison(place: Place, value: Literal): void {
    if (place.path !== undefined)
      this.comparisons.set(`${place.path.join('.')}=${JSON.stringify(value)}`, { path: place.path, value });
  }

  #prepare(node: Node): void {
    this.#ids.set(node, this.#ids.size + 1);
    if (node.type === 'AssignmentStatement') {
      for (const variable of node.variables)
        if (variable.type === 'Identifier') this.assignedGlobals.add(variable.name);
    } else if (node.type === 'FunctionDeclaration') {
      if (!node.isLocal && node.identifier?.type === 'Identifier') this.assignedGlobals.add(node.identifier.name);
    } else if (node.type === 'BinaryExpression' && (node.operator === '==' || node.operator === '~=')) {
      for (const side of [node.left, node.right]) if (side.type === 'StringLiteral') this.comparedText.add(side.value);
    }
    if (node.type === 'CallExpression' && node.base.type === 'Identifier') this.#noteCall(textOf(this.source, node));
    for (const child of childrenOf(node)) this.#prepare(child);
  }

  #noteCall(text: string): void {
    if (this.#calls.has(text)) this.repeatedCalls.add(text);
    this.#calls.add(text);
  }
}
