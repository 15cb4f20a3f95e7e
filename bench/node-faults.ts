import { join } from 'node:path';
import { readFlags } from '../contracts/harness/read-flags.js';
import { collectFiles, loadCatalogue, openTriage } from '../src/control/index.js';
import { readIncidents } from './incidents/labels.js';
import { RECORDINGS } from './incidents/node-faults.js';
import { missedOf, tableOf } from './incidents/table.js';
import { judge, type Verdict } from './incidents/verdict.js';

/**
 * `npm run bench:node-faults -- [DIR] [--missed] [--only TEXT]`: triage of what `npm run prove -- node-faults` recorded
 * on the real node, a table for each of the three moments of a fault.
 */
const { values, positionals } = readFlags({
  options: { missed: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
  allowPositionals: true,
});
const folder = positionals[0] ?? RECORDINGS;
const incidents = readIncidents(folder);
if (incidents === undefined) {
  console.log(`skipped: no recordings of the real node in ${folder} (npm run prove -- node-faults)`);
  process.exit(0);
}
const triageOf = openTriage(loadCatalogue(join(import.meta.dirname, '../catalogue')), () => 0);
const verdicts: Verdict[] = [];
for (const incident of incidents.filter(({ name, category }) => `${category} ${name}`.includes(values.only)))
  verdicts.push(judge(incident, triageOf(await collectFiles([incident.file], { now: 0 }))));
for (const moment of ['0', '1', '2']) {
  const of = verdicts.filter(({ incident }) => incident.name.endsWith(`_${moment}`));
  console.log(`moment ${Number(moment) + 1}`);
  for (const line of [...tableOf(of), ...(values.missed ? missedOf(of) : [])]) console.log(line);
}
