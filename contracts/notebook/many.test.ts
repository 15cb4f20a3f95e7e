import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../src/model/json/index.js';
import { NotebookLab, runnerLine } from './notebook-lab.js';
import { NOTEBOOK_VALIDATION_JOBS } from '../../src/model/resources/index.js';

const WELL: JsonObject = {
  validator: {
    after: '100ms',
    log: [
      runnerLine({ event: 'start', kernel: 'k', cells: 1, codeCells: 1 }),
      runnerLine({ event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 0.1 }),
      runnerLine({ event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 }),
    ],
  },
};

const JOBS_AT_ONCE = 40;
let lab: NotebookLab;
beforeAll(async () => {
  lab = await NotebookLab.open();
}, 60_000);
afterAll(() => lab.close());

// On the embedded cluster, with pods that it plays; `npm run prove -- notebook-many` has two hundred, with memory and
// deliveries, on kube-apiserver.
it('forty notebooks at once run a few at a time', async () => {
  const ns = await lab.namespace('many');
  let most = 0;
  await Promise.all(Array.from({ length: JOBS_AT_ONCE }, (_, index) => lab.job(ns, `n${index}`, WELL)));
  await lab.until(
    'all succeed',
    async () => {
      const { items } = await lab.cluster.list(NOTEBOOK_VALIDATION_JOBS, { namespace: ns });
      most = Math.max(
        most,
        (await lab.pods(ns)).filter(
          ({ status }) => !isObject(status) || (status.phase !== 'Succeeded' && status.phase !== 'Failed'),
        ).length,
      );
      // Looking costs the cluster something too: it is in this process.
      await delay(200);
      return items.every(({ status }) => isObject(status) && status.phase === 'Succeeded');
    },
    100_000,
  );
  expect(most).toBeLessThanOrEqual(20);
}, 150_000);
