import {
  ClusterError,
  isOtherRevision,
  applyApplicationPatch,
  rewriteApplication,
  rollbackOperation,
  syncOperation,
  withTermination,
  withOperation,
  type ApplicationSyncRequest,
} from '../../../control/index.js';
import { equal, isArray, isObject, own, type JsonObject } from '../../../model/json/index.js';
import { idOf, projectOf } from '../../../model/argo/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { APPLICATION, namedApplication } from '../../access/index.js';
import { applicationView } from '../../applications/index.js';
import { json, ApiError } from '../../http/index.js';
import {
  route,
  type Context,
  type Input,
  type ReadServices,
  type Route,
  anyObject,
  fields,
  flag,
  list,
  text,
  integer,
} from '../../route/index.js';
import { TAG, APPLICATION_PARAMETERS } from './parameters.js';
import { checkSyncWindow } from './sync-windows.js';
import { APPLICATIONS } from '../../../model/resources/index.js';

const VALIDATE_PARAMETERS = { validate: flag('Reject an Application that cannot be delivered; true by default.') };

/** What a client sent as an Application, with what it may leave out. */
function applicationOf(body: JsonObject, namespace: string): KubeObject {
  const metadata = isObject(body.metadata) ? body.metadata : {};
  const { name, labels, annotations, finalizers } = metadata;
  if (typeof name !== 'string' || name === '') throw new ApiError('InvalidArgument', 'resource name may not be empty');
  const spec = isObject(body.spec) ? body.spec : {};
  const texts = (value: unknown): Record<string, string> =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
        )
      : {};
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: typeof metadata.namespace === 'string' && metadata.namespace !== '' ? metadata.namespace : namespace,
      labels: texts(labels),
      annotations: texts(annotations),
      ...(isArray(finalizers) && finalizers.length > 0
        ? { finalizers: finalizers.filter((each) => typeof each === 'string') }
        : {}),
    },
    spec: {
      ...spec,
      project: typeof spec.project === 'string' && spec.project !== '' ? spec.project : 'default',
      destination: isObject(spec.destination) ? spec.destination : {},
    },
  };
}

const inBody = ({ body, query }: Input): KubeObject => {
  const { metadata, spec } = body as {
    metadata?: { name?: unknown; namespace?: unknown };
    spec?: { project?: unknown };
  };
  const word = (value: unknown): string => (typeof value === 'string' ? value : '');
  const namespace = word(metadata?.namespace) || word(query['appNamespace']);
  return namedApplication(word(spec?.project) || 'default', namespace, word(metadata?.name));
};

function check(application: KubeObject, services: ReadServices, validate: boolean | undefined): void {
  const {
    metadata: { namespace = '' },
  } = application;
  if (!services.applications.isApplicationNamespace(namespace))
    throw new ApiError('PermissionDenied', `namespace '${namespace}' is not permitted`);
  if (services.projects.find(projectOf(application)) === undefined)
    throw new ApiError(
      'InvalidArgument',
      `app is not allowed in project "${projectOf(application)}", or the project does not exist`,
    );
  if (validate === false) return;
  try {
    services.applications.admit(application);
  } catch (error) {
    throw new ApiError(
      'InvalidArgument',
      `application spec for ${application.metadata.name ?? ''} is invalid: ` +
        (error instanceof Error ? error.message : String(error)),
    );
  }
}

async function create({
  body,
  services,
  query,
  authoriser,
}: Context<never, { upsert: typeof UPSERT; validate: typeof UPSERT }, JsonObject>): Promise<KubeObject> {
  const wanted = applicationOf(body, services.namespace);
  authoriser.must(APPLICATION, 'create', wanted);
  check(wanted, services, query.validate);
  try {
    return await authoriser.create(APPLICATION, wanted);
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.isAlreadyExists) throw error;
  }
  const existing = await services.cluster.get(APPLICATIONS, idOf(wanted));
  // It may be one of another project, whose place and spec are not for the caller.
  if (existing !== undefined) authoriser.mustFound(APPLICATION, query.upsert === true ? 'update' : 'get', existing);
  if (existing !== undefined && isSame(existing, wanted)) return existing;
  if (query.upsert !== true)
    throw new ApiError('InvalidArgument', 'existing application spec is different, use upsert flag to force update');
  return authoriser.changeApplication(idOf(wanted), 'update', (current) => rewriteApplication(current, wanted, true));
}

const UPSERT = flag();

function isSame(existing: KubeObject, wanted: KubeObject): boolean {
  const { labels = {}, annotations = {}, finalizers = [] } = existing.metadata;
  const { metadata } = wanted;
  return (
    equal(own(existing, 'spec'), own(wanted, 'spec')) &&
    equal(labels, metadata.labels ?? {}) &&
    equal(annotations, metadata.annotations ?? {}) &&
    equal(finalizers, metadata.finalizers ?? [])
  );
}

