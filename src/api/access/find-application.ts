import type { ControlServices } from '../../control/index.js';
import { projectOf } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError } from '../http/index.js';
import type { Access, Subject } from './access.js';

interface ApplicationRequest {
  readonly input: {
    readonly path: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, unknown>>;
    readonly body: unknown;
  };
  readonly action: string;
  readonly subject: Subject;
  readonly services: Pick<ControlServices, 'namespace' | 'applications'>;
  readonly access: Access;
  readonly namespaceIn: 'appNamespace' | 'namespace';
  /** The query has its name and its project, as `appName` and `projectName`. */
  readonly isInQuery: boolean;
}

/**
 * The application that a request names. Whoever may not see it learns nothing, not even whether it is there: without a
 * project in the request both answers are the same refusal, with one both are "not found". As Argo CD.
 */
export function findApplication({
  input,
  action,
  subject,
  services,
  access,
  namespaceIn,
  isInQuery,
}: ApplicationRequest): KubeObject {
  const name = isInQuery ? requestParameter(input, 'appName') : (input.path['name'] ?? '');
  const namespace = requestParameter(input, namespaceIn) || services.namespace;
  const project = requestParameter(input, isInQuery ? 'projectName' : 'project');
  const may = (owner: string): boolean =>
    access.enforce(subject, 'applications', action, rbacName(services.namespace, owner, namespace, name));
  if (project !== '' && !may(project)) throw denied();
  const application = services.applications.find(namespace, name);
  if (application === undefined) throw project === '' ? denied() : notFound(name, false);
  const owner = projectOf(application);
  if (!may(owner)) throw project === '' ? denied() : notFound(name, true);
  if (project !== '' && owner !== project) throw notFound(name, true);
  // Who may not use a project from where it stands is nobody's application, whatever the policies say of the project.
  if (!services.applications.permitsNamespace(application)) throw project === '' ? denied() : notFound(name, true);
  return application;
}

/** `project/name`, with the namespace between for applications outside of the control plane's. */
export function rbacName(controlNamespace: string, project: string, namespace: string, name: string): string {
  return namespace === '' || namespace === controlNamespace ? `${project}/${name}` : `${project}/${namespace}/${name}`;
}

/** The name of an application in policies. */
export function rbacNameOf(application: KubeObject, controlNamespace: string): string {
  return rbacName(
    controlNamespace,
    projectOf(application),
    application.metadata.namespace ?? '',
    application.metadata.name ?? '',
  );
}

/** Clients give them in the query, or in the body of a POST. */
function requestParameter(
  { query, body }: ApplicationRequest['input'],
  name: 'appNamespace' | 'namespace' | 'project' | 'appName' | 'projectName',
): string {
  const given = query[name];
  const text = Array.isArray(given) ? (given[0] as unknown) : given;
  if (typeof text === 'string' && text !== '') return text;
  const written =
    typeof body === 'object' && body !== null && name in body
      ? (body as Readonly<Record<string, unknown>>)[name]
      : undefined;
  return typeof written === 'string' ? written : '';
}

function denied(): ApiError {
  return new ApiError('PermissionDenied', 'permission denied');
}

function notFound(name: string, isRefusal: boolean): ApiError {
  return new ApiError('NotFound', `applications.argoproj.io "${name}" not found`, { isRefusal });
}
