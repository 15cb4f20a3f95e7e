import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chosenClusters } from '../deliver/clusters.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { executionMissing } from '../notebook/execution.js';
import { DocumentsLab, walksMissing } from './documents-lab.js';
import { readWalk, walkedSeeds, type Walk } from './read-walk.js';

const LONG = 300_000;
const absent = (await walksMissing()) ?? embeddedMissing();
const noExecution = executionMissing();
/** All chapters of all walks: `npm run prove -- documents`. */
const isWhole = process.env['ARGOSY_CONTRACT'] !== undefined;

for (const { name, missing } of chosenClusters('embedded')) {
  const reason = absent ?? (await missing());
  describe.skipIf(reason !== undefined)(reason ?? `the walks of the documents on the ${name} cluster`, () => {
    let lab: DocumentsLab;
    beforeAll(async () => {
      lab = await DocumentsLab.open(name);
    }, LONG);
    afterAll(() => lab.close());
    for (const seed of walkedSeeds()) {
      const walk = readWalk(seed);
      if (walk !== undefined) walks(walk, () => lab, name);
    }
  });
}

function walks(walk: Walk, lab: () => DocumentsLab, cluster: string): void {
  for (const chapter of walk.chapters) {
    const { name, lines, pending, executes } = chapter;
    if (!(isWhole || chapter.isSmoke) || !chapter.clusters.some((each) => each === cluster)) continue;
    const why = pending ?? (executes ? noExecution : undefined);
    it.skipIf(why !== undefined)(
      `${walk.seed}, lines ${lines}: ${name}${why === undefined ? '' : ` (${why})`}`,
      async () => {
        expect(await lab().walk(walk, chapter)).toBeUndefined();
      },
      LONG,
    );
  }
}
