import { Fault } from '../../model/faults/index.js';
import { follow } from '../../cluster/index.js';
import { type AppFlags, type AppSession, chooseApplications, findApplication } from '../session/index.js';
import { type ApplicationId, qualifiedName } from '../../model/argo/index.js';
import { APPLICATIONS } from '../../model/resources/index.js';

export interface DeleteFlags extends AppFlags {
  readonly cascade?: boolean;
  readonly propagationPolicy?: string;
  readonly yes?: boolean;
  readonly wait?: boolean;
  readonly selector?: string;
}

const FINALIZER = 'resources-finalizer.argocd.argoproj.io';
const FINALIZERS = [FINALIZER, `${FINALIZER}/foreground`, `${FINALIZER}/background`];

/**
 * `app delete`: with its resources, unless told not to. Gives how many were kept because somebody, or nobody, said no.
 */
export async function remove(session: AppSession, names: readonly string[], flags: DeleteFlags): Promise<number> {
  let kept = 0;
  const isCascade = flags.cascade !== false;
  if (!isCascade && flags.propagationPolicy !== undefined)
    throw new Fault('USAGE', 'cannot set propagation policy when cascading is disabled');
  const finalizer = isCascade ? finalizerFor(flags.propagationPolicy) : undefined;
  const { stdout } = session.host;
  for (const id of await chooseApplications(session, names, flags)) {
    const name = qualifiedName(id);
    const mustAsk = isCascade && flags.yes !== true;
    if (mustAsk && !(await session.host.confirm(`Are you sure you want to delete '${name}' and all its resources?`))) {
      stdout.write(`The command to delete '${name}' was cancelled.\n`);
      kept++;
      continue;
    }
    await removeOne(session, id, finalizer, flags.wait === true);
    stdout.write(`application '${name}' deleted\n`);
  }
  if (kept > 0) session.host.stderr.write('--yes deletes without asking\n');
  return kept;
}

function finalizerFor(policy: string | undefined): string {
  if (policy === undefined) return FINALIZER;
  const word = policy.toLowerCase();
  if (word !== 'foreground' && word !== 'background') throw new Fault('USAGE', `invalid propagation policy: ${policy}`);
  return `${FINALIZER}/${word}`;
}

/** The finalizer that makes the controller delete the resources is set, or taken away, before the deletion. */
async function removeOne(
  session: AppSession,
  id: ApplicationId,
  finalizer: string | undefined,
  mustWait: boolean,
): Promise<void> {
  const { cluster } = session;
  const application = await findApplication(session, id);
  const {
    metadata: { finalizers = [], deletionTimestamp, uid = '', resourceVersion = '' },
  } = application;
  const wanted = withFinalizer(finalizers, finalizer);
  // Nothing may be added to an object that is on its way out.
  const mustPatch =
    wanted.length !== finalizers.length && (deletionTimestamp === undefined || wanted.length < finalizers.length);
  const patched = mustPatch
    ? await cluster.patch(APPLICATIONS, id, {
        type: 'merge',
        body: { metadata: { resourceVersion, finalizers: wanted } },
      })
    : application;
  await cluster.remove(APPLICATIONS, id, { uid });
  if (mustWait)
    await follow(session, patched, (now) => (now === undefined || now.metadata.uid !== uid ? 'gone' : undefined), 0);
}

/** With the finalizer that deletes the resources, or without any of Argo CD's. */
function withFinalizer(finalizers: readonly string[], finalizer: string | undefined): string[] {
  if (finalizer === undefined) return finalizers.filter((each) => !FINALIZERS.includes(each));
  return finalizers.includes(finalizer) ? [...finalizers] : [...finalizers, finalizer];
}
