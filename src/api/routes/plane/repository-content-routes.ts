import type { FrontDesk, RepositoryEntry } from '../../../control/index.js';
import {
  equal,
  isObject,
  normalizeUrl,
  parseJson,
  projectOf,
  sourcesOf,
  textAt,
  type JsonObject,
  type KubeObject,
} from '../../../model/index.js';
import { rbacName as applicationName } from '../../access/find-application.js';
import { json } from '../../http/answer.js';
import { ApiError } from '../../http/api-error.js';
import { route, type Context, type Input, type Route } from '../../route/route.js';
import { anyObject, fields, flag, text, whole } from '../../route/shape.js';
import { secretOf, TAG, WRITTEN } from './repository-routes.js';

type Ask = Pick<Context, 'desk' | 'must' | 'may'>;

function known({ desk }: Ask, url: string, appProject: string): RepositoryEntry | undefined {
  const fits = desk.repositories.filter((entry) => normalizeUrl(entry.url) === normalizeUrl(url));
  return fits.find(({ project }) => project === appProject) ?? fits.find(({ project }) => project === '');
}

/**
 * A repository that nobody has credentials for is public, and belongs to no project. Whoever may not see it does not
 * learn whether it is there.
 */
function entryOf(context: Ask, url: string, appProject: string): RepositoryEntry {
  const entry = known(context, url, appProject) ?? { url, name: '', project: '', secret: '', access: {} };
  if (!context.may('repositories', 'get', entry.project === '' ? entry.url : `${entry.project}/${entry.url}`))
    throw new ApiError('PermissionDenied', 'permission denied');
  return { ...entry, project: appProject };
}

/**
 * Looking into a repository is for those who may make an application of it; others would use our credentials to read.
 */
function mustUse({ desk, may }: Ask, url: string, project: string, name: string): void {
  const object = applicationName(desk.namespace, project, '', name);
  if (!may('applications', 'create', object) && !may('applications', 'update', object))
    throw new ApiError('PermissionDenied', 'permission denied');
  mustBePermitted(desk, url, project);
}

function mustBePermitted(desk: FrontDesk, url: string, name: string): void {
  if (!desk.permitsRepository(name, url))
    throw new ApiError('PermissionDenied', `repository '${url}' not permitted in project '${name}'`);
}

/** Of an application that is there only its own sources, of now and before, can be looked at. */
function mustBeKnown(application: KubeObject, source: JsonObject, project: string): void {
  const history =
    isObject(application.status) && Array.isArray(application.status.history)
      ? application.status.history.filter(isObject)
      : [];
  const known = [...sourcesOf(application), ...history.flatMap((entry) => sourcesOf({ ...application, spec: entry }))];
  if (projectOf(application) !== project || !known.some((each) => equal(each, source)))
    throw new ApiError('PermissionDenied', 'permission denied');
}

async function details(context: Ask, source: JsonObject, appName: string, project: string): Promise<JsonObject> {
  const { desk, must } = context;
  const url = textAt(source, 'repoURL');
  entryOf(context, url, project);
  const [name = '', namespace = ''] = appName.split('/').toReversed();
  const object = applicationName(desk.namespace, project, namespace, name);
  must('applications', 'get', object);
  const existing = desk.application(namespace === '' ? desk.namespace : namespace, name);
  if (existing === undefined) must('applications', 'create', object);
  else mustBeKnown(existing, source, project);
  mustBePermitted(desk, url, project);
  const spec =
    existing === undefined
      ? { project, destination: { server: 'https://kubernetes.default.svc', namespace: 'default' } }
      : { project, destination: isObject(existing.spec) ? (existing.spec.destination ?? {}) : {} };
  return desk.sourceDetails({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: name || 'new', namespace: namespace === '' ? desk.namespace : namespace },
    spec: { ...spec, source },
  });
}

/**
 * The address alone in the body, as Argo CD's gateway takes it, or all fields there: a query ends in the logs of
 * proxies.
 */
function accessOf(rawBody: Buffer): JsonObject {
  const said = parseJson(rawBody.toString('utf8') || '{}');
  if (typeof said !== 'string' && !isObject(said))
    throw new ApiError('InvalidArgument', 'the body is neither the address nor an object with it');
  return isObject(said) ? said : {};
}

const WHERE = { appProject: text(), forceRefresh: flag() };
const { repo: _repo, ...ACCESS } = WRITTEN;
const REPOSITORY = fields(WRITTEN);
const named = ({ path, query }: Input): string => {
  const project = typeof query['project'] === 'string' ? query['project'] : '';
  return project === '' ? (path['repo'] ?? '') : `${project}/${path['repo'] ?? ''}`;
};

export const REPOSITORY_CONTENT_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/repositories/{repo}/apps', {
    says: 'Folders of a repository that can be delivered: charts and kustomizations.',
    tag: TAG,
    access: { resource: 'repositories', action: 'get', object: 'each' },
    query: { ...WHERE, revision: text(), appName: text() },
    handle: async (context) => {
      const {
        desk,
        path: { repo },
        query: { revision = '', appName = '', appProject = '' },
      } = context;
      const entry = entryOf(context, repo, appProject);
      mustUse(context, repo, appProject, appName);
      return json({ items: await desk.applicationsIn(entry, revision) });
    },
  }),
  route('GET', '/api/v1/repositories/{repo}/helmcharts', {
    says: 'Charts of a chart repository, with their versions.',
    tag: TAG,
    access: { resource: 'repositories', action: 'get', object: 'each' },
    query: WHERE,
    handle: async (context) => {
      const {
        desk,
        path: { repo },
        query: { appProject = '' },
      } = context;
      const entry = entryOf(context, repo, appProject);
      // Who may only look must not send this server to addresses of their own.
      if (known(context, repo, appProject) === undefined) throw new ApiError('NotFound', `repo '${repo}' not found`);
      return json({ items: await desk.chartsIn(entry) });
    },
  }),
  route('POST', '/api/v1/repositories/{repo}/appdetails', {
    says: 'What can be set in a source: values of a chart, images of a kustomization.',
    tag: TAG,
    access: { resource: 'repositories', action: 'get', object: 'each' },
    body: fields({
      source: anyObject('The source of an Application.'),
      appName: text(),
      appProject: text(),
      sourceIndex: whole(),
      versionId: whole(),
    }),
    handle: async (context) => {
      const {
        body: { source, appName = '', appProject = '' },
        path: { repo },
      } = context;
      if (source === undefined) throw new ApiError('InvalidArgument', 'missing payload in request: source is needed');
      return json(await details(context, { ...source, repoURL: repo }, appName, appProject));
    },
  }),
  route('POST', '/api/v1/repositories/{repo}/validate', {
    says: 'Whether a repository can be opened with these credentials; nothing is kept.',
    tag: TAG,
    access: { resource: 'repositories', action: 'create', object: named },
    query: ACCESS,
    takesRawBody: true,
    bodyLimit: 256 * 1024,
    handle: async ({ desk, must, path: { repo }, query, rawBody }) => {
      const given = REPOSITORY.read({ ...accessOf(rawBody) }, '');
      const project = given.project ?? query.project ?? '';
      must('repositories', 'create', project === '' ? repo : `${project}/${repo}`);
      await desk.checkRepository(secretOf({ ...query, ...given, repo, project }, 'repository', desk));
      return json({});
    },
  }),
];
