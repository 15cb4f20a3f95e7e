import { ClusterError, type Cluster } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import {
  type ApplicationId,
  hasManySources,
  idOf,
  isAutomated,
  qualifiedName,
  sourcesOf,
} from '../../model/argo/index.js';
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { APPLICATIONS } from '../../model/resources/index.js';

const MOST_CONFLICTS = 20;

/** Reads, changes and writes an Application; somebody else's write in between starts it again from what they wrote. */
export async function changeApplication(
  cluster: Cluster,
  id: ApplicationId,
  change: (application: KubeObject) => KubeObject | Promise<KubeObject>,
): Promise<KubeObject> {
  for (let attempt = 1; ; attempt++) {
    const found = await cluster.get(APPLICATIONS, id);
    if (found === undefined)
      throw new Fault('APPLICATION_UNKNOWN', `application "${id.name}" not found in namespace ${id.namespace}`);
    const changed = await change(found);
    try {
      return await cluster.update(APPLICATIONS, changed);
    } catch (error) {
      if (!(error instanceof ClusterError) || !error.isConflict || attempt === MOST_CONFLICTS) throw error;
    }
  }
}

/** The application with the operation requested. Rules and messages are Argo CD's. */
export function withOperation(application: KubeObject, operation: JsonObject): KubeObject {
  if (application.metadata.deletionTimestamp !== undefined) throw rejected('application is deleting');
  if (objectAt(application, 'operation') !== undefined)
    throw rejected('another operation is already in progress', endOfOperation(application));
  const { operationState: _, ...status } = objectAt(application, 'status') ?? {};
  return { ...application, operation, ...(Object.keys(status).length === 0 ? {} : { status }) };
}

/** What a sync is asked to do, as Argo CD's API takes it. */
export interface ApplicationSyncRequest {
  readonly revision?: string | undefined;
  readonly revisions?: readonly string[] | undefined;
  readonly sourcePositions?: readonly number[] | undefined;
  readonly prune?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly strategy?: JsonObject | undefined;
  readonly resources?: readonly JsonObject[] | undefined;
  readonly manifests?: readonly string[] | undefined;
  readonly syncOptions?: readonly string[] | undefined;
  readonly retry?: JsonObject | undefined;
  readonly info?: readonly JsonObject[] | undefined;
  readonly username: string;
}

export function syncOperation(application: KubeObject, request: ApplicationSyncRequest): JsonObject {
  if (request.manifests !== undefined && isAutomated(application) && request.dryRun !== true)
    throw rejected(
      'cannot use local sync when Automatic Sync Policy is enabled unless for dry run',
      disableAutoSync(application),
    );
  const syncOptions = request.syncOptions ?? textsAt(application, 'spec', 'syncPolicy', 'syncOptions');
  const retry = request.retry ?? objectAt(application, 'spec', 'syncPolicy', 'retry');
  return {
    ...(request.username === '' ? {} : { initiatedBy: { username: request.username } }),
    ...(request.info === undefined || request.info.length === 0 ? {} : { info: [...request.info] }),
    ...(retry === undefined ? {} : { retry }),
    sync: {
      ...revisionsFor(application, request),
      ...(request.prune === true ? { prune: true } : {}),
      ...(request.dryRun === true ? { dryRun: true } : {}),
      ...(syncOptions.length === 0 ? {} : { syncOptions: [...syncOptions] }),
      ...(request.resources === undefined || request.resources.length === 0
        ? {}
        : { resources: [...request.resources] }),
      ...(request.manifests === undefined ? {} : { manifests: [...request.manifests] }),
      ...(request.strategy === undefined ? {} : { syncStrategy: request.strategy }),
    },
  };
}

/** Whether a sync would leave the revision that the application names. */
export function isOtherRevision(
  application: KubeObject,
  { revision = '', revisions = [] }: Pick<ApplicationSyncRequest, 'revision' | 'revisions'>,
): boolean {
  const targets = sourcesOf(application).map((source) => textAt(source, 'targetRevision') || 'HEAD');
  return [revision, ...revisions].some((each) => each !== '' && !targets.includes(each));
}

