import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../src/model/json/index.js';
import { writeYaml } from '../../src/model/yaml/index.js';
import { GitRepository } from '../harness/git-repository.js';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.js';
import { NotebookLab, runnerLine } from './notebook-lab.js';
import { APPLICATIONS, CONFIG_MAPS, SECRETS } from '../../src/model/resources/index.js';

// A pipeline of waves: a notebook of wave 1 holds wave 4. A cell that fails stops it and is named; a fixed commit goes
// on; whoever subscribed hears of both.
const LONG = 60_000;

const cell = (index: number, more: JsonObject = {}): JsonObject => ({
  event: 'cell',
  cell: index,
  cellType: 'code',
  status: 'Success',
  seconds: 0.1,
  ...more,
});
const START = runnerLine({ event: 'start', kernel: 'k', cells: 5, codeCells: 5 });
const BROKEN = [
  START,
  runnerLine(cell(0)),
  runnerLine(cell(1)),
  runnerLine(cell(2, { status: 'Failure', errorType: 'ValueError', errorMessage: 'no rows' })),
  runnerLine({
    event: 'end',
    status: 'failed',
    category: 'notebook_execution_failed',
    error: 'ValueError: no rows',
    failedCell: 2,
    seconds: 1,
  }),
];
const GOOD = [
  START,
  ...[0, 1, 2, 3, 4].map((index) => runnerLine(cell(index))),
  runnerLine({ event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 }),
];

function job(ref: string, log: readonly Json[], exitCode: number): string {
  const simulate = JSON.stringify({
    'git-clone': { after: '100ms' },
    validator: { after: '2s', exitCode, log: [...log] },
  });
  return writeYaml({
    apiVersion: 'mlops.mlops.dev/v1alpha1',
    kind: 'NotebookValidationJob',
    metadata: {
      name: 'train',
      annotations: {
        'argocd.argoproj.io/sync-wave': '1',
        'mlops.dev/block-wave': '4',
        'argosy.dev/simulate': simulate,
      },
    },
    spec: { notebook: { git: { url: 'https://git.example.com/ml.git', ref }, path: 'train.ipynb' }, podConfig: {} },
  });
}

describe('a notebook that holds a wave', () => {
  let lab: NotebookLab;
  let repository: GitRepository;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    lab = await NotebookLab.open();
    repository = await GitRepository.open('/nonexistent', [], (text) => text);
    receiver = await startWebhookReceiver();
    for (const wave of [2, 3, 4])
      await repository.write(
        `app/w${wave}.yaml`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w${wave}, annotations: ` +
          `{argocd.argoproj.io/sync-wave: "${wave}"}}\n`,
      );
    await repository.write('app/train.yaml', job('broken', BROKEN, 1));
    await repository.commit();
    await lab.namespace('pipeline');
    await lab.cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'argocd-notifications-secret', namespace: 'argocd' },
      data: { path: Buffer.from('hook').toString('base64') },
    });
    await lab.cluster.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-notifications-cm', namespace: 'argocd' },
      data: { 'service.webhook.pager': `url: ${receiver.url}/$path\n` },
    });
  }, LONG);
  afterAll(async () => {
    await lab.close();
    await receiver.close();
    await repository.close();
  });

  const operation = async (): Promise<JsonObject> => {
    const application = await lab.cluster.get(APPLICATIONS, { namespace: 'argocd', name: 'pipeline' });
    return isObject(application?.status) && isObject(application.status.operationState)
      ? application.status.operationState
      : {};
  };
  const waves = async (): Promise<string[]> =>
    (await lab.cluster.list(CONFIG_MAPS, { namespace: 'pipeline' })).items
      .map(({ metadata }) => metadata.name ?? '')
      .filter((name) => /^w\d$/.test(name))
      .sort();
  const until = async (phase: string, words: string): Promise<void> => {
    let last: JsonObject = {};
    await lab
      .until(`${phase} ${words}`, async () => {
        last = await operation();
        return last.phase === phase && String(last.message).includes(words);
      })
      .catch(async (error: unknown) => {
        throw new Error(
          `${String(last.phase)}: ${String(last.message)}; ${JSON.stringify(await lab.status('pipeline', 'train'))}`,
          { cause: error },
        );
      });
  };

  it(
    'lets earlier waves pass, stops the pipeline at the cell that failed, and a fixed commit goes on',
    async () => {
      await lab.cluster.create(APPLICATIONS, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: {
          name: 'pipeline',
          namespace: 'argocd',
          annotations: Object.fromEntries(
            ['on-failed', 'on-recovered', 'on-succeeded-after-failure'].map((trigger) => [
              `notifications.argoproj.io/subscribe.${trigger}.pager`,
              '',
            ]),
          ),
        },
        spec: {
          project: 'default',
          source: { repoURL: repository.url, path: 'app' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'pipeline' },
          syncPolicy: { automated: {}, retry: { limit: 0 } },
        },
      });
      await until('Running', '(wave 4 waits for NotebookValidationJob/train)');
      expect(await waves()).toEqual(['w2', 'w3']);
      await until(
        'Failed',
        'reason: NotebookValidationJob/train: Validation failed: cell 2 raised ValueError: no rows',
      );
      expect(await waves()).toEqual(['w2', 'w3']);
      await repository.write('app/train.yaml', job('fixed', GOOD, 0));
      await repository.commit();
      await lab.cluster.patch(
        APPLICATIONS,
        { namespace: 'argocd', name: 'pipeline' },
        { type: 'merge', body: { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } } },
      );
      await until('Running', '(wave 4 waits for NotebookValidationJob/train)');
      expect(await waves()).toEqual(['w2', 'w3']);
      await until('Succeeded', 'successfully synced');
      expect(await waves()).toEqual(['w2', 'w3', 'w4']);
      await receiver.until(3);
      const texts = receiver.received.map(({ path, body }) => `${path} ${(JSON.parse(body) as { text: string }).text}`);
      expect(texts).toHaveLength(3);
      expect(texts[0]).toMatch(/^\/hook pipeline failed: .*cell 2.*ValueError/);
      expect(texts.slice(1).sort()).toEqual([
        expect.stringMatching(/^\/hook The sync of pipeline succeeded after it had failed: .*cell 2/),
        expect.stringMatching(/^\/hook pipeline is healthy again. It had failed: .*cell 2/),
      ]);
    },
    LONG,
  );
});
