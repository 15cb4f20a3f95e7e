import { compareText } from '../../../model/go/index.js';
import { once } from 'node:events';
import { maskLive, type ControlServices, type LogLine } from '../../../control/index.js';
import { textAt, isArray, isObject, parseJson, writeJson, type JsonObject } from '../../../model/json/index.js';
import type { Key } from '../../../model/kubernetes/index.js';
import { APPLICATION } from '../../access/index.js';
import { json, stream, type Answer, type StreamWriter, ApiError } from '../../http/index.js';
import {
  route,
  type Context,
  type Input,
  type Route,
  fields,
  flag,
  list,
  text,
  integer,
  type Values,
} from '../../route/index.js';
import { OBJECT_PARAMETERS, TAG, APPLICATION_PARAMETERS } from './parameters.js';

const GET = { resource: 'applications', action: 'get', object: 'application' } as const;

export function keyOf({
  group = '',
  kind = '',
  namespace = '',
  resourceName = '',
}: Pick<Values<typeof OBJECT_PARAMETERS>, 'group' | 'kind' | 'namespace' | 'resourceName'>): Key {
  if (kind === '' || resourceName === '')
    throw new ApiError(
      'InvalidArgument',
      'kind and resourceName are required, and group and namespace if the object has them',
    );
  return { group, kind, namespace, name: resourceName };
}

/**
 * `update/apps/Deployment/shop/cart`: since version 3 the right to change an application is no right to change its
 * objects.
 */
function resourceAction(action: 'update' | 'delete'): (input: Input) => string {
  return ({ query }) =>
    [action, ...['group', 'kind', 'namespace', 'resourceName'].map((name) => textParameter(query[name]))].join('/');
}

