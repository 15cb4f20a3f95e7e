import { rollbackOperation, syncOperation, type ApplicationSyncRequest } from '../../control/index.js';
import { Fault } from '../../model/faults/index.js';
import { keyOf, type KubeObject } from '../../model/kubernetes/index.js';
import { type JsonObject, objectsAt, textAt, valueAt } from '../../model/json/index.js';
import { type ApplicationId, hasManySources, idOf, qualifiedName } from '../../model/argo/index.js';
import { type AppFlags, type AppSession, chooseApplications, findApplication } from '../session/index.js';
import { printDiffs } from './diff.js';
import { checkLocalSync, readLocal, type LocalFlags } from './local-files.js';
import {
  checkRevisionFlags,
  inspectApplication,
  positionsOf,
  rejectUnknownStatus,
  type RevisionFlags,
} from './inspect.js';
import {
  startOperation,
  userOf,
  isChosen,
  parseChoices,
  type Choice,
  keyAt,
  readWindows,
} from '../application/index.js';
import { plainDuration, splitPair } from '../command/index.js';
import { OPERATION_ONLY } from './wait-conditions.js';
import { waitFor } from './wait.js';

export interface SyncFlags extends AppFlags, RevisionFlags, LocalFlags {
  readonly resource?: readonly string[];
  readonly label?: readonly string[];
  readonly selector?: string;
  readonly project?: readonly string[];
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly timeout: number;
  readonly strategy: string;
  readonly force?: boolean;
  readonly replace?: boolean;
  readonly serverSide?: boolean;
  readonly applyOutOfSyncOnly?: boolean;
  readonly async?: boolean;
  readonly retryLimit: number;
  readonly retryRefresh?: boolean;
  readonly retryBackoffDuration: string;
  readonly retryBackoffMaxDuration: string;
  readonly retryBackoffFactor: number;
  readonly info?: readonly string[];
  readonly previewChanges?: boolean;
  readonly assumeYes?: boolean;
  readonly output: string;
}

/** `app sync`: asks for the operation, and shows how it goes. */
export async function sync(session: AppSession, names: readonly string[], flags: SyncFlags): Promise<void> {
  checkFlags(names, flags);
  for (const id of await chooseApplications(session, names, flags)) await syncOne(session, id, flags);
}

function checkFlags(names: readonly string[], flags: SyncFlags): void {
  if (names.length > 1 && flags.selector !== undefined)
    throw new Fault('USAGE', 'Cannot use selector option when application name(s) passed as argument(s)');
  if (names.length !== 1 && (flags.revisions ?? []).length > 0)
    throw new Fault(
      'USAGE',
      'Cannot use --revisions and --source-positions options when 0 or more than 1 application names are ' +
        'passed as argument(s)',
    );
  if (flags.local !== undefined && (flags.revision !== undefined || (flags.revisions ?? []).length > 0))
    throw new Fault('USAGE', 'local files have no revision: --local or a revision, not both');
  // Also where nothing is tried again: a flag without its value swallows the next one.
  for (const duration of [flags.retryBackoffDuration, flags.retryBackoffMaxDuration]) plainDuration(duration);
  checkRevisionFlags(flags);
}

/** What a sync is limited to, and what it takes instead of git. */
interface Chosen {
  readonly choices: readonly Choice[];
  readonly manifests: readonly string[] | undefined;
}

async function syncOne(session: AppSession, id: ApplicationId, flags: SyncFlags): Promise<void> {
  const application = await findApplication(session, id);
  if (hasManySources(application) && flags.revision !== undefined)
    throw new Fault(
      'USAGE',
      'argosy does not work on multi-source app with --revision flag. Use --revisions and --source-positions instead.',
    );
  const manifests = await readLocal(session, application, flags);
  if (manifests !== undefined) checkLocalSync(session, application, manifests, flags.dryRun === true);
  const chosen: Chosen = {
    choices: [...parseChoices(flags.resource ?? []), ...(await choicesByLabel(session, application, flags, manifests))],
    manifests,
  };
  if (flags.previewChanges === true && !(await confirmChanges(session, application, flags, manifests))) return;
  const asked = await startOperation(session, id, async (current) => {
    if ((await readWindows(session, current)).status === 'Sync Denied')
      throw new Fault('OPERATION_REFUSED', 'cannot sync: blocked by sync window');
    return syncOperation(current, syncRequestFor(session, current, flags, chosen));
  });
  if (flags.async === true) return;
  const ended = await waitFor(session, asked, {
    goal: OPERATION_ONLY,
    choices: chosen.choices,
    timeout: flags.timeout,
    output: flags.output,
    mayRefresh: true,
  });
  if (ended !== undefined && flags.dryRun !== true) verifySyncResult(ended, id, chosen.choices);
}

/** The objects with a label, as choices. */
async function choicesByLabel(
  session: AppSession,
  application: KubeObject,
  flags: SyncFlags,
  manifests: Chosen['manifests'],
): Promise<Choice[]> {
  const { label = [], resource = [] } = flags;
  if (label.length === 0) return [];
  const wanted = label.map((text) => splitPair(text, '--label'));
  const { resources } = await inspectApplication(
    session,
    application,
    flags,
    manifests === undefined ? {} : { manifests },
  );
  const found = resources.flatMap(({ target }) =>
    target !== undefined &&
    wanted.some(
      ({ name, value }) =>
        Object.hasOwn(target.metadata.labels ?? {}, name) && target.metadata.labels?.[name] === value,
    )
      ? [{ ...keyOf(target), isExcluded: false }]
      : [],
  );
  if (found.length === 0 && resource.length === 0)
    throw new Fault('USAGE', `No matching resources found for labels: [${label.join(' ')}]`);
  return found;
}

