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
  readonly difference?: Difference;
}

export async function compareProgram(gopherLua: GopherLua, seed: number, topic?: string): Promise<Comparison> {
  const program = generateProgram(seed, topic);
  const theirs = await gopherLua.run(program);
  const facts = { topic: program.topic, lines: theirs.printed.length, errors: theirs.printed.filter((line) => line.startsWith('false |')).length };
  if (outcomeText(theirs) === outcomeText(runOurs(program))) return facts;
  return { ...facts, difference: await shortest(gopherLua, program, seed) };
}

async function shortest(gopherLua: GopherLua, program: Generated, seed: number): Promise<Difference> {
  const outcomes = async (source: string): Promise<readonly [Outcome, Outcome]> => {
    const candidate: LuaCase = { source, openLibs: program.openLibs };
    return [await gopherLua.run(candidate), runOurs(candidate)];
  };
  const [first, second] = await outcomes(program.source);
  const mayBreak = first.failure === 'syntax' || second.failure === 'syntax';
  const isSame = (theirs: Outcome, ours: Outcome): boolean => outcomeText(theirs) === outcomeText(ours);
  // What programs begin with stays whole: without it other things would differ.
  const begin = program.source.startsWith(PRELUDE) ? PRELUDE : '';
  const rest = await shrinkLines(program.source.slice(begin.length), async (shorter) => {
    const [theirs, ours] = await outcomes(begin + shorter);
    // A line that was torn out of its statement tells nothing about the difference that was found.
    if (!mayBreak && (theirs.failure === 'syntax' || ours.failure === 'syntax')) return false;
    return !isSame(theirs, ours);
  });
  const [theirs, ours] = await outcomes(begin + rest);
  return { seed, topic: program.topic, source: `-- the prelude of generate/prelude.ts${rest}`, gopherLua: outcomeText(theirs), ours: outcomeText(ours) };
}

export function differenceText({ seed, topic, source, gopherLua, ours }: Difference): string {
  return [`${topic} (program ${seed})`, source, '--- gopher-lua', gopherLua, '--- ours', ours].join('\n');
}
