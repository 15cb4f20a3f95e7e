import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { findViolations, type VerifyFacts } from './find-violations.js';
import { ARGOCDS } from '../../model/resources/index.js';

const SCRIPT = 'if obj.status == nil then return {status = "Progressing"} end return {status = "Healthy"}';
const KEY = 'resource.customizations.health.serving.kserve.io_InferenceService';

const argocd = (check = SCRIPT, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'argoproj.io/v1beta1',
  kind: 'ArgoCD',
  metadata: { name: 'main', namespace: 'argocd', uid: 'u', generation: 3 },
  spec: { resourceHealthChecks: [{ group: 'serving.kserve.io', kind: 'InferenceService', check }] },
  ...more,
});
const map = (data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'argocd-cm',
    namespace: 'argocd',
    ownerReferences: [{ apiVersion: 'argoproj.io/v1beta1', kind: 'ArgoCD', name: 'main', uid: 'u' }],
  },
  data,
});
const application = (
  health: string,
  more: Partial<KubeObject['metadata']> = {},
  conditions: { type: string; message: string }[] = [],
): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'llmops-dev', namespace: 'argocd', ...more },
  status: {
    health: { status: health },
    resources: [{ kind: 'InferenceService', name: 'qwen', namespace: 'llmops-dev' }],
    conditions,
  },
});
const service: KubeObject = {
  apiVersion: 'serving.kserve.io/v1beta1',
  kind: 'InferenceService',
  metadata: { name: 'qwen', namespace: 'llmops-dev' },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};

function troubles(
  facts: Partial<VerifyFacts> & { readonly object?: KubeObject; readonly data?: Record<string, string> },
): string[] {
  const { object = argocd(), data = { [KEY]: SCRIPT }, ...rest } = facts;
  return findViolations({
    settings: { namespace: 'argocd', argocd: { object, kind: ARGOCDS }, map: map(data) },
    applications: [],
    services: [service],
    reverts: [],
    operators: [],
    isArgosyAtWork: true,
    ...rest,
  }).map(({ step, issue, what, fix }) => `${step} ${issue}: ${what} | ${fix}`);
}

describe('verification of health checks', () => {
  it('nothing', () => {
    expect(troubles({ applications: [application('Healthy')] })).toEqual([]);
  });

  it('an application still shows Progressing: it needs a refresh', () => {
    expect(troubles({ applications: [application('Progressing')] })).toEqual([
      '4 still-progressing: llmops-dev is still Progressing although its InferenceServices are ready | ' +
        'kubectl annotate application.argoproj.io llmops-dev -n argocd --overwrite ' +
        'argocd.argoproj.io/refresh=hard',
    ]);
    expect(
      troubles({
        applications: [application('Progressing', { annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } })],
      })[0],
    ).toMatch(/it is not reconciled.*skip-reconcile-$/);
    expect(troubles({ applications: [application('Progressing')], services: [{ ...service, status: {} }] })).toEqual(
      [],
    );
  });

  it('a check is in the ArgoCD resource and not in the ConfigMap', () => {
    expect(troubles({ data: {} })).toEqual([
      expect.stringMatching(
        startOf(
          '2 not-in-configmap: InferenceService (serving.kserve.io) is not in argocd-cm | ' +
            'the operator has not copied it',
        ),
      ),
    ]);
  });

  it('the ConfigMap has an edit that the operator reverts, or reverted', () => {
    expect(troubles({ data: { [KEY]: SCRIPT, 'resource.customizations.health.Secret': SCRIPT } })).toEqual([
      expect.stringMatching(
        /^2 overwritten: resource\.customizations\.health\.Secret: The operator will remove this entry/,
      ),
    ]);
    expect(troubles({ reverts: [{ message: 'data["url"] was added', at: '2026-03-01T10:00:00Z' }] })).toEqual([
      expect.stringMatching(
        startOf(
          '2 overwritten: an edit of argocd-cm was reverted, the last one: data["url"] was added | ' +
            'change the ArgoCD CR',
        ),
      ),
    ]);
  });

  it('an edit was reverted, and the ArgoCD resource was changed after that: nothing', () => {
    const reverts = [{ message: 'data["url"] was added', at: '2026-03-01T10:00:00Z' }];
    const changedAt = (time: string): string[] => {
      const object = argocd();
      const managedFields = [{ manager: 'kubectl', operation: 'Update', time, fieldsV1: { 'f:spec': {} } }];
      return troubles({ reverts, object: { ...object, metadata: { ...object.metadata, managedFields } } });
    };
    expect(changedAt('2026-03-01T10:05:00Z')).toEqual([]);
    expect(changedAt('2026-03-01T09:55:00Z')).toHaveLength(1);
  });

  it('a script has errors: in the resource, in the ConfigMap, or as seen by an application', () => {
    expect(troubles({ object: argocd('hs = {'), data: { [KEY]: 'hs = {' } })).toEqual([
      expect.stringMatching(/^1 script-errors: spec\.resourceHealthChecks\[0\], line 1: The script cannot be read/),
    ]);
    const message = 'health of serving.kserve.io/InferenceService/llmops-dev/qwen: <string> at EOF: syntax error';
    expect(troubles({ applications: [application('Unknown', {}, [{ type: 'ComparisonError', message }])] })).toEqual([
      `3 script-errors: llmops-dev: ${message} | fix the script: argosy health lint --cluster shows the line`,
    ]);
  });

  it('the operator does not reconcile: it is down, missing, reports an error, or lags behind', () => {
    const operators = [{ title: 'Deployment openshift-gitops-operator/openshift-gitops-operator', isReady: false }];
    expect(troubles({ operators, isArgosyAtWork: false })).toEqual([
      '2 operator-not-reconciling: the operator has no ready replica: Deployment ' +
        'openshift-gitops-operator/openshift-gitops-operator | kubectl describe deployment -n ' +
        'openshift-gitops-operator openshift-gitops-operator, and its logs',
    ]);
    expect(troubles({ isArgosyAtWork: false })).toEqual([
      expect.stringMatching(/^2 operator-not-reconciling: no operator is running/),
    ]);
    const said = (condition: Record<string, unknown>): KubeObject =>
      argocd(SCRIPT, { status: { conditions: [{ type: 'Reconciled', ...condition }] } });
    expect(troubles({ object: said({ status: 'False', message: 'no room' }) })).toEqual([
      expect.stringMatching(/the operator reports: no room/),
    ]);
    expect(troubles({ object: said({ status: 'True', message: '', observedGeneration: 2 }) })).toEqual([
      expect.stringMatching(/latest generation of ArgoCD main \(2 of 3\)/),
    ]);
  });

  it('no health check is configured', () => {
    expect(troubles({ object: argocd(SCRIPT, { spec: {} }), data: {} })).toEqual([
      '1 no-check: no health check for InferenceService in the ArgoCD CR | argosy health apply -n argocd',
    ]);
  });
});

/** Matches texts that begin so. */
function startOf(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
}
