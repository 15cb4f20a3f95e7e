import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCatalogue, openTriage } from '../src/control/index.js';
import { type JsonObject, parseJson } from '../src/model/json/index.js';
import type { KubeObject } from '../src/model/kubernetes/index.js';
import { SnapshotBuilder } from '../src/triage/index.js';
import { READINGS } from './recorded/readings.js';
import { recordedDump } from './recorded/recorded-dump.js';

/**
 * `npm run bench:recorded -- [DIR]`: triage of faults that a real kubelet met, by what it said of them: `faults.py` and
 * `recorded/*.json` below DIR. Prints for each recording how many first causes are right, and what the others are.
 */
const folder = process.argv[2] ?? join(import.meta.dirname, '../../shared/node');
if (!existsSync(join(folder, 'recorded'))) {
  console.log(`skipped: no recordings of a node in ${folder}`);
  process.exit(0);
}
const scratch = mkdtempSync(join(tmpdir(), 'recorded-'));
execFileSync('python3', [join(folder, 'faults.py'), scratch], { stdio: 'ignore' });
const manifestsOf = (fault: string): KubeObject[] =>
  readFileSync(join(scratch, fault, 'all.yaml'), 'utf8')
    .split('\n---\n')
    .map((text) => parseJson(text) as JsonObject as KubeObject);
const judge = openTriage(loadCatalogue(join(import.meta.dirname, '../catalogue')), () => 0);
for (const file of readdirSync(join(folder, 'recorded'))
  .filter((name) => !name.startsWith('simulated'))
  .sort()) {
  const recording = parseJson(readFileSync(join(folder, 'recorded', file), 'utf8')) as Record<string, string[]>;
  const missed = Object.entries(recording).flatMap(([namespace, said]) => {
    const fault = namespace.replace(/^f-/, '');
    const builder = new SnapshotBuilder();
    for (const object of recordedDump(fault, manifestsOf(fault), said)) builder.add(object, fault);
    const [first] = judge(builder.build(builder.latest ?? 0)).causes;
    const reading = READINGS[fault];
    const isRight =
      first !== undefined &&
      reading?.codes.includes(first.rule) === true &&
      reading.says?.test(`${first.title} ${first.field} ${JSON.stringify(first.evidence)}`) !== false;
    return isRight ? [] : [`  ${fault}: ${first === undefined ? 'nothing' : `${first.rule} ${first.title}`}`];
  });
  const all = Object.keys(recording).length;
  console.log(`${file}: ${all - missed.length} of ${all}, ${((all - missed.length) / all).toFixed(2)}`);
  for (const line of missed) console.log(line);
}
rmSync(scratch, { recursive: true });
