import type { RepositoryEntry } from '../../../control/index.js';
import { type JsonObject, equal, isObject, parseJson, textAt } from '../../../model/json/index.js';
import { normalizeUrl } from '../../../model/formats/index.js';
import { projectOf, sourcesOf } from '../../../model/argo/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { APPLICATION, REPOSITORY, namedApplication } from '../../access/index.js';
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
  text,
  integer,
  type Values,
} from '../../route/index.js';
import { secretOf, TAG, REPOSITORY_BODY, REPOSITORY_FIELDS, type RepositoryFields } from './repository-secrets.js';

type RepositoryContext = Pick<Context, 'services' | 'authoriser'>;

function knownRepository(services: ReadServices, url: string, appProject: string): RepositoryEntry | undefined {
  const fits = services.repositories.entries.filter((entry) => normalizeUrl(entry.url) === normalizeUrl(url));
  return fits.find(({ project }) => project === appProject) ?? fits.find(({ project }) => project === '');
}

/**
 * A repository that nobody has credentials for is public, and belongs to no project. Whoever may not see it does not
 * learn whether it is there.
 */
const CONTENT = {
  kind: REPOSITORY,
  action: 'get',
  find: ({ path, query, body }: Input, services: ReadServices): RepositoryEntry => {
    const url = path['repo'] ?? '';
    const { appProject = query['appProject'] } = (body ?? {}) as { appProject?: unknown };
    return (
      knownRepository(services, url, typeof appProject === 'string' ? appProject : '') ?? {
        url,
        name: '',
        project: '',
        secret: '',
        access: {},
      }
    );
  },
} as const;

/**
 * Reading a repository requires the right to create an application from it; others would borrow our credentials.
 */
function mustUse({ services, authoriser }: RepositoryContext, url: string, project: string, name: string): void {
  const application = namedApplication(project, '', name);
  if (!['create', 'update'].some((action) => authoriser.may(APPLICATION, action, application)))
    throw new ApiError('PermissionDenied', 'permission denied');
  mustBePermitted(services, url, project);
}

function mustBePermitted(services: ReadServices, url: string, name: string): void {
  if (!services.projects.permitsRepository(name, url))
    throw new ApiError('PermissionDenied', `repository '${url}' not permitted in project '${name}'`);
}

/** Of an existing application only its own sources, current and former, can be read. */
function mustBeKnown(application: KubeObject, source: JsonObject, project: string): void {
  const history =
    isObject(application.status) && Array.isArray(application.status.history)
      ? application.status.history.filter(isObject)
      : [];
  const known = [...sourcesOf(application), ...history.flatMap((entry) => sourcesOf({ ...application, spec: entry }))];
  if (projectOf(application) !== project || !known.some((each) => equal(each, source)))
    throw new ApiError('PermissionDenied', 'permission denied');
}

async function details(
  context: RepositoryContext,
  source: JsonObject,
  appName: string,
  project: string,
): Promise<JsonObject> {
  const { services, authoriser } = context;
  const url = textAt(source, 'repoURL');
  const [name = '', namespace = ''] = appName.split('/').toReversed();
  const application = namedApplication(project, namespace, name);
  authoriser.must(APPLICATION, 'get', application);
  const existing = services.applications.find(namespace === '' ? services.namespace : namespace, name);
  if (existing === undefined) authoriser.must(APPLICATION, 'create', application);
  else mustBeKnown(existing, source, project);
  mustBePermitted(services, url, project);
  const spec =
    existing === undefined
      ? { project, destination: { server: 'https://kubernetes.default.svc', namespace: 'default' } }
      : { project, destination: isObject(existing.spec) ? (existing.spec.destination ?? {}) : {} };
  return services.inspections.sourceDetails({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: name || 'new', namespace: namespace === '' ? services.namespace : namespace },
    spec: { ...spec, source },
  });
}

/**
 * The address alone in the body, as Argo CD's gateway takes it, or all fields there: a query ends in the logs of
 * proxies.
 */
