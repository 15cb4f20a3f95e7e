import { Dice } from './generate/dice.js';
import { PRELUDE } from './generate/prelude.js';
import { TOPICS, type Topic } from './generate/topics.js';
import type { LuaCase } from './program.js';

/** A random program; the same seed gives the same program. */
export interface Generated extends LuaCase {
  readonly topic: string;
}

export function generateProgram(seed: number, only?: string): Generated {
  const dice = new Dice(seed);
  const [name, topic] = dice.pick(
    Object.entries<Topic>(TOPICS).filter(([known]) => only === undefined || known === only),
  );
  const body = topic.make(dice);
  const openLibs = topic.libraries || dice.chance(0.5);
  // Our engine keeps globals in a table only where a program may reach them by other ways than their names.
  const reach = dice.chance(0.3) ? 'local everything = _G\n' : '';
  return { topic: name, openLibs, object: topic.object?.(dice), source: `${PRELUDE}\n${reach}${body.join('\n')}\n` };
}
