import { describe, expect, it } from 'vitest';
import { exclusionOf, readSettings, type ResourceFilter } from '../../model/settings/index.js';
import { gvkOf, type KubeObject, type ObjectMeta } from '../../model/kubernetes/index.js';
import { exclusionAdvice } from './exclusion-advice.js';

const SERVER = 'https://kubernetes.default.svc';
const object = (apiVersion: string, kind: string, metadata: ObjectMeta = { name: 'x' }): KubeObject => ({
  apiVersion,
  kind,
  metadata,
});
const filter = (
  cm: Readonly<Record<string, string>> = {},
  profile: 'kubernetes' | 'openshift' = 'kubernetes',
): ResourceFilter =>
  readSettings({ cm: new Map(Object.entries(cm)), rbac: new Map(), cmdParams: new Map(), environment: {}, profile })
    .resourceFilter;

const adviceFor = (target: KubeObject, rules: ResourceFilter): string | undefined => {
  const exclusion = exclusionOf(rules, gvkOf(target), SERVER);
  return exclusion === undefined ? undefined : exclusionAdvice(target, exclusion);
};

const run = object('tekton.dev/v1', 'PipelineRun', { generateName: 'build-coordination-engine-' });

describe('targets that the settings exclude', () => {
  it('a PipelineRun on OpenShift: why, and what to use for images instead', () => {
    const openshift = filter({}, 'openshift');
    expect(adviceFor(object('v1', 'ConfigMap'), openshift)).toBeUndefined();
    expect(adviceFor(object('tekton.dev/v1', 'Pipeline'), openshift)).toBeUndefined();
    expect(adviceFor(run, openshift)).toBe(
      'Resource tekton.dev/PipelineRun build-coordination-engine- is excluded in the settings: the ' +
        'default of OpenShift GitOps (--profile openshift) excludes TaskRun, PipelineRun of tekton.dev, ' +
        'so it is not deployed. ' +
        ('A run is an event, not a state: build images with a BuildConfig (build.openshift.io), start runs ' +
          'with an EventListener and a Trigger (triggers.tekton.dev), or remove the exclusion: set ' +
          'resource.exclusions in argocd-cm without PipelineRun.'),
    );
  });

  it('a PipelineRun is delivered if it is not excluded', () => {
    expect(adviceFor(run, filter())).toBeUndefined();
  });

  it('a rule of argocd-cm is named with what it excludes', () => {
    const rules = filter({
      'resource.exclusions': '[{apiGroups: [tekton.dev], kinds: [PipelineRun], clusters: ["https://kubernetes.*"]}]',
    });
    expect(adviceFor(run, rules)).toContain(
      'resource.exclusions of argocd-cm excludes PipelineRun of tekton.dev on https://kubernetes.*, so it ' +
        'is not deployed.',
    );
    expect(adviceFor(run, rules)).toContain('remove PipelineRun from resource.exclusions in argocd-cm');
  });

  it('kinds that the cluster writes itself are never delivered', () => {
    expect(adviceFor(object('v1', 'Event'), filter({ 'resource.exclusions': '' }))).toBe(
      'Resource /Event x is excluded in the settings: Event objects are written by the cluster itself ' +
        'and are never deployed. Remove it from git.',
    );
  });

  it('kinds that are not included: where to add them', () => {
    expect(
      adviceFor(object('apps/v1', 'Deployment'), filter({ 'resource.inclusions': '[{kinds: [ConfigMap]}]' })),
    ).toBe(
      'Resource apps/Deployment x is excluded in the settings: resource.inclusions of argocd-cm does not ' +
        'list it, so it is not deployed. To deploy it, add apps/Deployment to resource.inclusions in ' +
        'argocd-cm.',
    );
  });

  it('other default exclusions: how to remove them', () => {
    expect(adviceFor(object('v1', 'Endpoints'), filter())).toBe(
      'Resource /Endpoints x is excluded in the settings: the default of Argo CD 3 excludes Endpoints, ' +
        'EndpointSlice of the core group, discovery.k8s.io, so it is not deployed. To deploy it, remove the ' +
        'exclusion: set resource.exclusions in argocd-cm without Endpoints; otherwise remove it from git.',
    );
  });
});
