import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generateQuestion } from './generate.js';
import { answerOurs } from './ours.js';
import { RECORDED, recordedText } from './recorded.js';

// `npm run prove -- rbac-differential` asks the enforcer itself, and more.
it('what Argo CD allowed is allowed, and nothing else', () => {
  const answers = JSON.parse(readFileSync(join(import.meta.dirname, RECORDED.file), 'utf8')) as readonly string[];
  expect(answers).toHaveLength(RECORDED.questions);
  for (const [index, theirs] of answers.entries())
    expect([index + 1, recordedText(answerOurs(generateQuestion(index + 1)))]).toEqual([index + 1, theirs]);
});
