import type { Expectation } from '../case.js';
import { valueIn } from '../compare-with-expectation.js';
import type { BadInputLab } from './lab.js';

const FOLDER = 'large';
const IN_A_FILE = 500;
const NAMESPACE = 'large';
const WITHIN = 600_000;
const SPEC_BYTES = 800_000;

/** So many ConfigMaps, with names so long that a status has room for only some of them. */
export function largeFiles(count: number): Record<string, string> {
  const files: Record<string, string> = {};
  for (let from = 0; from < count; from += IN_A_FILE) {
    const maps = Array.from(
      { length: Math.min(IN_A_FILE, count - from) },
      (_, index) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: item-${from + index}-${'x'.repeat(230)}}\n`,
    );
    files[`${FOLDER}/${from}.yaml`] = maps.join('---\n');
  }
  return files;
}

/** It ends Synced, with a status that says what it leaves out, and an application beside it is delivered meanwhile. */
export async function playLarge(stage: BadInputLab, count: number): Promise<void> {
  const { api, applications } = stage;
  await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }, '');
  await applications.create(FOLDER, {
    source: { repoURL: stage.url, path: FOLDER, targetRevision: 'master' },
    destination: { server: 'https://kubernetes.default.svc', namespace: NAMESPACE },
    syncPolicy: { automated: {} },
    // What the spec takes of the object, the status has not.
    info: [{ name: 'notes', value: 'x'.repeat(SPEC_BYTES) }],
  });
  await stage.deliverBeside(NAMESPACE);
  const expected: Expectation = {
    sync: 'Synced',
    health: 'Healthy',
    phase: 'Succeeded',
    message: `of ${count} results are listed`,
    conditions: {
      StatusSizeWarning: `the application has ${count} resources, more than its status can hold`,
    },
    historyCount: 1,
  };
  await applications.until(FOLDER, expected, NAMESPACE, WITHIN);
  const made = (await api.list('ConfigMap', NAMESPACE)).filter((map) =>
    String(valueIn(map, 'metadata', 'name')).startsWith('item-'),
  ).length;
  if (made !== count) throw new Error(`${made} of ${count} are there`);
  // One that goes is seen, and listed before those that are in order.
  await api.delete({ kind: 'ConfigMap', group: '', namespace: NAMESPACE, name: `item-7-${'x'.repeat(230)}` });
  await applications.until(
    FOLDER,
    {
      sync: 'OutOfSync',
      resources: { [`ConfigMap/item-7-${'x'.repeat(230)}`]: { sync: 'OutOfSync' } },
      conditions: { StatusSizeWarning: 'are listed, with all 1 that are not Synced and Healthy' },
    },
    NAMESPACE,
    WITHIN,
  );
}
