import { writeYaml, type KubeObject } from '../../model/index.js';
import { applicationId, findApplication } from './application-object.js';
import { refuseUnknown } from './diff.js';
import type { AppFlags, AppSession } from './session.js';

export interface ManifestsFlags extends AppFlags {
  readonly source: 'git' | 'live';
  readonly revision?: string;
}

/** `app manifests`: the objects as git has them, or as the cluster has them. */
export async function manifests(session: AppSession, name: string, flags: ManifestsFlags): Promise<string> {
  const application = await findApplication(session, applicationId(name, session));
  const inspection = await session.world.inspect(session.cluster, application, { namespace: session.controlNamespace, ...(flags.revision === undefined ? {} : { revision: flags.revision }) });
  if (flags.source === 'git') refuseUnknown(inspection);
  const objects = inspection.resources.map(({ target, live }) => (flags.source === 'git' ? target : live)).filter((object): object is KubeObject => object !== undefined);
  return objects.map((object) => `---\n${writeYaml(object)}\n`).join('');
}