function accessOf(rawBody: Buffer): JsonObject {
  const body = parseJson(rawBody.toString('utf8') || '{}');
  if (typeof body !== 'string' && !isObject(body))
    throw new ApiError('InvalidArgument', 'the body is neither the URL nor an object with it');
  return isObject(body) ? body : {};
}

/** Opens the repository in the path with what a request gives for it. */
export async function checkGiven(
  {
    services,
    authoriser,
    path,
    query,
    rawBody,
  }: RepositoryContext & {
    readonly path: Readonly<Record<'repo', string>>;
    readonly query: Values<typeof VALIDATE_PARAMETERS>;
    readonly rawBody: Buffer;
  },
  kind: typeof REPOSITORY,
): Promise<void> {
  const { enableOci, insecureOciForceHttp, ...rest } = query;
  const given = REPOSITORY_BODY.read({ ...accessOf(rawBody) }, '');
  const project = given.project ?? rest.project ?? '';
  authoriser.must(kind, 'create', { url: path.repo, project });
  const wanted: RepositoryFields = {
    ...rest,
    ...(enableOci === undefined ? {} : { enableOCI: enableOci }),
    ...(insecureOciForceHttp === undefined ? {} : { insecureOCIForceHttp: insecureOciForceHttp }),
    ...given,
    repo: path.repo,
    project,
  };
  await services.repositories.check(secretOf(wanted, 'repository', services));
}

const REPOSITORY_PARAMETERS = { appProject: text(), forceRefresh: flag() };
const { repo: _repo, ...ACCESS } = REPOSITORY_FIELDS;
/** Argo CD spells two of them otherwise where access is tried. */
export const VALIDATE_PARAMETERS = { ...ACCESS, enableOci: flag(), insecureOciForceHttp: flag() };
export const namedInPath = ({ path, query }: Input): { readonly url: string; readonly project: string } => ({
  url: path['repo'] ?? '',
  project: typeof query['project'] === 'string' ? query['project'] : '',
});

export const REPOSITORY_CONTENT_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/repositories/{repo}/apps', {
    summary: 'Folders of a repository with a chart or a kustomization.',
    tag: TAG,
    access: CONTENT,
    query: { ...REPOSITORY_PARAMETERS, revision: text(), appName: text() },
    handle: async (context) => {
      const {
        services,
        object,
        path: { repo },
        query: { revision = '', appName = '', appProject = '' },
      } = context;
      mustUse(context, repo, appProject, appName);
      return json({
        items: await services.repositories.applicationsIn({ ...object, project: appProject }, revision),
      });
    },
  }),
  route('GET', '/api/v1/repositories/{repo}/helmcharts', {
    summary: 'Charts of a chart repository, with their versions.',
    tag: TAG,
    access: CONTENT,
    query: REPOSITORY_PARAMETERS,
    handle: async ({ services, object, path: { repo }, query: { appProject = '' } }) => {
      // A reader must not send this server to addresses of their choice.
      if (object.secret === '') throw new ApiError('NotFound', `repo '${repo}' not found`);
      return json({ items: await services.repositories.chartsIn({ ...object, project: appProject }) });
    },
  }),
  route('POST', '/api/v1/repositories/{repo}/appdetails', {
    changes: false,
    summary: 'Parameters of a source: values of a chart, images of a kustomization.',
    tag: TAG,
    access: CONTENT,
    body: fields({
      source: anyObject('The source of an Application.'),
      appName: text(),
      appProject: text(),
      sourceIndex: integer(),
      versionId: integer(),
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
    changes: false,
    summary: 'Test access to a repository with these credentials; nothing is stored.',
    tag: TAG,
    access: { kind: REPOSITORY, action: 'create', describe: namedInPath },
    query: VALIDATE_PARAMETERS,
    takesRawBody: true,
    bodyLimit: 256 * 1024,
    handle: async (context) => {
      await checkGiven(context, REPOSITORY);
      return json({});
    },
  }),
];
