import { shrinkLines } from '../lua/shrink.js';
import { generateTask } from './generate-templates.js';
import type { GoTemplate } from './go-template.js';
import { renderOurs } from './templates/ours.js';
import type { Answer, Task } from './templates/task.js';

/** A task that the two engines do not answer alike, as short as it could be made. */
export interface Difference {
  readonly seed: number;
  readonly task: Task;
  readonly go: string;
  readonly ours: string;
}

export interface Comparison {
  readonly topic: string;
  readonly answer: Answer;
  readonly difference?: Difference;
}

export async function compareTask(go: GoTemplate, seed: number, topic?: string): Promise<Comparison> {
  const task = generateTask(seed, topic);
  const answer = await go.run(task);
  const facts = { topic: task.topic, answer };
  // What Go does not finish in its time is no judge.
  if (answer.failure === 'time' || answerText(answer) === answerText(renderOurs(task))) return facts;
  return { ...facts, difference: await shortest(go, task, seed) };
}

async function shortest(go: GoTemplate, task: Task, seed: number): Promise<Difference> {
  const differs = async (candidate: Task): Promise<boolean> =>
    answerText(await go.run(candidate)) !== answerText(renderOurs(candidate));
  let small = task;
  for (const [index] of task.templates.entries()) {
    const withText = (text: string): Task => ({
      ...small,
      templates: small.templates.map((source, at) => (at === index ? { ...source, text } : source)),
    });
    const text = await shrinkLines(small.templates[index]?.text ?? '', (shorter) => differs(withText(shorter)));
    small = withText(text);
  }
  return { seed, task: small, go: answerText(await go.run(small)), ours: answerText(renderOurs(small)) };
}

/** How often an endless recursion repeats itself depends on the stack, so that repetitions count once. */
export function answerText({ output, failure, message }: Answer): string {
  if (failure === '') return `output\n${output}`;
  if (failure === 'time') return 'takes too long';
  const calls = message.split('error calling ');
  const isEndless = message.includes('nested reference name') || message.includes('maximum template depth');
  return `${failure}\n${isEndless ? [...new Set(calls)].join('error calling ') : message}`;
}

export function differenceText({ seed, task, go, ours }: Difference): string {
  const templates = task.templates.filter(({ text }) => text !== '').map(({ name, text }) => `--- ${name}\n${text}`);
  return [
    `${task.topic} (task ${seed}, missingkey=${task.missingKey})`,
    ...templates,
    `--- values ${JSON.stringify(task.values)}`,
    '--- Go',
    go,
    '--- ours',
    ours,
  ].join('\n');
}
