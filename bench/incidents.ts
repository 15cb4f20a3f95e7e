import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../contracts/harness/read-flags.js';
import { collectFiles, loadCatalogue, openTriage } from '../src/control/index.js';
import type { Snapshot } from '../src/triage/index.js';
import { type Incident, readIncidents } from './incidents/labels.js';
import { pastedText } from './incidents/pasted-text.js';
import { missedOf, tableOf } from './incidents/table.js';
import { judge, type Verdict } from './incidents/verdict.js';

/**
 * `npm run bench:incidents -- [DIR] [--missed] [--only TEXT] [--text]`: triage of incidents that others caused and
 * labelled, `labels.jsonl` and `cases/NAME.tar.gz` below DIR; with `--text` of what kubectl prints about them.
 */
const DEFAULT_FOLDER = join(import.meta.dirname, '../../shared/incidents');

const { values, positionals } = readFlags({
  options: {
    missed: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    text: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const folder = positionals[0] ?? DEFAULT_FOLDER;
const incidents = readIncidents(folder);
if (incidents === undefined) {
  console.log(`skipped: no labelled incidents in ${folder}`);
  process.exit(0);
}
const judgeSnapshot = openTriage(loadCatalogue(join(import.meta.dirname, '../catalogue')), () => 0);
const verdicts: Verdict[] = [];
const scratch = await mkdtemp(join(tmpdir(), 'incidents-'));
for (const incident of incidents.filter(({ name, fault }) => `${name} ${fault}`.includes(values.only))) {
  const snapshot = await collectFiles([incident.file], { now: 0 });
  verdicts.push(judge(incident, judgeSnapshot(values.text ? await asPasted(snapshot, incident) : snapshot)));
}
await rm(scratch, { recursive: true });
for (const line of [...tableOf(verdicts), ...(values.missed ? missedOf(verdicts) : [])]) console.log(line);

/** What is left of a snapshot on its way through the text of kubectl. */
async function asPasted(snapshot: Snapshot, { name, namespace }: Incident): Promise<Snapshot> {
  const file = join(scratch, `${name}.txt`);
  await writeFile(file, pastedText(snapshot, namespace));
  return collectFiles([file], { now: snapshot.time });
}