function revisionsFor(
  application: KubeObject,
  { revision = '', revisions = [], sourcePositions = [], dryRun }: ApplicationSyncRequest,
): JsonObject {
  const sources = sourcesOf(application);
  const refuse = (asked: string, source: JsonObject, isOneOfMany: boolean): void => {
    const target = textAt(source, 'targetRevision');
    if (dryRun === true || asked === '' || asked === (target || 'HEAD') || !isAutomated(application)) return;
    throw rejected(
      `Cannot sync ${isOneOfMany ? `source ${textAt(source, 'repoURL')} ` : ''}to ${asked}: auto-sync ` +
        `currently set to ${target}`,
      disableAutoSync(application),
    );
  };
  if (!hasManySources(application)) {
    const [source = {}] = sources;
    refuse(revision, source, false);
    return { source, ...(revision === '' ? {} : { revision }) };
  }
  if (sourcePositions.length === 0) return { sources };
  if (sourcePositions.length !== revisions.length)
    throw new Fault(
      'VALUE_INVALID',
      `${sourcePositions.length} sourcePositions and ${revisions.length} revisions were given: the numbers must match`,
      { where: 'revisions' },
    );
  const wanted = sources.map((source) => textAt(source, 'targetRevision') || 'HEAD');
  for (const [index, position] of sourcePositions.entries()) {
    const source = sources[position - 1];
    if (source === undefined)
      throw new Fault('VALUE_INVALID', 'source position is out of range', { where: 'sourcePositions' });
    refuse(revisions[index] ?? '', source, true);
    wanted[position - 1] = revisions[index] ?? '';
  }
  return { sources, revisions: wanted };
}

/** A sync to what was deployed before, without hooks; without an id, to the last deployment but one. */
export function rollbackOperation(
  application: KubeObject,
  request: {
    readonly id: number | undefined;
    readonly prune: boolean;
    readonly dryRun: boolean;
    readonly username: string;
  },
): JsonObject {
  if (isAutomated(application))
    throw rejected('rollback cannot be initiated when auto-sync is enabled', disableAutoSync(application));
  const history = objectsAt(application, 'status', 'history');
  const entry = request.id === undefined ? history.at(-2) : history.find(({ id }) => Number(id) === request.id);
  if (entry === undefined)
    throw new Fault(
      'VALUE_INVALID',
      `application ${qualifiedName(idOf(application))} ` +
        (request.id === undefined
          ? 'should have at least two successful deployments'
          : `does not have deployment with id ${request.id}`),
    );
  const [source, sources] = [objectAt(entry, 'source'), objectsAt(entry, 'sources')];
  if (source === undefined && sources.length === 0)
    throw rejected('cannot rollback to revision deployed with Argo CD v0.11 or lower. sync to revision instead.');
  const syncOptions = textsAt(application, 'spec', 'syncPolicy', 'syncOptions');
  return {
    ...(request.username === '' ? {} : { initiatedBy: { username: request.username } }),
    sync: {
      ...(sources.length > 0
        ? { sources, revisions: textsAt(entry, 'revisions') }
        : { source, revision: textAt(entry, 'revision') }),
      ...(request.prune ? { prune: true } : {}),
      ...(request.dryRun ? { dryRun: true } : {}),
      ...(syncOptions.length === 0 ? {} : { syncOptions }),
      syncStrategy: { apply: {} },
    },
  };
}

export function withTermination(application: KubeObject): KubeObject {
  const state = objectAt(application, 'status', 'operationState');
  if (state === undefined || objectAt(application, 'operation') === undefined)
    throw new Fault('VALUE_INVALID', 'Unable to terminate operation. No operation is in progress');
  return {
    ...application,
    status: { ...objectAt(application, 'status'), operationState: { ...state, phase: 'Terminating' } },
  };
}

function rejected(message: string, hint?: string): Fault {
  return new Fault('OPERATION_REFUSED', message, hint === undefined ? {} : { hint });
}

/** What the operation under way waits for, and the command that ends it. */
function endOfOperation(application: KubeObject): string {
  const command = `argosy app terminate-op ${qualifiedName(idOf(application))}`;
  const message = textAt(application, 'status', 'operationState', 'message').replace(/\.$/, '');
  const why = message.startsWith('waiting for ') ? `it is ${message}` : '';
  if (why.includes(command)) return why;
  return `${why === '' ? '' : `${why}. `}To end it: ${command}`;
}

function disableAutoSync(application: KubeObject): string {
  return `disable auto-sync first: argosy app set ${qualifiedName(idOf(application))} --sync-policy none`;
}
