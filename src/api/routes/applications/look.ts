import { predicted, windowsNow, type InspectedResource, type Inspection } from '../../../control/index.js';
import {
  projectOf,
  textAt,
  writeJson,
  type JsonObject,
  type Key,
  type KubeObject,
  type RenderedAnswer,
  type SyncWindow,
} from '../../../model/index.js';
import { json, stream } from '../../http/answer.js';
import { ApiError } from '../../http/api-error.js';
import { route, type Route } from '../../route/route.js';
import { list, text, whole } from '../../route/shape.js';
import { treeFeed } from '../../applications/tree-feed.js';
import { TAG, WHICH } from './parameters.js';

const SOME = { ...WHICH, namespace: text(), name: text(), version: text(), group: text(), kind: text() };
const GET = { resource: 'applications', action: 'get', object: 'application' } as const;

/** Where the manifests could not be made there is nothing to show, and nothing must not be told. */
export function refuseUnknown({ status, conditions }: Inspection): void {
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
  const shown = live === undefined ? undefined : withoutNoise(live);
  const text = (object: KubeObject | undefined): string => (object === undefined ? 'null' : writeJson(object));
  const after = predicted(resource);
  return {
    ...(group === '' ? {} : { group }),
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    targetState: text(target),
    liveState: text(live),
    normalizedLiveState: text(shown),
    predictedLiveState: text(after === undefined ? undefined : withoutNoise(after)),
    ...(live?.metadata.resourceVersion === undefined ? {} : { resourceVersion: live.metadata.resourceVersion }),
    ...(status === 'OutOfSync' ? { modified: true } : {}),
  };
}

/** What only the server writes differs from look to look, and means nothing. */
export function withoutNoise({ status: _, metadata, ...rest }: KubeObject): KubeObject {
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

function windowView({ kind, schedule, duration, manualSync }: SyncWindow): JsonObject {
  return { kind, schedule, duration, manualSync };
}

export const LOOK_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applications/{name}/resource-tree', {
    says: 'What an application manages, and what belongs to that.',
    tag: TAG,
    access: GET,
    query: SOME,
    handle: async ({ application, desk }) => json(await desk.tree(application)),
  }),
  route('GET', '/api/v1/stream/applications/{name}/resource-tree', {
    says: 'The tree whenever it changed.',
    tag: TAG,
    access: GET,
    query: SOME,
    streams: true,
    handle: ({ application, desk }) => stream(treeFeed(application, desk)),
  }),
  route('GET', '/api/v1/applications/{name}/managed-resources', {
    says: 'Each object as git has it, as the cluster has it, and as a sync would leave it.',
    tag: TAG,
    access: GET,
    query: SOME,
    handle: async ({ application, desk, query }) => {
      const inspection = await desk.inspect(application);
      refuseUnknown(inspection);
      return json({
        items: inspection.resources.filter(({ key, isHook }) => !isHook && isWanted(key, query)).map(managedView),
      });
    },
  }),
  route('GET', '/api/v1/applications/{name}/manifests', {
    says: 'What the sources render to.',
    tag: TAG,
    access: GET,
    query: { ...WHICH, revision: text(), sourcePositions: list(whole()), revisions: list(text()), noCache: text() },
    handle: async ({ application, desk, query: { revision = '', noCache } }) => {
      const inspection = await desk.inspect(application, {
        ...(revision === '' ? {} : { revisions: [revision] }),
        ...(noCache === 'true' ? { hard: true } : {}),
      });
      refuseUnknown(inspection);
      const objects = inspection.resources.flatMap(({ target }) => target ?? []);
      return json({
        manifests: objects.map((object) => writeJson(object)),
        origins: inspection.resources.flatMap(({ target, origin }) => (target === undefined ? [] : [origin])),
        namespace: textAt(application, 'spec', 'destination', 'namespace'),
        server: textAt(application, 'spec', 'destination', 'server'),
        revision: inspection.revisions[0] ?? '',
        sourceType: textAt(application, 'status', 'sourceType'),
        commands: [],
      });
    },
  }),
  route('GET', '/api/v1/applications/{name}/rendered', {
    says: 'What git says, each object with the file and line that it came from.',
    tag: TAG,
    access: GET,
    query: { ...WHICH, revision: text() },
    handle: async ({ application, desk, query: { revision = '' } }) => {
      const inspection = await desk.inspect(application, revision === '' ? {} : { revisions: [revision] });
      refuseUnknown(inspection);
      const answer: RenderedAnswer = {
        revisions: inspection.revisions,
        manifests: inspection.resources.flatMap(({ target, origin, wave }) =>
          target === undefined ? [] : [{ origin, wave, object: target }],
        ),
      };
      return json(answer);
    },
  }),
  route('GET', '/api/v1/applications/{name}/syncwindows', {
    says: 'The sync windows of its project, and whether they let it sync now.',
    tag: TAG,
    access: GET,
    query: WHICH,
    handle: ({ application, desk }) => {
      const project = desk.project(projectOf(application));
      const { canSync, active, assigned } =
        project === undefined
          ? { canSync: true, active: [], assigned: [] }
          : windowsNow(project, application, desk.now(), true);
      return json({
        ...(active.length === 0 ? {} : { activeWindows: active.map(windowView) }),
        ...(assigned.length === 0 ? {} : { assignedWindows: assigned.map(windowView) }),
        canSync,
      });
    },
  }),
];
