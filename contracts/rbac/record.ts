// npm run contracts:record-rbac
// Asks the enforcer of Argo CD the questions of the tests and keeps its answers: building it takes minutes, comparing
// takes a second.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArgoCdRights } from './argo-cd.js';
import { generateQuestion } from './generate.js';
import { RECORDED, recordedText } from './recorded.js';

const theirs = await ArgoCdRights.open();
if (typeof theirs === 'string') throw new Error(theirs);
try {
  const answers: string[] = [];
  for (let seed = 1; seed <= RECORDED.questions; seed++)
    answers.push(recordedText(await theirs.answer(generateQuestion(seed))));
  writeFileSync(join(import.meta.dirname, RECORDED.file), `${JSON.stringify(answers, null, 1)}\n`);
} finally {
  await theirs.close();
}
