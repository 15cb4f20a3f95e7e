import { describe, expect, it } from 'vitest';
import { ClusterError } from '../../cluster/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { Metrics } from '../telemetry/metrics.js';
import { errorType, NotebookMetrics } from './notebook-metrics.js';

const pod = (namespace: string, phase: string, more: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name: 'p' },
  status: { phase, ...more },
});
const rejection = (status: number): ClusterError =>
  new ClusterError(
    { status, reason: status === 409 ? 'Conflict' : '', message: 'no', causes: [], retryAfterSeconds: undefined },
    'here',
  );
const values = (metrics: Metrics): string[] =>
  metrics
    .text()
    .split('\n')
    .filter(
      (line) => line.startsWith('notebookvalidationjob_') && !line.includes('_bucket{') && !line.includes('_sum{'),
    );

describe('the numbers of notebooks', () => {
  it('count the pending and running pods of each namespace at the time of the scrape', () => {
    const metrics = new Metrics();
    let pods = [
      pod('a', 'Running'),
      pod('a', 'Running'),
      pod('a', 'Pending'),
      pod('b', 'Pending'),
      pod('b', 'Succeeded'),
      pod('c', 'Failed'),
    ];
    new NotebookMetrics(metrics, () => pods);
    expect(values(metrics)).toEqual([
      'notebookvalidationjob_active_pods{namespace="a",phase="running"} 2',
      'notebookvalidationjob_active_pods{namespace="a",phase="pending"} 1',
      'notebookvalidationjob_active_pods{namespace="b",phase="pending"} 1',
    ]);
    pods = [];
    expect(values(metrics)).toEqual([]);
  });

  it('are all exported, with the names and labels of the original', () => {
    const metrics = new Metrics();
    const numbers = new NotebookMetrics(metrics, () => []);
    const job: KubeObject = {
      apiVersion: 'mlops.mlops.dev/v1alpha1',
      kind: 'NotebookValidationJob',
      metadata: { namespace: 'ml', name: 'train' },
      spec: { notebook: { git: { url: 'u', ref: 'r', credentialsSecret: 'login' }, path: 'p' } },
    };
    numbers.reconciled('ml', 0.2);
    numbers.reconciled('ml', 0.2, rejection(409));
    numbers.podCreated('ml', true);
    numbers.podCreated('ml', false);
    numbers.triggered('restart', true);
    numbers.triggered('sync', false);
    const fetched = pod('ml', 'Succeeded', {
      initContainerStatuses: [
        {
          name: 'git-clone',
          state: { terminated: { startedAt: '2026-01-24T22:00:00Z', finishedAt: '2026-01-24T22:00:03Z' } },
        },
      ],
    });
    numbers.ended(job, { phase: 'Succeeded' }, fetched);
    numbers.ended(job, { phase: 'Failed' }, undefined);
    const check = (healthy: boolean, success: boolean): JsonObject => ({
      platform: 'kserve',
      platformDetected: true,
      success,
      existingEnvironmentCheck: { modelsChecked: [{ modelName: 'm', healthy }], predictionValidation: { success } },
    });
    numbers.modelsChecked('ml', check(true, true), 0.01, 2);
    numbers.modelsChecked('ml', check(true, false), 0.01, 2);
    numbers.modelsChecked('ml', check(false, false), 0.01, 2);
    numbers.modelsChecked('ml', { platform: 'seldon', platformDetected: false, success: false }, 0.01, 0);
    const ml = 'namespace="ml"';
    const name = (rest: string): string => `notebookvalidationjob_${rest}`;
    expect(values(metrics).sort()).toEqual([
      name('argocd_triggers_total{action="restart",status="success"} 1'),
      name('argocd_triggers_total{action="sync",status="failed"} 1'),
      name(`git_clone_duration_seconds_count{${ml},auth_type="secret"} 1`),
      name(`model_health_checks_total{${ml},platform="kserve",status="healthy"} 2`),
      name(`model_health_checks_total{${ml},platform="kserve",status="unhealthy"} 1`),
      ...['error', 'health_check_failed', 'success'].map((result) =>
        name(`model_validation_duration_seconds_count{${ml},platform="kserve",result="${result}"} 1`),
      ),
      name(`model_validation_duration_seconds_count{${ml},platform="seldon",result="platform_unavailable"} 1`),
      name(`platform_detection_duration_seconds_count{${ml},platform="kserve",detected="true"} 3`),
      name(`platform_detection_duration_seconds_count{${ml},platform="seldon",detected="false"} 1`),
      name(`pod_creations_total{${ml},result="failed"} 1`),
      name(`pod_creations_total{${ml},result="success"} 1`),
      name(`prediction_validations_total{${ml},platform="kserve",result="failed"} 2`),
      name(`prediction_validations_total{${ml},platform="kserve",result="success"} 1`),
      name(`reconciliation_duration_seconds_count{${ml},result="error"} 1`),
      name(`reconciliation_duration_seconds_count{${ml},result="success"} 1`),
      name(`reconciliation_errors_total{${ml},error_type="Transient"} 1`),
      name(`validations_total{${ml},status="failed"} 1`),
      name(`validations_total{${ml},status="succeeded"} 1`),
    ]);
    expect(metrics.text()).toContain(
      `notebookvalidationjob_git_clone_duration_seconds_sum{${ml},auth_type="secret"} 3`,
    );
  });

  it.each([
    [409, 'Transient'],
    [408, 'Transient'],
    [429, 'Transient'],
    [503, 'Transient'],
    [504, 'Transient'],
    [422, 'Terminal'],
    [400, 'Terminal'],
    [403, 'Terminal'],
    [404, 'Retriable'],
  ] as const)('label a rejection with %d as %s', (status, type) => {
    expect(errorType(rejection(status))).toBe(type);
  });
});