async function replace(
  { application, services, authoriser }: Pick<Context, 'application' | 'services' | 'authoriser'>,
  wanted: KubeObject,
  validate: boolean | undefined,
): Promise<KubeObject> {
  const moved = { ...wanted, metadata: { ...wanted.metadata, namespace: application.metadata.namespace ?? '' } };
  authoriser.mustChange(APPLICATION, 'update', application, rewriteApplication(application, wanted, false));
  check(moved, services, validate);
  return authoriser.changeApplication(idOf(application), 'update', (current) =>
    rewriteApplication(current, wanted, false),
  );
}

function patched(application: KubeObject, type: string, patch: string): KubeObject {
  const after = applyApplicationPatch(application, type, patch);
  return applicationOf(
    {
      ...after,
      metadata: { ...(isObject(after.metadata) ? after.metadata : {}), name: application.metadata.name ?? '' },
    },
    application.metadata.namespace ?? '',
  );
}

const FINALIZER = 'resources-finalizer.argocd.argoproj.io';

async function remove({
  application,
  services,
  authoriser,
  query: { cascade, propagationPolicy = '' },
}: Context<'name', { cascade: typeof UPSERT; propagationPolicy: ReturnType<typeof text> }>): Promise<void> {
  if (cascade === false && propagationPolicy !== '')
    throw new ApiError('InvalidArgument', 'cannot set propagation policy when cascading is disabled');
  const policy = propagationPolicy.toLowerCase();
  if (!['', 'foreground', 'background'].includes(policy))
    throw new ApiError('InvalidArgument', `invalid propagation policy: ${propagationPolicy.slice(0, 100)}`);
  const id = idOf(application);
  const current = await services.cluster.get(APPLICATIONS, id);
  if (current === undefined) return;
  const { finalizers = [], deletionTimestamp } = current.metadata;
  const wanted =
    cascade === false
      ? finalizers.filter((each) => each !== FINALIZER && !each.startsWith(`${FINALIZER}/`))
      : [...new Set([...finalizers, policy === '' ? FINALIZER : `${FINALIZER}/${policy}`])];
  // Nothing may be added to an object that is on its way out.
  const mustWrite =
    wanted.length !== finalizers.length && (deletionTimestamp === undefined || wanted.length < finalizers.length);
  if (mustWrite)
    await authoriser.changeApplication(id, 'delete', (before) => ({
      ...before,
      metadata: { ...before.metadata, finalizers: wanted },
    }));
  await authoriser.remove(APPLICATION, current);
}

const SYNC = {
  name: text(),
  appNamespace: text(),
  project: text(),
  revision: text(),
  revisions: list(text()),
  sourcePositions: list(integer()),
  dryRun: flag(),
  prune: flag(),
  strategy: fields({
    apply: fields({ force: flag() }),
    hook: fields({ force: flag(), syncStrategyApply: fields({ force: flag() }) }),
  }),
  resources: list(fields({ group: text(), kind: text(), name: text(), namespace: text() })),
  manifests: list(text()),
  infos: list(fields({ name: text(), value: text() })),
  retryStrategy: anyObject(),
  syncOptions: fields({ items: list(text()) }),
};

async function sync(
  context: Context<'name', typeof APPLICATION_PARAMETERS, ReturnType<typeof SYNC_BODY.read>>,
): Promise<KubeObject> {
  const { application, body, services, authoriser, subject } = context;
  checkSyncWindow(application, services);
  authoriser.mustFound(APPLICATION, 'sync', application);
  const request: ApplicationSyncRequest = {
    revision: body.revision,
    revisions: body.revisions,
    sourcePositions: body.sourcePositions,
    prune: body.prune,
    dryRun: body.dryRun,
    manifests: body.manifests,
    retry: body.retryStrategy,
    username: subject.username,
    resources: body.resources?.map((each): JsonObject => ({ ...each })),
    info: body.infos?.map((each): JsonObject => ({ ...each })),
    syncOptions: body.syncOptions?.items,
    strategy: body.strategy === undefined ? undefined : strategyOf(body.strategy),
  };
  if (
    request.manifests !== undefined ||
    (services.settings.current.requiresOverrideForRevisions && isOtherRevision(application, request))
  )
    authoriser.mustFound(APPLICATION, 'override', application);
  return authoriser.changeApplication(idOf(application), 'sync', (current) =>
    withOperation(current, syncOperation(current, request)),
  );
}

const SYNC_BODY = fields(SYNC);

