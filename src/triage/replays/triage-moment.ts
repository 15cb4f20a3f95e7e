import { SnapshotBuilder } from '../read/index.js';
import { triage, type Report } from '../report/index.js';
import { createRuleSet } from '../rules/index.js';
import type { Snapshot } from '../snapshot/index.js';
import { addGiven } from '../testing/index.js';
import { firstMoment, secondMoment, thirdMoment } from './moments.js';

export const MOMENTS = [
  { name: 'first', time: '2025-12-04T12:00:00Z', given: firstMoment },
  { name: 'second', time: '2025-12-05T08:30:00Z', given: secondMoment },
  { name: 'third', time: '2025-12-05T18:00:00Z', given: thirdMoment },
] as const;

export type Moment = (typeof MOMENTS)[number];

export function snapshotOf({ time, given }: Moment): Snapshot {
  const builder = new SnapshotBuilder();
  for (const kind of ['pod', 'secret', 'configmap', 'service', 'namespace', 'persistentvolumeclaim'])
    builder.listing({ group: '', kind, namespace: '', listing: 'complete', because: '' });
  for (const kind of ['secretstore', 'externalsecret', 'clustersecretstore'])
    builder.listing({ group: 'external-secrets.io', kind, namespace: '', listing: 'complete', because: '' });
  for (const value of given()) addGiven(builder, value, 'moment');
  return builder.build(Date.parse(time));
}

export function triageOf(snapshot: Snapshot): Report {
  return triage(snapshot, { rules: createRuleSet, assess: () => undefined });
}
