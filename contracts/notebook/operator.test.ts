import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../src/model/json/index.js';
import { NotebookLab, runnerLine } from './notebook-lab.js';
import {
  APPLICATIONS,
  CONFIG_MAPS,
  DEPLOYMENTS,
  EVENTS,
  NOTEBOOK_VALIDATION_JOBS,
  SECRETS,
} from '../../src/model/resources/index.js';

const GOOD = [
  runnerLine({ event: 'start', kernel: 'k', cells: 2, codeCells: 2 }),
  runnerLine({ event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 0.1, output: '1' }),
  runnerLine({ event: 'cell', cell: 1, cellType: 'code', status: 'Success', seconds: 0.1 }),
  runnerLine({ event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 }),
];
const WELL: JsonObject = { validator: { after: '200ms', log: GOOD } };

const reconcileMetric = (namespace: string): string =>
  `notebookvalidationjob_reconciliation_duration_seconds_count{namespace="${namespace}",result="success"}`;

let lab: NotebookLab;
beforeAll(async () => {
  lab = await NotebookLab.open();
}, 60_000);
afterAll(() => lab.close());

const isPhase =
  (phase: string) =>
  (status: JsonObject): boolean =>
    status.phase === phase;

describe('the notebook operator on the embedded cluster', () => {
  it('judges no notebook that was only simulated, unless the settings let it pass', async () => {
    const ns = await lab.namespace('simulated');
    await lab.job(ns, 'raises', {}, { metadata: { annotations: { 'argocd.argoproj.io/sync-wave': '1' } } });
    const held = await lab.untilStatus(ns, 'raises', isPhase('Pending'));
    expect(held.message).toContain('Not executed: this cluster only simulates containers of image');
    expect(held.conditions).toContainEqual(
      expect.objectContaining({ type: 'ValidationComplete', status: 'Unknown', reason: 'Simulated' }),
    );
    const settings = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-cmd-params-cm', namespace: 'argocd' },
    };
    await lab.cluster.apply(CONFIG_MAPS, { ...settings, data: { 'argosy.simulated-notebooks': 'pass' } });
    const passed = await lab.untilStatus(ns, 'raises', isPhase('Succeeded'));
    expect(passed.message).toContain('Passed without being executed');
    await lab.cluster.apply(CONFIG_MAPS, { ...settings, data: {} });
  });

  it('runs a notebook and shows the results of its cells while they run', async () => {
    const ns = await lab.namespace('grows');
    const log = [
      runnerLine({ event: 'start', kernel: 'nbclient python3', cells: 3, codeCells: 3 }),
      runnerLine({ event: 'begin', cell: 0 }, '300ms'),
      runnerLine({ event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 1, output: 'hello' }, '600ms'),
      runnerLine({ event: 'begin', cell: 1 }, '700ms'),
      runnerLine({ event: 'cell', cell: 1, cellType: 'code', status: 'Success', seconds: 1 }, '2500ms'),
      runnerLine({ event: 'cell', cell: 2, cellType: 'code', status: 'Success', seconds: 1 }, '2600ms'),
      runnerLine(
        { event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 3 },
        '2700ms',
      ),
    ];
    await lab.job(ns, 'train', { validator: { after: '2800ms', log } });
    const midway = await lab.untilStatus(
      ns,
      'train',
      (status) => Array.isArray(status.results) && status.results.length === 1,
    );
    expect(midway).toMatchObject({
      phase: 'ValidationRunning',
      kernel: 'nbclient python3',
      results: [{ cellIndex: 0, status: 'Success', output: 'hello' }],
    });
    const done = await lab.untilStatus(ns, 'train', isPhase('Succeeded'));
    expect(done).toMatchObject({
      observedGeneration: 1,
      message: 'Validation completed: 3/3 cells succeeded (100.0% success rate)',
      results: [{ cellIndex: 0 }, { cellIndex: 1 }, { cellIndex: 2 }],
    });
    const [pod] = await lab.pods(ns);
    expect(pod?.metadata).toMatchObject({
      name: done.validationPodName,
      labels: { notebookvalidationjob: 'train' },
      ownerReferences: [{ kind: 'NotebookValidationJob', name: 'train', controller: true }],
    });
    const reasons = await lab.until('events', async () => {
      const { items } = await lab.cluster.list(EVENTS, { namespace: ns });
      const names = items
        .filter(({ involvedObject }) => isObject(involvedObject) && involvedObject.kind === 'NotebookValidationJob')
        .map(({ reason }) => String(reason))
        .sort();
      return names.includes('ValidationSucceeded') && names;
    });
    expect(reasons).toEqual(['PodCreated', 'ValidationSucceeded']);
  });

  it('says at which cell a notebook failed, and never runs it again for that', async () => {
    const ns = await lab.namespace('fails');
    const log = [
      runnerLine({ event: 'start', kernel: 'k', cells: 5, codeCells: 5 }),
      runnerLine({ event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 1 }),
      runnerLine({ event: 'cell', cell: 1, cellType: 'code', status: 'Success', seconds: 1 }),
      runnerLine({
        event: 'cell',
        cell: 2,
        cellType: 'code',
        status: 'Failure',
        seconds: 1,
        errorType: 'ValueError',
        errorMessage: 'bad data',
        traceback: 'Traceback',
      }),
      runnerLine({
        event: 'end',
        status: 'failed',
        category: 'notebook_execution_failed',
        error: 'bad data',
        failedCell: 2,
        seconds: 3,
      }),
    ];
    await lab.job(
      ns,
      'train',
      { validator: { after: '300ms', exitCode: 1, log } },
      { metadata: { annotations: { 'argocd.argoproj.io/sync-wave': '3' } } },
    );
    const failed = await lab.untilStatus(ns, 'train', isPhase('Failed'));
    expect(failed).toMatchObject({
      message: 'Validation failed: cell 2 raised ValueError: bad data',
      results: [{}, {}, { status: 'Failure', errorType: 'ValueError' }, { status: 'Skipped' }, { status: 'Skipped' }],
    });
    expect(await lab.pods(ns)).toHaveLength(1);
    const marked = await lab.until('marks', async () => {
      const annotations = (await lab.cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace: ns, name: 'train' }))?.metadata
        .annotations;
      return annotations?.['mlops.dev/wave-failed'] !== undefined && annotations;
    });
    expect(marked).toMatchObject({ 'mlops.dev/wave-failed': '3', 'mlops.dev/completion-time': failed.completionTime });
  });

  it('tries again after trouble of the cluster, not before its time, and ends what never ends', async () => {
    const ns = await lab.namespace('retries');
    await lab.job(ns, 'train', { validator: { after: '100ms', exitCode: 137, reason: 'OOMKilled', log: ['...'] } });
    await lab.untilStatus(ns, 'train', (status) => status.retryCount === 1 && status.nextRetryTime !== undefined);
    const seen = await lab.controller.metric(reconcileMetric(ns));
    await lab.cluster.patch(
      NOTEBOOK_VALIDATION_JOBS,
      { namespace: ns, name: 'train' },
      {
        type: 'merge',
        body: {
          metadata: {
            annotations: {
              'argosy.dev/simulate': JSON.stringify({
                'git-clone': { after: '100ms' },
                validator: { after: '1h', log: GOOD.slice(0, 2) },
              }),
            },
          },
        },
      },
    );
    await lab.controller.waitForMetric(reconcileMetric(ns), seen + 1);
    expect(await lab.pods(ns)).toHaveLength(1);
    lab.clock.pass(61_000);
    await lab.untilStatus(
      ns,
      'train',
      (status) => Array.isArray(status.results) && status.results.length === 1 && status.retryCount === 1,
    );
    lab.clock.pass(31 * 60_000);
    expect(await lab.untilStatus(ns, 'train', isPhase('Failed'))).toMatchObject({
      retryCount: 1,
      message: expect.stringContaining('Timeout - the notebook ran longer than 1800 s') as string,
    });
    await lab.until('the hung pod goes', async () => (await lab.pods(ns)).length === 0);
  });

  it('runs again when the spec changes, with the marks of the last run gone', async () => {
    const ns = await lab.namespace('again');
    await lab.job(ns, 'train', WELL, {
      metadata: { annotations: { 'argocd.argoproj.io/sync-wave': '1', 'mlops.dev/block-wave': '2' } },
    });
    const first = await lab.untilStatus(ns, 'train', isPhase('Succeeded'));
    await lab.until(
      'mark',
      async () =>
        (await lab.cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace: ns, name: 'train' }))?.metadata.annotations?.[
          'mlops.dev/wave-complete'
        ] === '1',
    );
    await lab.cluster.patch(
      NOTEBOOK_VALIDATION_JOBS,
      { namespace: ns, name: 'train' },
      {
        type: 'merge',
        body: {
          spec: { notebook: { git: { ref: 'v2' } } },
          metadata: {
            annotations: {
              'argosy.dev/simulate': JSON.stringify({
                'git-clone': { after: '100ms' },
                validator: { after: '1h', log: GOOD.slice(0, 1) },
              }),
            },
          },
        },
      },
    );
    const second = await lab.untilStatus(
      ns,
      'train',
      (status) =>
        status.observedGeneration === 2 &&
        status.validationPodUid !== undefined &&
        status.validationPodUid !== first.validationPodUid,
    );
    expect(second.runId).not.toBe(first.runId);
    expect(
      (await lab.cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace: ns, name: 'train' }))?.metadata.annotations,
    ).not.toHaveProperty('mlops.dev/wave-complete');
    await lab.until('one pod', async () => (await lab.pods(ns)).length === 1);
  });

  it('restarts, refreshes and syncs what the triggers name, once', async () => {
    const ns = await lab.namespace('triggers');
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    await lab.cluster.create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: ns },
      spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template },
    });
    await lab.cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'serving', namespace: 'argocd' },
      spec: {
        project: 'default',
        source: { repoURL: 'https://git.example.com/none.git', path: '.' },
        destination: { server: 'https://kubernetes.default.svc', namespace: ns },
      },
    });
    await lab.job(ns, 'train', WELL, {
      metadata: {
        labels: { 'app.kubernetes.io/part-of': 'serving' },
        annotations: {
          'mlops.dev/on-success-trigger': JSON.stringify([
            { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', action: 'restart' },
            { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gone', action: 'restart' },
            {
              apiVersion: 'argoproj.io/v1alpha1',
              kind: 'Application',
              name: 'serving',
              namespace: 'argocd',
              action: 'sync',
            },
          ]),
        },
      },
    });
    const done = await lab.untilStatus(
      ns,
      'train',
      (status) =>
        Array.isArray(status.triggers) &&
        status.triggers.every(
          (each) => isObject(each) && ['Succeeded', 'Skipped', 'Failed'].includes(String(each.state)),
        ),
    );
    expect(done.triggers).toMatchObject([
      { kind: 'Deployment', name: 'web', state: 'Succeeded', attempts: 1 },
      { name: 'gone', state: 'Skipped' },
      {
        kind: 'Application',
        state: 'Failed',
        message:
          'Application argocd/serving is in another namespace, and the service account default cannot ' +
          'patch applications there. To allow it: kubectl create role triggers-train-trigger -n argocd ' +
          '--verb=patch --resource=applications.argoproj.io --resource-name=serving && ' +
          'kubectl create rolebinding triggers-train-trigger -n argocd --role=triggers-train-trigger ' +
          '--serviceaccount=triggers:default',
      },
    ]);
    const web = await lab.cluster.get(DEPLOYMENTS, { namespace: ns, name: 'web' });
    expect(web?.spec).toMatchObject({
      template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': done.completionTime } } },
    });
    const annotations = await lab.until('the application is told', async () => {
      const told = (await lab.cluster.get(APPLICATIONS, { namespace: 'argocd', name: 'serving' }))?.metadata
        .annotations;
      return told?.['mlops.dev/notebook-summary'] === '1/1 succeeded (100.0% success rate)' && told;
    });
    expect(JSON.parse(annotations['mlops.dev/notebook-status'] ?? '')).toMatchObject({
      total: 1,
      succeeded: 1,
      failed: 0,
      running: 0,
    });
  });

  it('publishes the numbers of the original by their names', async () => {
    const ns = await lab.namespace('numbers');
    await lab.job(ns, 'train', WELL);
    await lab.untilStatus(ns, 'train', isPhase('Succeeded'));
    for (const name of [
      'validations_total{namespace="numbers",status="succeeded"}',
      'pod_creations_total{namespace="numbers",result="success"}',
      'git_clone_duration_seconds_count{namespace="numbers",auth_type="none"}',
    ]) {
      expect(await lab.controller.metric(`notebookvalidationjob_${name}`), name).toBe(1);
    }
    expect(await lab.controller.metric(reconcileMetric('numbers'))).toBeGreaterThan(0);
  });

  it('waits for a Secret that is missing and says which', async () => {
    const ns = await lab.namespace('secrets');
    await lab.job(ns, 'train', WELL, {
      spec: {
        notebook: {
          git: { url: 'https://git.example.com/ml.git', ref: 'main', credentialsSecret: 'git-login' },
          path: 'train.ipynb',
        },
      },
    });
    await lab.untilStatus(ns, 'train', (status) => status.message === 'Waiting: not found: Secret git-login');
    await lab.cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'git-login', namespace: ns },
      stringData: { username: 'a', password: 'b' },
    });
    await lab.untilStatus(ns, 'train', isPhase('Succeeded'));
    expect(JSON.stringify(await lab.pods(ns))).not.toContain('"b"');
  });
});
