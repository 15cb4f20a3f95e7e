import { compileLua } from '../../src/health/lua/compile-lua.js';
import { LuaError } from '../../src/health/lua/lua-error.js';
import { numberToText } from '../../src/health/lua/library/number-text.js';
import { runLua } from '../../src/health/lua/run-lua.js';
import { toText } from '../../src/health/lua/text.js';
import { typeName, type LuaValue } from '../../src/health/lua/value.js';
import type { LuaCase, Outcome } from './program.js';

/** Our engine, with more room than a health check has: what is compared is the language. */
const BUDGET = { steps: 20_000_000, memory: 512 << 20 };

export function runOurs({ source, openLibs, object }: LuaCase): Outcome {
  const printed: string[] = [];
  let isCompiled = false;
  try {
    const program = compileLua(source);
    isCompiled = true;
    const returned = runLua(
      program,
      { obj: object },
      { openLibs, now: () => 0, budget: BUDGET, print: (text) => printed.push(text) },
    );
    return { printed, returned: returned.map(text), failure: '', message: '' };
  } catch (error) {
    if (!(error instanceof LuaError)) throw error;
    if (!isCompiled) return { printed, returned: [], failure: 'syntax', message: error.message };
    if (error.kind === 'budget') return { printed, returned: [], failure: 'time', message: error.message };
    return { printed, returned: [], failure: 'run', message: text(error.value) };
  }
}

/** As the Go program shows it: what has only an address shows its type. */
function text(value: LuaValue): string {
  if (typeof value === 'number') return numberToText(value);
  if (typeof value === 'string') return toText(value);
  return typeof value === 'boolean' ? String(value) : typeName(value);
}
