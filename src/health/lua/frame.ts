import type { Cell, LuaFunction, LuaValue, LuaValues } from './value.js';

/** Where in the text a call stands, and the name it calls by: what an error message needs. */
export interface CallSite {
  readonly line: number;
  readonly name: string;
}

/** What a host function that calls back is to the functions it calls. */
export const HOST_SITE: CallSite = { line: -1, name: '(anonymous)' };

/** One running function. Variables that no closure captures live in slots, the others in cells. */
export class Frame {
  /** How many functions this frame has replaced itself by. */
  tailCalls = 0;
  /** Set by `return`. */
  result: LuaValues | undefined = undefined;
  /** Set by a tail call: what to go on with. */
  next: LuaFunction | undefined = undefined;
  /** Set by `goto`. */
  label: object | undefined = undefined;
  constructor(
    /** undefined for a host function that calls back. */
    readonly fn: LuaFunction | undefined,
    readonly caller: Frame | undefined,
    readonly slots: LuaValue[],
    readonly cells: Cell[],
    readonly varargs: LuaValues,
    /** The call or operation that runs now, or ran last. */
    public site: CallSite,
  ) {}
}
