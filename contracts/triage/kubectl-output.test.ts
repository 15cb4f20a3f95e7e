import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRuleSet, SnapshotBuilder, textReader, triage, type Report } from '../../src/triage/index.js';
import { expectedCauses } from '../../src/triage/testing/expected-causes.js';

/**
 * What the real kubectl prints about the snapshots of the cases (`npm run contracts:record-triage` records it):
 * people paste it, and the cause must be found from it.
 */
const OUTPUT_FOLDER = join(import.meta.dirname, 'kubectl-output');
const CASES = join(import.meta.dirname, '../../src/triage/cases');
const NOW = Date.parse('2026-11-16T12:00:00Z');

function triageFiles(name: string, files: readonly string[]): Report {
  const builder = new SnapshotBuilder();
  for (const file of files) {
    const reader = textReader(builder, file);
    reader.push(readFileSync(join(OUTPUT_FOLDER, name, file)));
    reader.end();
  }
  return triage(builder.build(NOW), { rules: createRuleSet, assess: () => undefined });
}

/**
 * `P1 D03 sure StorageClass gold | metadata.name` of the case from its objects, without severity, field and how sure.
 */
function expectedFirst(name: string): string | undefined {
  const [line = ''] = expectedCauses(readFileSync(join(CASES, `${name}.yaml`), 'utf8'));
  const [head = ''] = line.split(' | ');
  return line === '' ? undefined : [head.split(' ')[1], ...head.split(' ').slice(3)].join(' ');
}

function firstCauseText({ causes: [cause] }: Report): string {
  if (cause === undefined) return 'nothing';
  const objects = cause.objects.map(({ kind, namespace, name }) =>
    namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`,
  );
  return `${cause.rule} ${objects.join(' + ')}`;
}

const cases = readdirSync(OUTPUT_FOLDER).filter(
  (name) => existsSync(join(CASES, `${name}.yaml`)) && expectedFirst(name) !== undefined,
);

/**
 * The rest needs logs, or fields that no text shows: conditions of Jobs, sizes that claims ask for, who wrote which
 * field.
 */
it.each([
  ['describe', ['describe.txt'], 0.7],
  ['describe and get -o wide', ['describe.txt', 'wide.txt'], 0.7],
  ['get -o wide', ['wide.txt'], 0.12],
])('the first cause is found from the text of kubectl %s as from the objects', (_what, files, share) => {
  const missed = cases.filter((name) => firstCauseText(triageFiles(name, files)) !== expectedFirst(name));
  expect(1 - missed.length / cases.length, missed.join('\n')).toBeGreaterThanOrEqual(share);
});

it('finds the cause from a part of the output', () => {
  const whole = readFileSync(join(OUTPUT_FOLDER, 'a-toleration-that-a-template-lacks/describe.txt'), 'utf8');
  const [pod = ''] = whole.split(/\n\n\n/).filter((part) => part.includes('QoS Class'));
  const builder = new SnapshotBuilder();
  const reader = textReader(builder, 'notes.md');
  reader.push(
    Buffer.from(
      `It has been pending since noon:\n\n\`\`\`\n$ kubectl describe pod -n shop\n${pod}\n\`\`\`\n\nAny idea?\n`,
    ),
  );
  reader.end();
  expect(firstCauseText(triage(builder.build(NOW), { rules: createRuleSet, assess: () => undefined }))).toMatch(
    /^C01 /,
  );
});
