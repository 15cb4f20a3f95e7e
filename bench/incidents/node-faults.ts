import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packDump, type Recording } from '../../contracts/node/faults/lab.js';
import { namespaceOf, type NodeFault } from '../../contracts/node/faults/fault.js';
import { partsDir } from '../../contracts/real/go-build.js';
import { readingOf, type Incident } from './labels.js';

/** Where recordings of the real node are kept: as the incidents of others, `labels.jsonl` and `cases/NAME.tar.gz`. */
export const RECORDINGS = partsDir('node-faults');

/** A dump of a fault at one of its moments, as an incident to be judged. */
export function incidentOf(fault: NodeFault, moment: number, file: string): Incident {
  return {
    name: `${fault.fault}_${moment}`,
    file,
    category: fault.category,
    fault: fault.fault,
    component: fault.component,
    namespace: namespaceOf(fault),
    expertPaths: [],
    hasEvidence: true,
    reading: readingOf(fault.codes, fault.names),
  };
}

/** Keeps recordings packed, in place of older ones of the same faults. */
export async function keepRecordings(recordings: readonly Recording[]): Promise<void> {
  const cases = join(RECORDINGS, 'cases');
  mkdirSync(cases, { recursive: true });
  const labels = new Map(readLabels().map((line) => [(JSON.parse(line) as { case: string }).case, line]));
  for (const { fault, moment, dump } of recordings) {
    const name = `${fault.fault}_${moment}`;
    await packDump(dump, join(cases, `${name}.tar.gz`));
    rmSync(dump, { recursive: true });
    labels.set(
      name,
      JSON.stringify({
        case: name,
        category: fault.category,
        namespace: namespaceOf(fault),
        fault: fault.fault,
        component: fault.component,
        codes: fault.codes,
        says: fault.names,
      }),
    );
  }
  writeFileSync(join(RECORDINGS, 'labels.jsonl'), `${[...labels.values()].sort().join('\n')}\n`);
}

function readLabels(): string[] {
  const path = join(RECORDINGS, 'labels.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
