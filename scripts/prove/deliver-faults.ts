import { FaultSyncLab } from '../../contracts/faults/fault-sync.js';
import { FAULT_RATES, REQUEST_FAULTS } from '../../contracts/faults/request-faults.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

const SYNCS = 10;
const HANG = 30_000;
const FAULTY = 180_000;

/**
 * Ten syncs at once, twice, while 1, 10 or 50 percent of all requests of the controller fail in one of nine ways: no
 * status ever says Synced or Healthy where the objects are not, what a 429 asks for is obeyed, and all come right, at
 * the latest when requests stop failing.
 */
export const proof: Proof = {
  name: 'deliver-faults',
  sizes: { smoke: 2, full: REQUEST_FAULTS.length * FAULT_RATES.length },
  async run(context) {
    const lab = await FaultSyncLab.open();
    try {
      return await runTrials(context, (index) => failOnce(lab, index, context.seed * 100_003 + index, context.log));
    } finally {
      await lab.close();
    }
  },
};

async function failOnce(lab: FaultSyncLab, index: number, seed: number, log: (line: string) => void): Promise<Trial> {
  const fault = REQUEST_FAULTS[index % REQUEST_FAULTS.length];
  const rate = FAULT_RATES[Math.floor(index / REQUEST_FAULTS.length) % FAULT_RATES.length];
  if (fault === undefined || rate === undefined) throw new Error('there are no faults');
  const { wrong, lies, underFaults, statuses, requests, faults, ms } = await lab.play(
    { fault, rate, syncs: SYNCS, hangMs: HANG, faultyMs: FAULTY },
    seed,
  );
  log(
    `${fault.name} at ${rate * 100} %: ${faults} of ${requests} requests failed, ${underFaults} of ` +
      `${2 * SYNCS} syncs ended well meanwhile, ${statuses} statuses checked (${Math.round(ms)} ms)`,
  );
  return {
    wrong,
    counts: {
      syncs: 2 * SYNCS,
      'well under faults': underFaults,
      'false statuses': lies,
      'statuses checked': statuses,
      requests,
      'requests that failed': faults,
    },
    samples: { 'trial ms': ms },
  };
}
