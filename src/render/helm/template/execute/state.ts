import type { Budget } from '../budget.js';
import { quoteText } from '../value/go-text.js';
import { nodeText, placeText } from '../parse/node-text.js';
import type { AnyNode } from '../parse/node.js';
import { TemplateError } from '../template-error.js';
import { isTooLong, tooLong } from '../value/weight.js';
import type { CallContext, GoValue } from '../value/go-type.js';

/**
 * What an expression gives: null is a nil that sits in a map, list or variable of type interface{}; undefined is no
 * value at all. Go's messages tell the two apart, and so does access to a field of them.
 */
export type Val = GoValue | undefined;

/** What a map gives for a key it has not: Go's options for `missingkey`. */
export type MissingKey = 'invalid' | 'zero' | 'error';

/** The execution that a template is part of. */
export interface Runner extends CallContext {
  readonly missingKey: MissingKey;
  readonly budget: Budget;
  write(text: string): void;
  has(name: string): boolean;
  /** Runs another template into the same output. */
  walk(name: string, data: Val): void;
}

/** How a list of nodes ended. */
export type Signal = 'next' | 'break' | 'continue';

export type Eval = (state: State, dot: Val) => Val;
/** A stage of a pipeline; `final` is what the stage before gave. */
export type Stage = (state: State, dot: Val, final: Val) => Val;
export type Walk = (state: State, dot: Val) => Signal;

/** One execution of one template: its variables, and the node that an error would cite. */
export class State {
  /** The node that was begun last. Go cites it in errors even when it is done, so it is set wherever Go sets it. */
  node: AnyNode | undefined;
  /** Whether dot was taken from a list or map of interface{}: the type that errors then name. */
  isDotBoxed = false;
  /** The same for the value that the last field access gave. */
  isBoxed = false;
  private readonly names: string[] = ['$'];
  private readonly values: Val[];
  private readonly boxes: boolean[] = [false];

  constructor(
    readonly run: Runner,
    readonly template: string,
    data: Val,
  ) {
    this.values = [data];
  }

  mark(): number {
    return this.names.length;
  }

  pop(mark: number): void {
    // Setting the length would be slower, and most blocks declare nothing.
    while (this.names.length > mark) {
      this.names.pop();
      this.values.pop();
      this.boxes.pop();
    }
  }

  push(name: string, value: Val): void {
    this.names.push(name);
    this.values.push(value);
    this.boxes.push(false);
  }

  setVariable(name: string, value: Val, isBoxed: boolean): void {
    const at = this.find(name);
    this.values[at] = value;
    this.boxes[at] = isBoxed;
  }

  /** Sets the variable that is `depth` from the top of the stack. */
  setTop(depth: number, value: Val, isBoxed: boolean): void {
    const at = this.names.length - depth;
    this.values[at] = value;
    this.boxes[at] = isBoxed;
  }

  /** Leaves in `isBoxed` what is known about the value. */
  variable(name: string): Val {
    const at = this.find(name);
    this.isBoxed = this.boxes[at] === true;
    return this.values[at];
  }

  private find(name: string): number {
    const at = this.names.lastIndexOf(name);
    return at < 0 ? this.fail(`undefined variable: ${name}`) : at;
  }

  fail(message: string, wrapped?: TemplateError): never {
    const { node, template } = this;
    const place =
      node === undefined ? template : `${placeText(node)}: executing ${quoteText(template)} at <${nodeText(node)}>`;
    throw new TemplateError('exec', `template: ${place}: ${message}`, wrapped);
  }

  /** What a function threw becomes an error at the call. */
  callFailed(node: AnyNode, name: string, error: unknown): never {
    if (isTooLong(error)) throw tooLong();
    if (!(error instanceof TemplateError) || error.kind === 'budget') throw error;
    this.node = node;
    return this.fail(`error calling ${name}: ${error.message}`, error);
  }
}
