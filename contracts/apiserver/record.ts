import { readFileSync, writeFileSync } from 'node:fs';
import { isMap, parseDocument, visit } from 'yaml';
import { readCases, type Case, type StepResult } from './case.js';
import { play } from './play.js';
import { openReal } from './servers.js';

/**
 * Writes what the real server shows into the steps that expect nothing yet. With a word, only cases whose path contains
 * it; with --again, also over what is there. The result is read by a person before it is kept.
 */
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const again = process.argv.includes('--again');

const wanted = readCases().filter(
  ({ file, steps, skip }) =>
    skip.real === undefined &&
    words.every((word) => file.includes(word)) &&
    (again || steps.some((step) => step.expect === undefined && step.has === undefined)),
);
if (wanted.length > 0) {
  const server = await openReal();
  let failed = 0;
  for (const one of wanted) {
    try {
      const seen: StepResult[] = [];
      await play(server.connection, one, (_, shown) => {
        seen.push(shown);
      });
      write(one, seen);
      console.log(`recorded ${one.topic}: ${one.name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED ${one.file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  await server.stop();
  process.exitCode = failed > 0 ? 1 : 0;
}

function write(one: Case, seen: readonly StepResult[]): void {
  const document = parseDocument(readFileSync(one.file, 'utf8'));
  for (const [index, step] of one.steps.entries()) {
    if (step.has !== undefined || (step.expect !== undefined && !again)) continue;
    const node = document.createNode(seen[index], { aliasDuplicateObjects: false });
    visit(node, {
      Map: (_, map) => {
        map.flow = map.items.length === 0;
      },
    });
    const target = document.getIn(['steps', index]);
    if (isMap(target)) target.set('expect', node);
  }
  writeFileSync(one.file, document.toString({ lineWidth: 0, flowCollectionPadding: false, indentSeq: false }));
}