function strategyOf(strategy: NonNullable<ReturnType<typeof SYNC_BODY.read>['strategy']>): JsonObject {
  const force = (given: { readonly force: boolean | undefined } | undefined): JsonObject =>
    given?.force === true ? { force: true } : {};
  return strategy.apply === undefined
    ? { hook: { ...force(strategy.hook), ...force(strategy.hook?.syncStrategyApply) } }
    : { apply: force(strategy.apply) };
}

export const WRITE_ROUTES: readonly Route[] = [
  route('POST', '/api/v1/applications', {
    summary: 'Create an application.',
    tag: TAG,
    access: { kind: APPLICATION, action: 'create', describe: inBody },
    query: { upsert: UPSERT, validate: flag() },
    body: anyObject('An Application.'),
    handle: async (context) => json(applicationView(await create(context))),
  }),
  route('PUT', '/api/v1/applications/{name}', {
    summary: 'Replace spec, labels, annotations and finalizers of an application.',
    tag: TAG,
    access: { resource: 'applications', action: 'update', object: 'application' },
    query: { ...APPLICATION_PARAMETERS, ...VALIDATE_PARAMETERS },
    body: anyObject('An Application.'),
    handle: async (context) =>
      json(
        applicationView(
          await replace(
            context,
            applicationOf(
              {
                ...context.body,
                metadata: {
                  ...(isObject(context.body.metadata) ? context.body.metadata : {}),
                  name: context.path.name,
                },
              },
              context.services.namespace,
            ),
            context.query.validate,
          ),
        ),
      ),
  }),
  route('PUT', '/api/v1/applications/{name}/spec', {
    summary: 'Replace the spec of an application.',
    tag: TAG,
    access: { resource: 'applications', action: 'update', object: 'application' },
    query: { ...APPLICATION_PARAMETERS, ...VALIDATE_PARAMETERS },
    body: anyObject('The spec of an Application.'),
    handle: async (context) =>
      json(
        own(
          await replace(
            context,
            applicationOf({ ...context.application, spec: context.body }, context.services.namespace),
            context.query.validate,
          ),
          'spec',
        ) ?? {},
      ),
  }),
  route('PATCH', '/api/v1/applications/{name}', {
    summary: 'Patch an application, with a JSON patch or a merge patch.',
    tag: TAG,
    access: { resource: 'applications', action: 'update', object: 'application' },
    query: APPLICATION_PARAMETERS,
    body: fields({
      name: text(),
      patch: text(),
      patchType: text('json or merge.'),
      appNamespace: text(),
      project: text(),
    }),
    handle: async (context) =>
      json(
        applicationView(
          await replace(
            context,
            patched(context.application, context.body.patchType ?? '', context.body.patch ?? ''),
            true,
          ),
        ),
      ),
  }),
  route('DELETE', '/api/v1/applications/{name}', {
    summary: 'Delete an application, with its resources unless cascade=false.',
    tag: TAG,
    access: { resource: 'applications', action: 'delete', object: 'application' },
    query: { ...APPLICATION_PARAMETERS, cascade: UPSERT, propagationPolicy: text('foreground or background.') },
    handle: async (context) => {
      await remove(context);
      return json({});
    },
  }),
  route('POST', '/api/v1/applications/{name}/sync', {
    summary: 'Ask for a sync.',
    tag: TAG,
    access: { resource: 'applications', action: 'get', object: 'application' },
    query: APPLICATION_PARAMETERS,
    body: SYNC_BODY,
    handle: async (context) => json(applicationView(await sync(context))),
  }),
  route('POST', '/api/v1/applications/{name}/rollback', {
    summary: 'Roll back to an earlier deployment.',
    tag: TAG,
    access: { resource: 'applications', action: 'sync', object: 'application' },
    query: APPLICATION_PARAMETERS,
    body: fields({ name: text(), id: integer(), dryRun: flag(), prune: flag(), appNamespace: text(), project: text() }),
    handle: async ({
      application,
      body: { id = 0, prune = false, dryRun = false },
      authoriser,
      subject: { username },
    }) =>
      json(
        applicationView(
          await authoriser.changeApplication(idOf(application), 'sync', (current) =>
            withOperation(current, rollbackOperation(current, { id, prune, dryRun, username })),
          ),
        ),
      ),
  }),
  route('DELETE', '/api/v1/applications/{name}/operation', {
    summary: 'Terminate the running operation.',
    tag: TAG,
    access: { resource: 'applications', action: 'sync', object: 'application' },
    query: APPLICATION_PARAMETERS,
    handle: async ({ application, authoriser }) => {
      await authoriser.changeApplication(idOf(application), 'sync', withTermination);
      return json({});
    },
  }),
];
