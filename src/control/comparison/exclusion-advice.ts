import type { Exclusion, ResourceFilter, ResourceRule } from '../../model/settings/index.js';
import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';

/** Begins with Argo CD's message, which people search for. */
export function exclusionAdvice(object: KubeObject, exclusion: Exclusion): string {
  const { group, kind } = gvkOf(object);
  return (
    `Resource ${group}/${kind} ${object.metadata.name ?? object.metadata.generateName ?? ''} is excluded in ` +
    `the settings: ${reasonOf(kind, exclusion)} ${adviceFor(group, kind, exclusion)}`
  );
}

function reasonOf(kind: string, exclusion: Exclusion): string {
  switch (exclusion.why) {
    case 'always':
      return `${kind} objects are written by the cluster itself and are never deployed.`;
    case 'not included':
      return 'resource.inclusions of argocd-cm does not list it, so it is not deployed.';
    case 'excluded':
      return `${originOf(exclusion.origin)} excludes ${ruleText(exclusion.rule)}, so it is not deployed.`;
    default:
      return exclusion satisfies never;
  }
}

function originOf(origin: ResourceFilter['origin']): string {
  if (origin === 'argocd-cm') return 'resource.exclusions of argocd-cm';
  return origin === 'openshift' ? 'the default of OpenShift GitOps (--profile openshift)' : 'the default of Argo CD 3';
}

function ruleText({ apiGroups, kinds, clusters }: ResourceRule): string {
  const where = clusters.length === 0 || clusters.includes('*') ? '' : ` on ${clusters.join(', ')}`;
  const groups = apiGroups.map((group) => group || 'the core group');
  return `${kinds.join(', ') || 'every kind'} of ${groups.join(', ') || 'every group'}${where}`;
}

function adviceFor(group: string, kind: string, exclusion: Exclusion): string {
  switch (exclusion.why) {
    case 'always':
      return 'Remove it from git.';
    case 'not included':
      return `To deploy it, add ${group || 'the core group'}/${kind} to resource.inclusions in argocd-cm.`;
    case 'excluded':
      return isRun(group, kind)
        ? `${INSTEAD_OF_RUNS} or remove the exclusion: ${lifting(kind, exclusion.origin)}.`
        : `To deploy it, remove the exclusion: ${lifting(kind, exclusion.origin)}; otherwise remove it from git.`;
    default:
      return exclusion satisfies never;
  }
}

function lifting(kind: string, origin: ResourceFilter['origin']): string {
  return origin === 'argocd-cm'
    ? `remove ${kind} from resource.exclusions in argocd-cm`
    : `set resource.exclusions in argocd-cm without ${kind}`;
}

/** A run happens once: what git could still want of it afterwards cannot be applied. */
function isRun(group: string, kind: string): boolean {
  return group === 'tekton.dev' && ['PipelineRun', 'TaskRun', 'CustomRun'].includes(kind);
}

const INSTEAD_OF_RUNS =
  'A run is an event, not a state: build images with a BuildConfig (build.openshift.io), start runs with an ' +
  'EventListener and a Trigger (triggers.tekton.dev),';
