import { Fault, keyOf, type JsonObject, type KubeObject } from '../../model/index.js';
import { chooseApplications, findApplication, hasManySources, isAutomated, listAt, objectAt, qualifiedName, sourcesOf, textAt, textsAt, valueAt, type ApplicationId } from './application-object.js';
import { formatDiffs } from './diff.js';
import { initiator, refused, refuseOtherRevision, startOperation } from './operation.js';
import { positionOfSource } from './print-application.js';
import { isChosen, parseChoices, type Choice } from './resource-choice.js';
import { keyAt } from './resource-states.js';
import type { AppFlags, AppSession } from './session.js';
import { readWindows } from './sync-windows.js';
import { plainDuration, splitPair } from './text-values.js';
import { OPERATION_ONLY } from './wait-conditions.js';
import { waitFor } from './wait.js';

export interface SyncFlags extends AppFlags {
  readonly revision?: string;
  readonly revisions?: readonly string[];
  readonly sourcePositions?: readonly number[];
  readonly sourceNames?: readonly string[];
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

function checkFlags(names: readonly string[], { selector, revisions = [], sourcePositions = [], sourceNames = [] }: SyncFlags): void {
  if (names.length > 1 && selector !== undefined) throw new Fault('USAGE', 'Cannot use selector option when application name(s) passed as argument(s)');
  if (names.length !== 1 && revisions.length > 0) throw new Fault('USAGE', 'Cannot use --revisions and --source-positions options when 0 or more than 1 application names are passed as argument(s)');
  if (sourceNames.length > 0 && sourcePositions.length > 0) throw new Fault('USAGE', 'Only one of source-positions and source-names can be specified.');
  const places = sourceNames.length > 0 ? sourceNames : sourcePositions;
  if (places.length > 0 && places.length !== revisions.length) throw new Fault('USAGE', `While using --revisions and --source-${sourceNames.length > 0 ? 'names' : 'positions'}, length of values for both flags should be same.`);
}

async function syncOne(session: AppSession, id: ApplicationId, flags: SyncFlags): Promise<void> {
  const application = await findApplication(session, id);
  if (hasManySources(application) && flags.revision !== undefined) throw new Fault('USAGE', 'argosy does not work on multi-source app with --revision flag. Use --revisions and --source-positions instead.');
  const choices = [...parseChoices(flags.resource ?? []), ...await choicesByLabel(session, application, flags)];
  if (flags.previewChanges === true && !await isWorthwhile(session, application, flags)) return;
  const asked = await startOperation(session, id, async (current) => {
    if ((await readWindows(session, current)).status === 'Sync Denied') throw refused('cannot sync: blocked by sync window', id);
    return operationFor(session, current, id, flags, choices);
  });
  if (flags.async === true) return;
  const ended = await waitFor(session, asked, { goal: OPERATION_ONLY, choices, timeout: flags.timeout, output: flags.output, mayRefresh: true });
  if (ended !== undefined && flags.dryRun !== true) judge(ended, id, choices);
}

/** The objects of git with a label, as choices. */
async function choicesByLabel(session: AppSession, application: KubeObject, { label = [], revision, resource = [] }: SyncFlags): Promise<Choice[]> {
  if (label.length === 0) return [];
  const wanted = label.map((text) => splitPair(text, '--label'));
  const { resources } = await session.world.inspect(session.cluster, application, { namespace: session.controlNamespace, ...(revision === undefined ? {} : { revision }) });
  const found = resources.flatMap(({ target }) => (target !== undefined && wanted.some(({ name, value }) => Object.hasOwn(target.metadata.labels ?? {}, name) && target.metadata.labels?.[name] === value) ? [{ ...keyOf(target), isExcluded: false }] : []));
  if (found.length === 0 && resource.length === 0) throw new Fault('USAGE', `No matching resources found for labels: [${label.join(' ')}]`);
  return found;
}

/** Shows the differences; goes on where there are some and nobody says no. */
async function isWorthwhile(session: AppSession, application: KubeObject, flags: SyncFlags): Promise<boolean> {
  const { world, cluster } = session;
  const name = qualifiedName({ namespace: application.metadata.namespace ?? '', name: application.metadata.name ?? '' });
  const { text, hasDifferences } = formatDiffs(await world.inspect(cluster, application, { namespace: session.controlNamespace, ...(flags.revision === undefined ? {} : { revision: flags.revision }) }));
  world.stdout.write(`====== Previewing differences between live and desired state of application ${name} ======\n${text}`);
  if (!hasDifferences) world.stdout.write('====== No Differences found ======\n');
  return hasDifferences && (flags.assumeYes === true || await world.confirm(`Please review changes to application ${name} shown above. Do you want to continue the sync process?`));
}

function operationFor(session: AppSession, application: KubeObject, id: ApplicationId, flags: SyncFlags, choices: readonly Choice[]): JsonObject {
  const resources = listAt(application, 'status', 'resources').map(keyAt).filter((key) => choices.length > 0 && isChosen(key, choices));
  if (choices.length > 0 && resources.length === 0) throw new Fault('USAGE', `No matching app resources found for resource filter: ${[...flags.resource ?? [], ...flags.label ?? []].join(', ')}`, { where: qualifiedName(id) });
  const options = [...(flags.replace === true ? ['Replace=true'] : []), ...(flags.serverSide === true ? ['ServerSideApply=true'] : []), ...(flags.applyOutOfSyncOnly === true ? ['ApplyOutOfSyncOnly=true'] : [])];
  const syncOptions = options.length > 0 ? options : textsAt(application, 'spec', 'syncPolicy', 'syncOptions');
  const retry = retryOf(flags) ?? objectAt(application, 'spec', 'syncPolicy', 'retry');
  const info = (flags.info ?? []).map((text): JsonObject => ({ ...splitPair(text, '--info') }));
  return {
    ...initiator(session),
    ...(info.length === 0 ? {} : { info }),
    ...(retry === undefined ? {} : { retry }),
    sync: {
      ...revisionsFor(application, id, flags),
      ...(flags.prune === true ? { prune: true } : {}),
      ...(flags.dryRun === true ? { dryRun: true } : {}),
      ...(syncOptions.length === 0 ? {} : { syncOptions }),
      ...(resources.length === 0 ? {} : { resources: resources.map(({ group, kind, namespace, name }) => ({ ...(group === '' ? {} : { group }), kind, ...(namespace === '' ? {} : { namespace }), name })) }),
      syncStrategy: { [flags.strategy === 'apply' ? 'apply' : 'hook']: flags.force === true ? { force: true } : {} },
    },
  };
}

/** The sources as they are now, with the revisions asked for. */
function revisionsFor(application: KubeObject, id: ApplicationId, flags: SyncFlags): JsonObject {
  const sources = sourcesOf(application);
  const isDry = flags.dryRun === true;
  if (!hasManySources(application)) {
    const [source = {}] = sources;
    const revision = flags.revision ?? '';
    if (!isDry) refuseOtherRevision(application, id, { revision, source, isOneOfMany: false });
    return { source, ...(revision === '' ? {} : { revision }) };
  }
  const positions = (flags.sourceNames ?? []).length > 0 ? (flags.sourceNames ?? []).map((name) => positionOfSource(application, name)) : flags.sourcePositions ?? [];
  if (positions.length === 0) return { sources };
  const revisions = sources.map((source) => textAt(source, 'targetRevision') || 'HEAD');
  for (const [index, position] of positions.entries()) {
    const source = sources[position - 1];
    const revision = flags.revisions?.[index] ?? '';
    if (source === undefined) throw refused('source position is out of range', id);
    if (!isDry) refuseOtherRevision(application, id, { revision, source, isOneOfMany: true });
    revisions[position - 1] = revision;
  }
  return { sources, revisions };
}

function retryOf(flags: SyncFlags): JsonObject | undefined {
  if (flags.retryLimit === 0) return undefined;
  const backoff = { duration: plainDuration(flags.retryBackoffDuration), maxDuration: plainDuration(flags.retryBackoffMaxDuration), factor: flags.retryBackoffFactor };
  return { limit: flags.retryLimit, ...(flags.retryRefresh === true ? { refresh: true } : {}), backoff };
}

/** A sync that did not succeed, or left something that should go, ends the command with an error. */
function judge(application: KubeObject, id: ApplicationId, choices: readonly Choice[]): void {
  const phase = textAt(application, 'status', 'operationState', 'phase');
  if (phase !== 'Succeeded') throw new Fault('OPERATION_FAILED', `Operation has completed with phase: ${phase}`, { where: qualifiedName(id) });
  if (choices.length > 0 || valueAt(application, 'status', 'sync', 'status') === 'Synced') return;
  const skipped = listAt(application, 'status', 'operationState', 'syncResult', 'resources').filter((result) => textAt(result, 'status') === 'PruneSkipped' && !textAt(result, 'message').includes('no prune'));
  if (skipped.length > 0) throw new Fault('OPERATION_FAILED', `${skipped.length} resources require pruning`, { where: qualifiedName(id) });
}

/** `app rollback`: a sync to what was deployed before, without hooks. */
export async function rollback(session: AppSession, id: ApplicationId, wanted: number | undefined, flags: { readonly prune?: boolean; readonly timeout: number; readonly output: string }): Promise<void> {
  const asked = await startOperation(session, id, (application) => {
    if (isAutomated(application)) throw refused('rollback cannot be initiated when auto-sync is enabled', id);
    const entry = deploymentOf(application, id, wanted);
    const [source, sources] = [objectAt(entry, 'source'), listAt(entry, 'sources')];
    if (source === undefined && sources.length === 0) throw refused('cannot rollback to revision deployed with Argo CD v0.11 or lower. sync to revision instead.', id);
    const syncOptions = textsAt(application, 'spec', 'syncPolicy', 'syncOptions');
    return {
      ...initiator(session),
      sync: {
        ...(sources.length > 0 ? { sources, revisions: textsAt(entry, 'revisions') } : { source, revision: textAt(entry, 'revision') }),
        ...(flags.prune === true ? { prune: true } : {}), ...(syncOptions.length === 0 ? {} : { syncOptions }), syncStrategy: { apply: {} },
      },
    };
  });
  const ended = await waitFor(session, asked, { goal: OPERATION_ONLY, choices: [], timeout: flags.timeout, output: flags.output, mayRefresh: true });
  const phase = ended === undefined ? '' : textAt(ended, 'status', 'operationState', 'phase');
  if (phase !== 'Succeeded') throw new Fault('OPERATION_FAILED', `Operation has completed with phase: ${phase}`, { where: qualifiedName(id) });
}

/** The deployment with the id; without one, the last but one. */
function deploymentOf(application: KubeObject, id: ApplicationId, wanted: number | undefined): JsonObject {
  const history = listAt(application, 'status', 'history');
  const found = wanted === undefined ? history.at(-2) : history.find((entry) => entry.id === wanted);
  if (found !== undefined) return found;
  throw new Fault('USAGE', wanted === undefined ? `application '${id.name}' should have at least two successful deployments` : `application '${id.name}' does not have deployment id '${wanted}' in history`, { where: qualifiedName(id) });
}
