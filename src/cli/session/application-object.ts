import { RE2JS } from 're2js';
import { Fault } from '../../model/faults/index.js';
import { idOf, projectOf, type ApplicationId } from '../../model/argo/index.js';
import { matchesGlob } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { readSettings, type AppSession } from './app-session.js';
import { APPLICATIONS } from '../../model/resources/index.js';

/** `name` or `namespace/name`. */
export function applicationId(text: string, { appNamespace, controlNamespace }: AppSession): ApplicationId {
  const parts = text.split('/');
  if (parts.length > 2 || parts.includes(''))
    throw new Fault('USAGE', `"${text}" is not an application name: use NAME or NAMESPACE/NAME`);
  const [first = '', second] = parts;
  return second === undefined
    ? { namespace: appNamespace ?? controlNamespace, name: first }
    : { namespace: first, name: second };
}

export async function findApplication(session: AppSession, id: ApplicationId): Promise<KubeObject> {
  const found = await session.cluster.get(APPLICATIONS, id);
  if (found === undefined)
    throw new Fault('APPLICATION_UNKNOWN', `application "${id.name}" not found in namespace ${id.namespace}`, {
      where: session.cluster.server,
    });
  return found;
}

/** Applications of the namespace asked for; without one, of every namespace where the settings allow applications. */
export async function listApplications(session: AppSession, selector?: string): Promise<KubeObject[]> {
  const { cluster, controlNamespace, appNamespace } = session;
  const labelSelector = selector === '' ? undefined : selector;
  if (appNamespace !== undefined)
    return (await cluster.list(APPLICATIONS, { namespace: appNamespace, labelSelector })).items;
  const others = ((await readSettings(session, 'argocd-cmd-params-cm'))['application.namespaces'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  if (others.length === 0)
    return (await cluster.list(APPLICATIONS, { namespace: controlNamespace, labelSelector })).items;
  const { items } = await cluster.list(APPLICATIONS, { labelSelector });
  return items.filter(
    ({ metadata: { namespace = '' } }) =>
      namespace === controlNamespace || others.some((pattern) => fits(pattern, namespace)),
  );
}

/** A pattern with stars, or a regular expression between slashes. */
function fits(pattern: string, namespace: string): boolean {
  if (!/^\/.+\/$/.test(pattern)) return matchesGlob(pattern, namespace);
  return RE2JS.compile(pattern.slice(1, -1)).test(namespace);
}

/** Those that are named, or those that a selector or projects choose; nothing chosen is an error, as in Argo CD. */
export async function chooseApplications(
  session: AppSession,
  names: readonly string[],
  choice: { readonly selector?: string; readonly project?: readonly string[] },
): Promise<ApplicationId[]> {
  const { selector = '', project = [] } = choice;
  const named = names.map((name) => applicationId(name, session));
  if (selector === '' && project.length === 0) {
    if (named.length === 0) throw new Fault('USAGE', 'name an application, or choose some with --selector');
    return named;
  }
  const found = (await listApplications(session, selector)).filter(
    (application) => project.length === 0 || project.includes(projectOf(application)),
  );
  if (found.length === 0) {
    throw new Fault(
      'APPLICATION_UNKNOWN',
      `No matching apps found for filter:${selector === '' ? '' : ` selector ${selector}`}` +
        (project.length === 0 ? '' : ` projects [${project.join(' ')}]`),
    );
  }
  return [...named, ...found.map(idOf)];
}
