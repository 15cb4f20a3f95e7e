import { generateProgram, type Generated } from './generate.js';
import { PRELUDE } from './generate/prelude.js';
import type { GopherLua } from './gopher-lua.js';
import { runOurs } from './ours.js';
import { outcomeText, type LuaCase, type Outcome } from './program.js';
import { shrinkLines } from './shrink.js';

/** A program that the two engines do not run alike, as short as it could be made. */
export interface Difference {
  readonly seed: number;
  readonly topic: string;
  readonly source: string;
  readonly gopherLua: string;
  readonly ours: string;
}

/** What one program did on both; `difference` is undefined where they agree. */
export interface Comparison {
  readonly topic: string;
  /** Lines printed, and how many of them tell of an error that was caught. */
  readonly lines: number;
  readonly errors: number;
  /** gopher-lua itself crashed in Go: there is nothing to compare with. */
  readonly crashed?: true;
  readonly difference?: Difference;
}

export async function compareProgram(gopherLua: GopherLua, seed: number, topic?: string): Promise<Comparison> {
  const program = generateProgram(seed, topic);
  const theirs = await gopherLua.run(program);
  const facts = {
    topic: program.topic,
    lines: theirs.printed.length,
    errors: theirs.printed.filter((line) => line.startsWith('false |')).length,
  };
  if (hasCrashed(theirs)) return { ...facts, crashed: true };
  if (outcomeText(theirs) === outcomeText(runOurs(program))) return facts;
  return { ...facts, difference: await shortest(gopherLua, program, seed) };
}

/**
 * Some code that gopher-lua compiles leaves registers empty, and whatever reads them dereferences a nil pointer of Go:
 * `local function f(a) a = (type(1)) return a, "x" end f()`.
 */
function hasCrashed({ printed, message }: Outcome): boolean {
  return [...printed, message].some((line) => line.includes('invalid memory address or nil pointer dereference'));
}

async function shortest(gopherLua: GopherLua, program: Generated, seed: number): Promise<Difference> {
  const { openLibs, object } = program;
  const first = runOurs(program).failure;
  // What programs begin with stays whole: without it other things would differ.
  const begin = program.source.startsWith(PRELUDE) ? PRELUDE : '';
  const rest = await shrinkLines(program.source.slice(begin.length), async (shorter) => {
    const candidate: LuaCase = { source: begin + shorter, openLibs, object };
    const theirs = await gopherLua.run(candidate);
    // A line torn out of its statement or loop tells nothing about the difference that was found.
    if (theirs.failure === 'syntax' || theirs.failure === 'time' || hasCrashed(theirs)) return false;
    const ours = runOurs(candidate);
    return (
      (ours.failure === first || (ours.failure !== 'syntax' && ours.failure !== 'time')) &&
      outcomeText(theirs) !== outcomeText(ours)
    );
  });
  const shortened: LuaCase = { source: begin + rest, openLibs, object };
  return {
    seed,
    topic: program.topic,
    source:
      '-- the prelude of ' +
      `generate/prelude.ts${object === undefined ? '' : `, obj = ${JSON.stringify(object)}`}\n${rest.trim()}`,
    gopherLua: outcomeText(await gopherLua.run(shortened)),
    ours: outcomeText(runOurs(shortened)),
  };
}

export function differenceText({ seed, topic, source, gopherLua, ours }: Difference): string {
  const [theirs, mine] = [gopherLua.split('\n'), ours.split('\n')];
  const first = theirs.findIndex((line, index) => line !== mine[index]);
  const around = (lines: readonly string[]): string[] =>
    lines.slice(Math.max(0, first - 2), Math.max(0, first) + 4).map((line) => line.slice(0, 500));
  return [`${topic} (program ${seed})`, source, '--- gopher-lua', ...around(theirs), '--- ours', ...around(mine)].join(
    '\n',
  );
}