function textParameter(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function actionView({
  name,
  disabled,
  displayName,
  iconClass,
  params,
}: ReturnType<ControlServices['resources']['actionsOf']>[number]): JsonObject {
  return {
    name,
    ...(disabled ? { disabled } : {}),
    ...(displayName === undefined ? {} : { displayName }),
    ...(iconClass === undefined ? {} : { iconClass }),
    ...(params.length === 0 ? {} : { params: params.map((each): JsonObject => ({ ...each })) }),
  };
}

const ACTION_BODY = fields({
  name: text(),
  appNamespace: text(),
  project: text(),
  namespace: text(),
  resourceName: text(),
  version: text(),
  group: text(),
  kind: text(),
  action: text(),
  resourceActionParameters: list(fields({ name: text(), value: text() })),
});

async function runResourceAction(
  { application, services, authoriser }: Pick<Context, 'application' | 'services' | 'authoriser'>,
  asked: Values<typeof OBJECT_PARAMETERS>,
  action: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Answer> {
  if (action === '') throw new ApiError('InvalidArgument', 'name an action');
  authoriser.mustFound(APPLICATION, `action/${asked.group ?? ''}/${asked.kind ?? ''}/${action}`, application);
  const where = { key: keyOf(asked), version: asked.version ?? '' };
  await services.resources.runAction(application, where, action, parameters);
  return json({});
}

/** Both are asked again while a log goes on. */
const LOG_ACCESS = { ...GET, also: { resource: 'logs', action: 'get' } } as const;
const LOG_PARAMETERS = {
  ...APPLICATION_PARAMETERS,
  namespace: text(),
  podName: text(),
  container: text(),
  sinceSeconds: integer(),
  sinceTime: text(),
  tailLines: integer(),
  follow: flag(),
  untilTime: text(),
  filter: text('Only lines that contain this text; with a leading !, only those that do not.'),
  kind: text(),
  group: text(),
  resourceName: text(),
  previous: flag(),
  matchCase: flag(),
  download: flag(),
};

function logs(
  { application, services, query }: Pick<Context<'name', typeof LOG_PARAMETERS>, 'application' | 'services' | 'query'>,
  podName: string,
): Answer {
  const {
    namespace = '',
    container = '',
    group = '',
    kind = '',
    resourceName = '',
    sinceSeconds = 0,
    sinceTime = '',
    tailLines = 0,
    follow = false,
    previous = false,
    untilTime = '',
  } = query;
  if (untilTime !== '' && Number.isNaN(Date.parse(untilTime)))
    throw new ApiError('InvalidArgument', 'invalid untilTime parameter value: use a time such as 2026-11-17T10:00:00Z');
  const matchesFilter = lineFilter(query);
  const request = {
    namespace,
    podName,
    container,
    group,
    kind,
    resourceName,
    sinceSeconds,
    sinceTime,
    tailLines,
    follow,
    previous,
  };
  const read: ReadLog = (take, signal) =>
    services.pods.followLogs(
      application,
      request,
      (line) => (matchesFilter(line.text) && (untilTime === '' || line.time <= untilTime) ? take(line) : undefined),
      signal,
    );
  if (query.download === true) return download(read, [namespace, podName, container]);
  return stream(async (outlet) => {
    const send = lineSender(outlet, follow);
    await read(
      ({ pod, text: content, time }) =>
        send({ content, ...(time === '' ? {} : { timeStamp: time }), last: false, timeStampStr: time, podName: pod }),
      outlet.signal,
    );
    const now = services.clock.now().toISOString();
    outlet.send(writeJson({ content: '', timeStamp: now, last: true, timeStampStr: now, podName: '' }));
  });
}

type ReadLog = (take: (line: LogLine) => Promise<void> | undefined, signal: AbortSignal) => Promise<void>;

/**
 * Lines that exist already wait for a slow client; while following it loses lines and gets their number.
 */
function lineSender(outlet: StreamWriter, follows: boolean): (entry: JsonObject) => Promise<void> | undefined {
  let [isFull, lost] = [false, 0];
  return (entry) => {
    if (isFull) {
      lost++;
      return undefined;
    }
    if (outlet.send(writeJson(entry))) return undefined;
    if (!follows) return outlet.drained();
    isFull = true;
    void outlet.drained().then(() => {
      isFull = false;
      if (lost > 0)
        outlet.send(
          writeJson({
            content: `(${lost} lines were dropped: this client reads more slowly than the pod writes)`,
            last: false,
            timeStampStr: '',
            podName: '',
          }),
        );
      lost = 0;
    });
    return undefined;
  };
}

function lineFilter({
  filter = '',
  matchCase = false,
}: Pick<Values<typeof LOG_PARAMETERS>, 'filter' | 'matchCase'>): (line: string) => boolean {
  const isInverse = filter.startsWith('!');
  const wanted = isInverse ? filter.slice(1) : filter;
  if (wanted === '') return () => true;
  const lower = wanted.toLowerCase();
  return (line) => (matchCase ? line.includes(wanted) : line.toLowerCase().includes(lower)) !== isInverse;
}

function download(read: ReadLog, names: readonly string[]): Answer {
  const file = names.every((name) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name)) ? names.join('-') : 'log';
  return {
    kind: 'raw',
    write: async (response, signal) => {
      response
        .setHeader('content-type', 'application/octet-stream')
        .setHeader('content-disposition', `attachment;filename="${file}.log"`);
      await read(
        ({ text: line }) =>
          response.write(`${line}\n`) || signal.aborted
            ? undefined
            : once(response, 'drain', { signal }).then(() => undefined),
        signal,
      );
      if (signal.aborted) response.destroy();
      else response.end();
    },
  };
}

export const RESOURCE_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applications/{name}/resource', {
    summary: 'The live manifest of a resource of an application.',
    tag: TAG,
    access: GET,
    query: OBJECT_PARAMETERS,
    handle: async ({ application, services, query }) =>
      json({
        manifest: writeJson(
          maskLive(await services.resources.read(application, keyOf(query), query.version), services.settings.current),
        ),
      }),
  }),
  route('POST', '/api/v1/applications/{name}/resource', {
    summary: 'Patch a resource of an application; the body is the patch, as JSON or as a string.',
    tag: TAG,
    access: { resource: 'applications', action: resourceAction('update'), object: 'application' },
    query: { ...OBJECT_PARAMETERS, patchType: text() },
    takesRawBody: true,
    handle: async ({ application, services, query, rawBody }) => {
      const parsed = parseJson(rawBody.toString('utf8') || '{}');
      // Argo CD's clients send the patch as a text inside JSON.
      const patch = typeof parsed === 'string' ? parseJson(parsed) : parsed;
      if (!isObject(patch) && !isArray(patch)) throw new ApiError('InvalidArgument', 'the body is not a patch');
      return json({
        manifest: writeJson(
          maskLive(
            await services.resources.patch(application, keyOf(query), query.version ?? '', {
              type: query.patchType ?? '',
              body: isArray(patch) ? patch.filter(isObject) : patch,
            }),
            services.settings.current,
          ),
        ),
      });
    },
  }),
  route('DELETE', '/api/v1/applications/{name}/resource', {
    summary: 'Delete a resource of an application.',
    tag: TAG,
    access: { resource: 'applications', action: resourceAction('delete'), object: 'application' },
    query: { ...OBJECT_PARAMETERS, force: flag(), orphan: flag() },
    handle: async ({ application, services, query }) => {
      const how = query.force === true ? 'force' : 'foreground';
      await services.resources.remove(
        application,
        keyOf(query),
        query.version ?? '',
        query.orphan === true ? 'orphan' : how,
      );
      return json({});
    },
  }),
  route('GET', '/api/v1/applications/{name}/resource/actions', {
    summary: 'List the actions of a resource.',
    tag: TAG,
    access: GET,
    query: OBJECT_PARAMETERS,
    handle: async ({ application, services: { resources }, query }) =>
      json({
        actions: resources
          .actionsOf(await resources.read(application, keyOf(query), query.version))
          .map(actionView)
          .toSorted((a, b) => compareText(textAt(a, 'name'), textAt(b, 'name'))),
      }),
  }),
  route('POST', '/api/v1/applications/{name}/resource/actions', {
    summary: 'Run an action; the body is its name.',
    tag: TAG,
    access: GET,
    query: OBJECT_PARAMETERS,
    takesRawBody: true,
    bodyLimit: 4096,
    handle: (context) => {
      const name = parseJson(context.rawBody.toString('utf8') || '""');
      if (typeof name !== 'string')
        throw new ApiError('InvalidArgument', 'the body is not an action name: send it as a JSON string');
      return runResourceAction(context, context.query, name, {});
    },
  }),
  route('POST', '/api/v1/applications/{name}/resource/actions/v2', {
    summary: 'Run an action with parameters.',
    tag: TAG,
    access: GET,
    query: APPLICATION_PARAMETERS,
    body: ACTION_BODY,
    handle: (context) =>
      runResourceAction(
        context,
        { ...context.body, project: undefined },
        context.body.action ?? '',
        Object.fromEntries(
          (context.body.resourceActionParameters ?? []).map(({ name = '', value = '' }) => [name, value]),
        ),
      ),
  }),
  route('GET', '/api/v1/applications/{name}/logs', {
    summary: 'Stream the logs of the pods of an application.',
    tag: TAG,
    access: LOG_ACCESS,
    query: LOG_PARAMETERS,
    streams: true,
    handle: (context) => logs(context, context.query.podName ?? ''),
  }),
  route('GET', '/api/v1/applications/{name}/pods/{podName}/logs', {
    summary: 'Stream the logs of a pod of an application.',
    tag: TAG,
    access: LOG_ACCESS,
    query: LOG_PARAMETERS,
    streams: true,
    handle: (context) => logs(context, context.path.podName),
  }),
];
