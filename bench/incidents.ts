import { join } from 'node:path';
import { readFlags } from '../contracts/harness/read-flags.js';
import { collectFiles, loadCatalogue, openTriage } from '../src/control/index.js';
import { readIncidents } from './incidents/labels.js';
import { missedOf, tableOf } from './incidents/table.js';
import { judge, type Verdict } from './incidents/verdict.js';

/**
 * `npm run bench:incidents -- [DIR] [--missed] [--only TEXT]`: triage of incidents that others caused and labelled,
 * `labels.jsonl` and `cases/NAME.tar.gz` below DIR.
 */
const DEFAULT_FOLDER = join(import.meta.dirname, '../../shared/incidents');

const { values, positionals } = readFlags({
  options: { missed: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
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
for (const incident of incidents.filter(({ name, fault }) => `${name} ${fault}`.includes(values.only)))
  verdicts.push(judge(incident, judgeSnapshot(await collectFiles([incident.file], { now: 0 }))));
for (const line of [...tableOf(verdicts), ...(values.missed ? missedOf(verdicts) : [])]) console.log(line);