/** Shows the differences; goes on where there are some and nobody says no. */
async function confirmChanges(
  session: AppSession,
  application: KubeObject,
  flags: SyncFlags,
  manifests: Chosen['manifests'],
): Promise<boolean> {
  const { host } = session;
  const name = qualifiedName(idOf(application));
  const inspection = await inspectApplication(
    session,
    application,
    flags,
    manifests === undefined ? {} : { manifests },
  );
  rejectUnknownStatus(inspection);
  host.stdout.write(`====== Previewing differences between live and desired state of application ${name} ======\n`);
  if (!(await printDiffs(session, inspection, manifests === undefined ? 'git' : 'the local files'))) {
    host.stdout.write('====== No Differences found ======\n');
    return false;
  }
  if (
    flags.assumeYes === true ||
    (await host.confirm(
      `Please review changes to application ${name} shown above. Do you want to continue the sync process?`,
    ))
  )
    return true;
  host.stdout.write(`The sync of '${name}' was cancelled.\n`);
  return false;
}

function syncRequestFor(
  session: AppSession,
  application: KubeObject,
  flags: SyncFlags,
  { choices, manifests }: Chosen,
): ApplicationSyncRequest {
  const resources = objectsAt(application, 'status', 'resources')
    .map(keyAt)
    .filter((key) => choices.length > 0 && isChosen(key, choices));
  if (choices.length > 0 && resources.length === 0)
    throw new Fault(
      'USAGE',
      'No matching app resources found for resource filter: ' +
        [...(flags.resource ?? []), ...(flags.label ?? [])].join(', '),
      { where: qualifiedName(idOf(application)) },
    );
  const options = [
    ...(flags.replace === true ? ['Replace=true'] : []),
    ...(flags.serverSide === true ? ['ServerSideApply=true'] : []),
    ...(flags.applyOutOfSyncOnly === true ? ['ApplyOutOfSyncOnly=true'] : []),
  ];
  return {
    revision: flags.revision,
    revisions: flags.revisions,
    prune: flags.prune,
    dryRun: flags.dryRun,
    manifests,
    retry: retryOf(flags),
    username: userOf(session),
    sourcePositions: positionsOf(application, flags),
    syncOptions: options.length > 0 ? options : undefined,
    info: (flags.info ?? []).map((text): JsonObject => ({ ...splitPair(text, '--info') })),
    resources: resources.map(({ group, kind, namespace, name }) => ({
      ...(group === '' ? {} : { group }),
      kind,
      ...(namespace === '' ? {} : { namespace }),
      name,
    })),
    strategy: { [flags.strategy === 'apply' ? 'apply' : 'hook']: flags.force === true ? { force: true } : {} },
  };
}

function retryOf(flags: SyncFlags): JsonObject | undefined {
  if (flags.retryLimit === 0) return undefined;
  const backoff = {
    duration: plainDuration(flags.retryBackoffDuration),
    maxDuration: plainDuration(flags.retryBackoffMaxDuration),
    factor: flags.retryBackoffFactor,
  };
  return { limit: flags.retryLimit, ...(flags.retryRefresh === true ? { refresh: true } : {}), backoff };
}

/** A sync that did not succeed, or left something that should go, ends the command with an error. */
function verifySyncResult(application: KubeObject, id: ApplicationId, choices: readonly Choice[]): void {
  const phase = textAt(application, 'status', 'operationState', 'phase');
  if (phase !== 'Succeeded')
    throw new Fault('OPERATION_FAILED', `Operation has completed with phase: ${phase}`, { where: qualifiedName(id) });
  if (choices.length > 0 || valueAt(application, 'status', 'sync', 'status') === 'Synced') return;
  const skipped = objectsAt(application, 'status', 'operationState', 'syncResult', 'resources').filter(
    (result) => textAt(result, 'status') === 'PruneSkipped' && !textAt(result, 'message').includes('no prune'),
  );
  if (skipped.length > 0)
    throw new Fault('OPERATION_FAILED', `${skipped.length} resources require pruning`, { where: qualifiedName(id) });
}

/** `app rollback`: a sync to what was deployed before, without hooks. */
export async function rollback(
  session: AppSession,
  id: ApplicationId,
  wanted: number | undefined,
  flags: { readonly prune?: boolean; readonly timeout: number; readonly output: string },
): Promise<void> {
  const asked = await startOperation(session, id, (application) =>
    rollbackOperation(application, {
      id: wanted,
      prune: flags.prune === true,
      dryRun: false,
      username: userOf(session),
    }),
  );
  const ended = await waitFor(session, asked, {
    goal: OPERATION_ONLY,
    choices: [],
    timeout: flags.timeout,
    output: flags.output,
    mayRefresh: true,
  });
  const phase = ended === undefined ? '' : textAt(ended, 'status', 'operationState', 'phase');
  if (phase !== 'Succeeded')
    throw new Fault('OPERATION_FAILED', `Operation has completed with phase: ${phase}`, { where: qualifiedName(id) });
}
