import { readCases, type RemovalCase } from '../../contracts/deliver/removal/cases.js';
import { RemovalLab } from '../../contracts/deliver/removal/lab.js';
import { SERVERS } from '../../contracts/deliver/removal/servers.js';
import type { Proof } from './trials/proof.js';

const CASES = readCases();
const AT_ONCE = 4;

/**
 * A commit that only takes away a key, an entry, a label or a list turns the application OutOfSync, and the sync takes
 * that and nothing else from the object, whoever applied it first. On a real kube-apiserver with etcd; every `npm test`
 * plays the same cases on the embedded server.
 */
export const proof: Proof = {
  name: 'deliver-removal',
  sizes: { smoke: 2, full: CASES.length },
  async run({ size, log }) {
    const server = SERVERS.find(({ name }) => name === 'real');
    const absent = await server?.missing();
    if (server === undefined || absent !== undefined) throw new Error(absent);
    const cases = CASES.slice(0, size);
    const cluster = await server.open();
    const scene = await RemovalLab.open(cluster, cases).catch(async (error: unknown) => {
      await cluster.stop();
      throw error;
    });
    try {
      const wrong = await playAll(scene, cases);
      for (const line of wrong) log(line);
      return { ok: wrong.length === 0, done: cases.length, figures: { trials: cases.length, failed: wrong.length } };
    } finally {
      await scene.close();
    }
  },
};

async function playAll(scene: RemovalLab, cases: readonly RemovalCase[]): Promise<string[]> {
  const waiting = [...cases];
  const wrong: string[] = [];
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const { name } = one;
      await scene.play(one).catch((error: unknown) => {
        wrong.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return wrong;
}
