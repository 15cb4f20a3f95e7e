import { Fault } from '../../model/faults/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { applicationId, findApplication, type AppFlags, type AppSession } from '../session/index.js';
import { readLocal, type LocalFlags } from './local-files.js';
import { inspectApplication, rejectUnknownStatus, type RevisionFlags } from './inspect.js';

export interface ManifestsFlags extends AppFlags, RevisionFlags, LocalFlags {
  readonly source: 'git' | 'live';
}

/** `app manifests`: the objects as git or the local files have them, or as the cluster has them. */
export async function manifests(session: AppSession, name: string, flags: ManifestsFlags): Promise<string> {
  const application = await findApplication(session, applicationId(name, session));
  if (flags.local !== undefined && flags.source === 'live')
    throw new Fault('USAGE', '--local shows what files give, and --source live what the cluster has: one of them');
  const local = await readLocal(session, application, flags);
  const inspection = await inspectApplication(
    session,
    application,
    flags,
    local === undefined ? {} : { manifests: local },
  );
  if (flags.source === 'git') rejectUnknownStatus(inspection);
  const objects = inspection.resources
    .map(({ target, live }) => (flags.source === 'git' ? target : live))
    .filter((object): object is KubeObject => object !== undefined);
  return objects.map((object) => `---\n${writeYaml(object)}\n`).join('');
}
