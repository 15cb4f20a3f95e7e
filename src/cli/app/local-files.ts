import { Fault } from '../../model/faults/index.js';
import { hasManySources, idOf, isAutomated, qualifiedName } from '../../model/argo/index.js';
import { isObject, parseJson } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { openLocalSource, withDisplayPaths } from '../local/index.js';
import type { AppSession } from '../session/index.js';

export interface LocalFlags {
  /** A folder of this machine, in place of the repository. */
  readonly local?: string;
  readonly localRepoRoot?: string;
}

/** What the files under --local give for an application; undefined without the flag. */
export async function readLocal(
  { cluster, controlNamespace, host }: AppSession,
  application: KubeObject,
  { local, localRepoRoot }: LocalFlags,
): Promise<readonly string[] | undefined> {
  if (local === undefined) return undefined;
  if (hasManySources(application))
    throw new Fault('USAGE', 'argosy does not work on multi-source app with --local flag', {
      where: qualifiedName(idOf(application)),
    });
  const source = openLocalSource(local, localRepoRoot);
  if (source.kind !== 'folder') throw new Fault('USAGE', `${local} is not a folder`, { where: '--local' });
  return withDisplayPaths(source, () =>
    host.renderLocal(cluster, application, source, { namespace: controlNamespace }),
  );
}

/**
 * A local sync would be undone where the application syncs by itself; and what it carries stays readable in the
 * Application.
 */
export function checkLocalSync(
  { host }: AppSession,
  application: KubeObject,
  manifests: readonly string[],
  isDry: boolean,
): void {
  const name = qualifiedName(idOf(application));
  if (isAutomated(application) && !isDry)
    throw new Fault(
      'OPERATION_REFUSED',
      'Cannot use local sync when Automatic Sync Policy is enabled except with --dry-run',
      { where: name, hint: `disable auto-sync first: argosy app set ${name} --sync-policy none` },
    );
  // An operation without manifests would be one of git.
  if (manifests.length === 0)
    throw new Fault('USAGE', 'the folder holds no objects, so there is nothing to sync', { where: '--local' });
  const secrets = manifests.filter((text) => {
    const object = parseJson(text);
    return isObject(object) && object.kind === 'Secret' && object.apiVersion === 'v1';
  }).length;
  if (secrets > 0)
    host.stderr.write(
      `warning: ${secrets === 1 ? 'a Secret is' : `${secrets} Secrets are`} among the local files: anyone who can ` +
        `read the Application can read ${secrets === 1 ? 'it' : 'them'} in its operation\n`,
    );
}
