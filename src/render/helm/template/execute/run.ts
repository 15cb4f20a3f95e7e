import { isStackOverflow, type Budget } from '../budget.js';
import { quoteText } from '../value/go-text.js';
import type { GoValue } from '../value/go-type.js';
import { State, type MissingKey, type Runner, type Val, type Walk } from './state.js';
import { functionError, TemplateError } from '../template-error.js';

/** Helm's name for the template that holds all others, and for text given to `tpl`. */
export const ROOT_NAME = 'gotpl';

/** The templates of a run. */
interface Templates {
  has(name: string): boolean;
  body(name: string): Walk;
  /** A copy with one more text, named ROOT_NAME. */
  withText(text: string, failed: (error: TemplateError) => TemplateError): Templates;
}

const DEEP = 100;

/** Helm stops a template that includes itself this often. */
const MAX_INCLUDES = 1000;

/** One call of `execute`: the output so far, and what functions may ask of the engine. */
export class Run implements Runner {
  private out = '';
  private level = 0;
  /** So many templates were inside one another that the stack may have ended; what is thrown then can be anything. */
  wasDeep = false;
  private readonly included = new Map<string, number>();

  constructor(
    private set: Templates,
    readonly missingKey: MissingKey,
    readonly budget: Budget,
    readonly host: unknown,
  ) {}

  write(text: string): void {
    this.budget.write(text.length);
    this.out += text;
  }

  charge(steps: number): void {
    this.budget.charge(steps);
  }

  has(name: string): boolean {
    return this.set.has(name);
  }

  /** Runs a template into a buffer of its own. */
  render(name: string, data: Val): string {
    if (!this.set.has(name))
      throw functionError(`template: no template ${quoteText(name)} associated with template ${quoteText(ROOT_NAME)}`);
    const before = this.out;
    this.out = '';
    this.walk(name, data ?? undefined);
    const text = this.out;
    this.out = before;
    return text;
  }

  /** Runs a template into the present buffer. */
  walk(name: string, data: Val): void {
    this.level++;
    if (this.level > DEEP) this.wasDeep = true;
    this.set.body(name)(new State(this, name, data), data);
    this.level--;
  }

  include(name: string, data: GoValue): string {
    const count = this.included.get(name) ?? 0;
    if (count > MAX_INCLUDES) throw nestedReference(name);
    this.included.set(name, count + 1);
    try {
      return this.render(name, data ?? undefined);
    } catch (error) {
      // Our stack may end before Helm's count does; nothing but endless recursion nests that deep.
      throw isStackOverflow(error) ? nestedReference(name) : error;
    } finally {
      this.included.set(name, count);
    }
  }

  tpl(text: string, data: GoValue): string {
    const outer = this.set;
    const inner = outer.withText(text, (error) =>
      functionError(`cannot parse template ${quoteText(text)}: ${error.message}`, error),
    );
    this.set = inner;
    try {
      return withoutNoValue(this.render(ROOT_NAME, data ?? undefined));
    } catch (error) {
      if (!(error instanceof TemplateError) || error.kind === 'budget') throw error;
      throw functionError(`error during tpl function execution for ${quoteText(text)}: ${error.message}`, error);
    } finally {
      this.set = outer;
    }
  }
}

function nestedReference(name: string): TemplateError {
  return functionError(`rendering template has a nested reference name: ${name}: unable to execute template`);
}

/** Go writes this for a value that is missing, Helm takes it out again. */
export function withoutNoValue(text: string): string {
  return text.includes('<no value>') ? text.replaceAll('<no value>', '') : text;
}
