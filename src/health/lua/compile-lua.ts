import { readProgram, type LuaProgram } from './program.js';

/** Characters of text whose programs are kept, twice: those asked for lately, and those of the time before. */
const GENERATION = 512 * 1024;
/** A longer text is compiled every time: its program would fill the memory for nothing. */
const MAX_LENGTH = 64 * 1024;

let recent = new Map<string, LuaProgram>();
let recentSize = 0;
let older = new Map<string, LuaProgram>();

/**
 * Compiles Lua text, or gives the program it was compiled to before: programs never change. The text itself is the key,
 * since the host keeps the hash of every string it has looked up once. Throws a LuaError of kind `syntax`.
 */
export function compileLua(source: string, name = '<string>'): LuaProgram {
  const known = recent.get(source);
  if (known?.name === name) return known;
  const program = reuse(older.get(source), name) ?? readProgram(source, name);
  if (source.length <= MAX_LENGTH) keep(source, program);
  return program;
}

function keep(source: string, program: LuaProgram): void {
  // Every program weighs something, however short its text is.
  recentSize += source.length + 256;
  if (recentSize > GENERATION) {
    older = recent;
    recent = new Map();
    recentSize = source.length + 256;
  }
  recent.set(source, program);
}

/** Empties the cache, to measure what a script costs that was never seen before. */
export function forgetPrograms(): void {
  recent = new Map();
  recentSize = 0;
  older = new Map();
}

function reuse(program: LuaProgram | undefined, name: string): LuaProgram | undefined {
  return program?.name === name ? program : undefined;
}
