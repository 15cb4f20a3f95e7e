import { compareText } from '../../model/go/index.js';
import { DEFAULT_PROJECT_SPEC, idOf, projectOf, qualifiedName } from '../../model/argo/index.js';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Inspection } from '../../control/index.js';
import { type AppSession, applicationId, findApplication, listApplications } from '../session/index.js';
import { readIfPermitted } from '../application/index.js';
import type { Facts } from './facts.js';
import { APP_PROJECTS } from '../../model/resources/index.js';

/** One application of the cluster, or all of them, each as a pass of the controller would see it now. */
export async function readClusterFacts(session: AppSession, name: string | undefined): Promise<Facts[]> {
  const { cluster, controlNamespace, host } = session;
  const applications =
    name === undefined
      ? await listApplications(session)
      : [await findApplication(session, applicationId(name, session))];
  if (applications.length === 0) throw new Fault('APPLICATION_UNKNOWN', 'no applications', { where: cluster.server });
  applications.sort((a, b) => compareText(qualifiedName(idOf(a)), qualifiedName(idOf(b))));
  const projects = await readIfPermitted(
    async () => (await cluster.list(APP_PROJECTS, { namespace: controlNamespace })).items,
  );
  const seen = await host.inspectMany(cluster, applications, { namespace: controlNamespace });
  return applications.map((application, index) => factsOf(application, seen[index], projectFor(application, projects)));
}

function factsOf(
  application: KubeObject,
  seen: Inspection | Fault | undefined,
  project: KubeObject | undefined,
): Facts {
  const unseen =
    seen === undefined || seen instanceof Fault
      ? { why: seen?.message ?? 'nobody looked', isFailure: true, where: '' }
      : comparisonFailure(seen);
  return {
    application,
    isLive: true,
    places: new Map(),
    shared: [],
    objects: seen === undefined || seen instanceof Fault ? [] : seen.resources,
    ...(unseen === undefined ? {} : { unseen }),
    ...(project === undefined ? {} : { project }),
  };
}

/** Manifests that cannot be made leave nothing to look at. */
function comparisonFailure({
  status,
  conditions,
}: Inspection): { readonly why: string; readonly isFailure: boolean; readonly where: string } | undefined {
  const problem = conditions.find(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError');
  return status === 'Unknown' && problem !== undefined
    ? { why: problem.message, isFailure: true, where: '' }
    : undefined;
}

/** The project `default` is there without being written; what a person may not read is not known. */
function projectFor(application: KubeObject, projects: readonly KubeObject[] | undefined): KubeObject | undefined {
  const name = projectOf(application);
  const found = projects?.find(({ metadata }) => metadata.name === name);
  if (found !== undefined || projects === undefined || name !== 'default') return found;
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name }, spec: DEFAULT_PROJECT_SPEC };
}
