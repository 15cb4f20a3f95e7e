import type { LuaValue } from './value.js';

/**
 * - `syntax`: the text is not Lua.
 * - `runtime`: the script failed or called error(); pcall in the script can catch it.
 * - `budget`: steps, time, memory or nesting are used up; nothing in the script can catch it.
 */
export type LuaErrorKind = 'syntax' | 'runtime' | 'budget';

export interface LuaErrorPlace {
  readonly script: string;
  readonly line: number | undefined;
}

/** What went wrong in a script, worded as gopher-lua does (`<string>:3: …`). */
export class LuaError extends Error {
  override readonly name = 'LuaError';
  constructor(
    readonly kind: LuaErrorKind,
    message: string,
    /** The error value in the script: mostly the message, but error() takes any value. */
    readonly value: LuaValue,
    readonly place: LuaErrorPlace,
  ) {
    super(message);
  }
}
