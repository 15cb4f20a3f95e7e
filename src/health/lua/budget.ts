/** What one run may use. Whatever a script does, it ends with a LuaError before it uses more. */
export interface LuaBudget {
  /** About one per operation of the script; loops, calls and library work are counted. */
  readonly steps: number;
  /** Milliseconds, if the caller passes a clock for it. Argo CD gives a script one second. */
  readonly time: number;
  /** Bytes that the script may allocate in all, counted generously; nothing is given back. */
  readonly memory: number;
  /** Bytes of one string. */
  readonly stringLength: number;
  /** Nested calls of functions and metamethods, as many as gopher-lua has frames. */
  readonly depth: number;
}

export const DEFAULT_BUDGET: LuaBudget = {
  steps: 5_000_000,
  time: 1000,
  memory: 32 * 1024 * 1024,
  stringLength: 4 * 1024 * 1024,
  depth: 256,
};

export interface LuaOptions {
  /** Opens string, math, coroutine and the other libraries that Argo CD opens for its own scripts. */
  readonly openLibs?: boolean;
  /** Milliseconds since 1970, for os.time and os.date. */
  readonly now: () => number;
  /** A steady clock in milliseconds; without it only steps end a run. */
  readonly elapsed?: () => number;
  readonly budget?: Partial<LuaBudget>;
  /** Where print() goes; dropped if absent. */
  readonly print?: (text: string) => void;
}
