import { ClusterError } from '../../cluster/index.js';
import { collectApplication, openTriage, loadCatalogue } from '../../control/index.js';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ReportedCause } from '../../triage/index.js';
import type { AppSession } from '../session/index.js';
import { idOf } from '../../model/argo/index.js';
import { textAt } from '../../model/json/index.js';
import { withDestination, labelled, oneLine } from '../application/index.js';

const MAX_CAUSES = 3;
const MAX_STEPS = 6;
const MAX_COMMANDS = 4;

/**
 * The causes behind an application that is not well or whose sync waits, with the way from it to each of them and what
 * to do; nothing where it is well or nobody knows.
 */
export async function formatCauses(session: AppSession, application: KubeObject): Promise<string> {
  if (
    textAt(application, 'status', 'sync', 'status') === 'Synced' &&
    textAt(application, 'status', 'health', 'status') === 'Healthy' &&
    textAt(application, 'status', 'operationState', 'phase') !== 'Running'
  )
    return '';
  const causes = await findCauses(session, application);
  return causes
    .slice(0, MAX_CAUSES)
    .map((cause) => formatCause(cause, application))
    .concat(causes.length > MAX_CAUSES ? [labelled('', `and ${causes.length - MAX_CAUSES} more: argosy triage`)] : [])
    .join('');
}

/** What triage says of this application, by what is around it. */
export async function findCauses(session: AppSession, application: KubeObject): Promise<readonly ReportedCause[]> {
  const { cluster: home, controlNamespace, host } = session;
  try {
    const snapshot = await withDestination(session, application, (destination) =>
      collectApplication(application, { controlPlane: home, controlNamespace, destination, now: host.now() }),
    );
    return openTriage(
      loadCatalogue(host.catalogue),
      host.now,
    )(snapshot).causes.filter(
      ({ severity, kind, reach }) =>
        severity !== 'P3' && kind !== 'unexplained' && reach.names.includes(nameIn(application)),
    );
  } catch (error) {
    // Whoever asked sees the application all the same; a cluster that does not answer is told below it.
    if (error instanceof Fault || error instanceof ClusterError) return [];
    throw error;
  }
}

function nameIn(application: KubeObject): string {
  return idOf(application).name;
}

function formatCause({ title, confidence, chain, fix }: ReportedCause, application: KubeObject): string {
  const { namespace, name } = idOf(application);
  const steps = chain.slice(0, -1).filter(({ object }) => object !== `Application ${namespace}/${name}`);
  return [
    labelled('Cause:', `${oneLine(title)}${confidence !== 'sure' ? ' (unconfirmed)' : ''}`),
    ...steps.slice(0, MAX_STEPS).map(({ says }, at) => labelled(at === 0 ? '  symptom:' : '', oneLine(says))),
    ...(fix === undefined
      ? []
      : [
          labelled('  fix:', oneLine(fix.say)),
          ...fix.commands.slice(0, MAX_COMMANDS).map((command) => labelled('', oneLine(command))),
        ]),
  ].join('');
}
