import { Dice } from '../lua/generate/dice.js';
import { TOPICS } from './templates/topics.js';
import type { Task } from './templates/task.js';

/** The same seed gives the same task; the topic is chosen by the seed unless it is named. */
export function generateTask(seed: number, topic?: string): Task {
  const dice = new Dice(seed);
  const name = topic ?? dice.pick(Object.keys(TOPICS));
  const make = TOPICS[name];
  if (make === undefined) throw new Error(`no topic ${name}`);
  return { topic: name, ...make(dice) };
}
