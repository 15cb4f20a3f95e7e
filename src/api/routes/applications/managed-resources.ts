import { predictSync, syncWindowState, type InspectedResource, type Inspection } from '../../../control/index.js';
import { type SyncWindow, projectOf } from '../../../model/argo/index.js';
import { type JsonObject, textAt, writeJson } from '../../../model/json/index.js';
import type { Key, KubeObject } from '../../../model/kubernetes/index.js';
import type { RenderedResponse } from '../../../model/api/index.js';
import { json, stream, ApiError } from '../../http/index.js';
import { route, type Route, fields, list, text, integer } from '../../route/index.js';
import { treeFeed } from '../../applications/index.js';
import { TAG, APPLICATION_PARAMETERS } from './parameters.js';

const RESOURCE_FILTER = {
  ...APPLICATION_PARAMETERS,
  namespace: text(),
  name: text(),
  version: text(),
  group: text(),
  kind: text(),
};
/** Of a packed folder, as it is sent. */
const MAX_ARCHIVE_BYTES = 16 * 1024 * 1024;
const GET = { resource: 'applications', action: 'get', object: 'application' } as const;

/** Manifests that cannot be rendered are an error, not an empty list. */
export function rejectUnknownStatus({ status, conditions }: Inspection): void {
  const problem = conditions.find(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError');
  if (status === 'Unknown' && problem !== undefined) throw new ApiError('FailedPrecondition', problem.message);
}

function managedView(resource: InspectedResource): JsonObject {
  const {
    key: { group, kind, namespace, name },
    live,
    target,
    status,
  } = resource;
  const visible = live === undefined ? undefined : withoutServerFields(live);
  const text = (object: KubeObject | undefined): string => (object === undefined ? 'null' : writeJson(object));
  const after = predictSync(resource);
  return {
    ...(group === '' ? {} : { group }),
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    targetState: text(target),
    liveState: text(live),
    normalizedLiveState: text(visible),
    predictedLiveState: text(after === undefined ? undefined : withoutServerFields(after)),
    ...(live?.metadata.resourceVersion === undefined ? {} : { resourceVersion: live.metadata.resourceVersion }),
    ...(status === 'OutOfSync' ? { modified: true } : {}),
  };
}

/** Fields that only the server writes change all the time and mean nothing here. */
export function withoutServerFields({ status: _, metadata, ...rest }: KubeObject): KubeObject {
  const { managedFields: _m, resourceVersion: _r, generation: _g, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

function isWanted(
  { group, kind, namespace, name }: Key,
  wanted: {
    readonly group?: string | undefined;
    readonly kind?: string | undefined;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
  },
): boolean {
  const fits = (asked: string | undefined, value: string): boolean =>
    asked === undefined || asked === '' || asked === value;
  return (
    fits(wanted.group, group) && fits(wanted.kind, kind) && fits(wanted.namespace, namespace) && fits(wanted.name, name)
  );
}

function manifestsView(application: KubeObject, { resources, revisions }: Inspection): JsonObject {
  return {
    manifests: resources.flatMap(({ target }) => (target === undefined ? [] : [writeJson(target)])),
    origins: resources.flatMap(({ target, origin }) => (target === undefined ? [] : [origin])),
    namespace: textAt(application, 'spec', 'destination', 'namespace'),
    server: textAt(application, 'spec', 'destination', 'server'),
    revision: revisions[0] ?? '',
    sourceType: textAt(application, 'status', 'sourceType'),
    commands: [],
  };
}

function windowView({ kind, schedule, duration, manualSync }: SyncWindow): JsonObject {
  return { kind, schedule, duration, manualSync };
}

export const MANAGED_RESOURCE_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applications/{name}/resource-tree', {
    summary: 'The resource tree of an application.',
    tag: TAG,
    access: GET,
    query: RESOURCE_FILTER,
    handle: async ({ application, services }) => json(await services.resources.tree(application)),
  }),
  route('GET', '/api/v1/stream/applications/{name}/resource-tree', {
    summary: 'Stream the resource tree on every change.',
    tag: TAG,
    access: GET,
    query: RESOURCE_FILTER,
    streams: true,
    handle: ({ application, services }) => stream(treeFeed(application, services)),
  }),
  route('GET', '/api/v1/applications/{name}/managed-resources', {
    summary: 'Each resource with its target, live and predicted live state.',
    tag: TAG,
    access: GET,
    query: RESOURCE_FILTER,
    handle: async ({ application, services, query }) => {
      const inspection = await services.inspections.inspect(application);
      rejectUnknownStatus(inspection);
      return json({
        items: inspection.resources.filter(({ key, isHook }) => !isHook && isWanted(key, query)).map(managedView),
      });
    },
  }),
  route('GET', '/api/v1/applications/{name}/manifests', {
    summary: 'The rendered manifests of the sources.',
    tag: TAG,
    access: GET,
    query: {
      ...APPLICATION_PARAMETERS,
      revision: text(),
      sourcePositions: list(integer()),
      revisions: list(text()),
      noCache: text(),
    },
    handle: async ({ application, services, query: { revision = '', noCache } }) => {
      const inspection = await services.inspections.inspect(application, {
        ...(revision === '' ? {} : { revisions: [revision] }),
        ...(noCache === 'true' ? { hard: true } : {}),
      });
      rejectUnknownStatus(inspection);
      return json(manifestsView(application, inspection));
    },
  }),
  route('POST', '/api/v1/applications/manifestsWithFiles', {
    changes: false,
    summary: 'What the application would be with these files: its name and their checksum, then a tgz in pieces.',
    tag: TAG,
    access: { ...GET, named: 'in-stream' },
    body: list(
      fields({
        query: fields({ name: text(), checksum: text(), appNamespace: text(), project: text() }),
        chunk: fields({ chunk: text('In base64.') }),
      }),
    ),
    bodyLimit: MAX_ARCHIVE_BYTES,
    takesStream: true,
    handle: async ({ application, services, body: [first, ...pieces] }) => {
      const archive = Buffer.concat(pieces.map(({ chunk }) => Buffer.from(chunk?.chunk ?? '', 'base64')));
      const inspection = await services.inspections.inspectFiles(application, archive, first?.query?.checksum ?? '');
      rejectUnknownStatus(inspection);
      return json(manifestsView(application, inspection));
    },
  }),
  route('GET', '/api/v1/applications/{name}/rendered', {
    summary: 'The rendered manifests, each with the file and line of its origin.',
    tag: TAG,
    access: GET,
    query: { ...APPLICATION_PARAMETERS, revision: text() },
    handle: async ({ application, services, query: { revision = '' } }) => {
      const inspection = await services.inspections.inspect(
        application,
        revision === '' ? {} : { revisions: [revision] },
      );
      rejectUnknownStatus(inspection);
      const answer: RenderedResponse = {
        revisions: inspection.revisions,
        manifests: inspection.resources.flatMap(({ target, origin, wave }) =>
          target === undefined ? [] : [{ origin, wave, object: target }],
        ),
      };
      return json(answer);
    },
  }),
  route('GET', '/api/v1/applications/{name}/syncwindows', {
    summary: 'The sync windows of its project, and whether they allow a sync now.',
    tag: TAG,
    access: GET,
    query: APPLICATION_PARAMETERS,
    handle: ({ application, services }) => {
      const project = services.projects.find(projectOf(application));
      const { canSync, active, assigned } =
        project === undefined
          ? { canSync: true, active: [], assigned: [] }
          : syncWindowState(project, application, services.clock.now().getTime(), true);
      return json({
        ...(active.length === 0 ? {} : { activeWindows: active.map(windowView) }),
        ...(assigned.length === 0 ? {} : { assignedWindows: assigned.map(windowView) }),
        canSync,
      });
    },
  }),
];
