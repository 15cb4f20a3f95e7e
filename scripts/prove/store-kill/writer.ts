// The process that store-kill ends: writes to a store as fast as it can and prints a line for each acknowledged write.
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { openStore } from '../../../src/apiserver/store/open-store.js';
import { StaleWrite } from '../../../src/apiserver/store/store.js';
import { seededRandom } from '../../../src/apiserver/store/testing/random.js';

const [directory = '', life = '0', writers = '8', snapshotBytes = '0'] = process.argv.slice(2);
const store = await openStore({ directory, snapshotBytes: Number(snapshotBytes) });

/**
 * Resolves when the line has left this process: a writer starts nothing new before the parent can know of its last
 * write.
 */
function print(line: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
}

/** Each body carries who wrote it, so that the parent can tell a write in flight from one that nobody made. */
async function write(writer: number): Promise<never> {
  const random = seededRandom(Number(life) * 1000 + writer);
  for (let serial = 0; ; ) {
    // Most keys are shared, so that writers also meet each other's writes in flight.
    const key = `/registry/things/ns-${random.integer(3)}/n-${random.integer(60)}`;
    const head = store.head(key);
    const removes = head !== undefined && random.chance(0.25);
    const build = (): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: key },
      by: `${life}/${writer}/${serial}`,
      text: 'x'.repeat(random.integer(1500)),
    });
    try {
      const stored = await (removes ? store.remove(key, head, build) : store.write(key, head, build));
      await print(
        JSON.stringify({ writer, serial, revision: stored.revision, key, body: removes ? null : stored.body }),
      );
      serial++;
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));
