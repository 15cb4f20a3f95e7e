import { readProgram, type LuaProgram } from './program.js';

/** Programs that were asked for lately, and those of the time before; together they are never more than twice this many. */
const GENERATION = 256;

let recent = new Map<string, LuaProgram>();
let older = new Map<string, LuaProgram>();

/**
 * Compiles Lua text, or gives the program it was compiled to before: programs never change. The text itself is the key,
 * since the host keeps the hash of every string it has looked up once. Throws a LuaError of kind `syntax`.
 */
export function compileLua(source: string, name = '<string>'): LuaProgram {
  const known = recent.get(source);
  if (known?.name === name) return known;
  const program = reuse(older.get(source), name) ?? readProgram(source, name);
  if (recent.size >= GENERATION) {
    older = recent;
    recent = new Map();
  }
  recent.set(source, program);
  return program;
}

/** Empties the cache, to measure what a script costs that was never seen before. */
export function forgetPrograms(): void {
  recent = new Map();
  older = new Map();
}

function reuse(program: LuaProgram | undefined, name: string): LuaProgram | undefined {
  return program?.name === name ? program : undefined;
}
