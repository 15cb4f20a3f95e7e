import { type Cluster, ClusterError, systemClock } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { equal, objectsAt, textAt, textsAt } from '../../model/json/index.js';
import { nameOf, type KubeObject } from '../../model/kubernetes/index.js';
import { CRDS } from '../../model/resources/index.js';

/** Whoever applied a definition decides about it; ours are those that Argosy made. */
const MANAGER = 'argosy';

/**
 * Creates missing definitions and renews those that Argosy made. One that Argo CD or somebody else installed stays as
 * it is. Refuses first where stored objects would be in a version that no longer exists.
 */
export async function applyDefinitions(
  cluster: Cluster,
  definitions: readonly KubeObject[],
  { isDryRun, tell }: { readonly isDryRun: boolean; readonly tell: (line: string) => void },
): Promise<void> {
  const live = await Promise.all(definitions.map((definition) => cluster.get(CRDS, { name: nameOf(definition) })));
  definitions.forEach((definition, index) => {
    checkVersions(definition, live[index]);
  });
  for (const [index, definition] of definitions.entries()) {
    const say = (what: string): void => {
      tell(`CustomResourceDefinition ${nameOf(definition)} ${what}`);
    };
    const there = live[index];
    if (there !== undefined && equal(there.spec ?? null, definition.spec ?? null)) say('unchanged');
    else if (there !== undefined && !isOurs(there)) say('kept: it was installed by somebody else');
    else say(await write(cluster, definition, there, isDryRun));
  }
  if (!isDryRun) {
    const { installCrds } = await import('../../control/index.js');
    await installCrds(cluster, definitions, systemClock);
  }
}

async function write(
  cluster: Cluster,
  definition: KubeObject,
  there: KubeObject | undefined,
  dryRun: boolean,
): Promise<string> {
  try {
    const after = await cluster.apply(CRDS, definition, { force: true, dryRun });
    if (there === undefined) return 'created';
    return there.metadata.resourceVersion === after.metadata.resourceVersion ? 'unchanged' : 'configured';
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
    throw new Fault('CLUSTER_REFUSED', error.message, {
      where: `CustomResourceDefinition ${nameOf(definition)}`,
      hint: 'install with a user who may do this, such as one with the role cluster-admin',
      cause: error,
    });
  }
}

function isOurs({ metadata }: KubeObject): boolean {
  const managers = (metadata.managedFields ?? []).filter(({ subresource }) => (subresource ?? '') === '');
  return managers.every(({ manager = '' }) => manager === MANAGER || manager.startsWith(`${MANAGER}/`));
}

/** Objects may be stored in every version that the status names; one that goes away would lose them. */
function checkVersions(definition: KubeObject, there: KubeObject | undefined): void {
  if (there === undefined) return;
  const served = objectsAt(definition, 'spec', 'versions').map((version) => textAt(version, 'name'));
  const lost = textsAt(there, 'status', 'storedVersions').filter((version) => !served.includes(version));
  if (lost.length === 0 || !isOurs(there)) return;
  throw new Fault(
    'CLUSTER_REFUSED',
    `objects may be stored as ${lost.join(', ')}, which this version of Argosy does not know`,
    {
      where: `CustomResourceDefinition ${nameOf(definition)}`,
      hint: `store them again in ${served.join(', ')} and take ${lost.join(', ')} out of status.storedVersions`,
    },
  );
}
