import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { applicationOf, mayReportTo, summaryOf } from './aggregate.js';

const job = (name: string, phase: string | undefined, metadata: object = {}): KubeObject => ({
  apiVersion: 'mlops.mlops.dev/v1alpha1',
  kind: 'NotebookValidationJob',
  metadata: { name, namespace: 'ml', ...metadata },
  ...(phase === undefined ? {} : { status: { phase } }),
});

describe('the application of a job', () => {
  it('comes from the tracking annotation before labels', () => {
    const labels = { 'app.kubernetes.io/instance': 'by-instance', 'app.kubernetes.io/part-of': 'by-part' };
    expect(
      applicationOf(
        job('a', '', {
          labels,
          annotations: { 'argocd.argoproj.io/tracking-id': 'pipeline:mlops.mlops.dev/NotebookValidationJob:ml/a' },
        }),
      ),
    ).toEqual({ namespace: '', name: 'pipeline', isTracked: true });
    expect(
      applicationOf(job('a', '', { annotations: { 'argocd.argoproj.io/tracking-id': 'team_pipeline:x/y:ml/a' } })),
    ).toEqual({ namespace: 'team', name: 'pipeline', isTracked: true });
    expect(applicationOf(job('a', '', { labels }))).toEqual({ namespace: '', name: 'by-instance', isTracked: false });
    expect(applicationOf(job('a', '', { labels: { 'app.kubernetes.io/part-of': 'by-part' } }))?.name).toBe('by-part');
    expect(applicationOf(job('a', ''))).toBeUndefined();
  });

  it('is annotated only if it deploys there, or lists the job', () => {
    const application = (spec: JsonObject, status: JsonObject = {}): KubeObject => ({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'a' },
      spec: { destination: spec },
      status,
    });
    expect(mayReportTo(application({ namespace: 'ml' }), job('a', ''))).toBe(true);
    expect(mayReportTo(application({ namespace: 'other' }), job('a', ''))).toBe(false);
    expect(
      mayReportTo(
        application({}, { resources: [{ kind: 'NotebookValidationJob', namespace: 'ml', name: 'a' }] }),
        job('a', ''),
      ),
    ).toBe(true);
  });

  it('has the counts of its jobs, and is not written if only the time would change', () => {
    const jobs = [job('a', 'Succeeded'), job('b', 'Failed'), job('c', 'ValidationRunning'), job('d', undefined)];
    const summary = summaryOf(jobs, {}, '2026-01-24T22:00:00Z');
    expect(summary).toEqual({
      'mlops.dev/notebook-status':
        '{"total":4,"succeeded":1,"failed":1,"running":1,"lastUpdate":"2026-01-24T22:00:00Z","failedJobs":["b"]}',
      'mlops.dev/notebook-summary': '1/4 succeeded (25.0% success rate)',
    });
    expect(summaryOf(jobs, summary ?? {}, '2026-01-24T23:00:00Z')).toBeUndefined();
    expect(summaryOf([], {}, 'now')?.['mlops.dev/notebook-summary']).toBe('No notebook validation jobs');
    expect(summaryOf([job('a', 'Succeeded')], {}, 'now')?.['mlops.dev/notebook-status']).not.toContain('failedJobs');
  });
});
