import { openTriage, loadCatalogue } from '../../control/index.js';
import { describeKey, type Key } from '../../model/kubernetes/index.js';
import { SnapshotBuilder } from '../../triage/index.js';
import { type AppSession, listApplications } from '../session/index.js';
import { remove, type DeleteFlags } from './delete.js';

export interface PruneFlags extends DeleteFlags {
  readonly dryRun?: boolean;
}

/**
 * `app prune-orphans`: deletes the Applications that triage calls orphans, as git has them no more. Gives how many were
 * kept because nobody said yes.
 */
export async function pruneOrphans(session: AppSession, flags: PruneFlags): Promise<number> {
  const { stdout } = session.host;
  const orphans = await findOrphans(session);
  if (orphans.length === 0) stdout.write('no orphaned applications\n');
  for (const key of orphans) stdout.write(`${describeKey(key)} is no longer in git\n`);
  if (flags.dryRun === true || orphans.length === 0) return 0;
  return remove(
    session,
    orphans.map(({ namespace, name }) => `${namespace}/${name}`),
    flags,
  );
}

/** What triage would delete: the Applications alone say it. */
async function findOrphans(session: AppSession): Promise<readonly Key[]> {
  const builder = new SnapshotBuilder();
  for (const application of await listApplications(session)) builder.add(application, session.cluster.server);
  const { now, catalogue } = session.host;
  const { causes } = openTriage(loadCatalogue(catalogue), now)(builder.build(now()));
  return causes
    .filter(({ rule, confidence }) => rule === 'A22' && confidence === 'sure')
    .flatMap(({ fix }) => fix?.actions ?? [])
    .filter(({ kind, object }) => kind === 'delete' && object.kind === 'Application')
    .map(({ object }) => object);
}
