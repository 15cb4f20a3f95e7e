import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/cluster/index.js';
import { isObject, type Json, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml, writeYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { runCommand } from '../cli/app-lab.js';
import { GitRepository } from '../harness/git-repository.js';
import { guideObjects, hasGuide } from './examples/guide.js';
import { NotebookLab, runnerLine } from './notebook-lab.js';
import {
  APPLICATIONS,
  CONFIG_MAPS,
  CRDS,
  NAMESPACES,
  NOTEBOOK_VALIDATION_JOBS,
} from '../../src/model/resources/index.js';

// What the guide's pages about trouble describe, each cause made to happen, and what `argosy app get` says of it.
const LONG = 240_000;
const KEY = 'resource.customizations.health.mlops.mlops.dev_NotebookValidationJob';
const WAVE = 'argocd.argoproj.io/sync-wave';

const cell = (index: number, more: JsonObject = {}): Json =>
  runnerLine({ event: 'cell', cell: index, cellType: 'code', status: 'Success', seconds: 0.1, ...more });
const START = runnerLine({ event: 'start', kernel: 'k', cells: 2, codeCells: 2 });
const GOOD: JsonObject = {
  after: '200ms',
  log: [
    START,
    cell(0),
    cell(1),
    runnerLine({ event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 }),
  ],
};
const BAD: JsonObject = {
  after: '200ms',
  exitCode: 1,
  log: [
    START,
    cell(0),
    cell(1, { status: 'Failure', errorType: 'ValueError', errorMessage: 'no rows' }),
    runnerLine({
      event: 'end',
      status: 'failed',
      category: 'notebook_execution_failed',
      error: 'ValueError: no rows',
      failedCell: 1,
      seconds: 1,
    }),
  ],
};
const ENDLESS: JsonObject = { after: '1h', log: [START, cell(0)] };

function job(
  name: string,
  behaviour: JsonObject,
  { ref = 'main', annotations = {} }: { readonly ref?: string; readonly annotations?: Record<string, string> } = {},
): KubeObject {
  return {
    apiVersion: 'mlops.mlops.dev/v1alpha1',
    kind: 'NotebookValidationJob',
    metadata: {
      name,
      annotations: {
        ...annotations,
        'argosy.dev/simulate': JSON.stringify({ 'git-clone': { after: '100ms' }, validator: behaviour }),
      },
    },
    spec: { notebook: { git: { url: 'https://git.example.com/ml.git', ref }, path: 'train.ipynb' }, podConfig: {} },
  };
}

const map = (name: string, wave: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, annotations: { [WAVE]: wave } },
});

/** A cluster, a repository with a folder for each application, and the command line. */
class TroubleshootingLab {
  private constructor(
    readonly lab: NotebookLab,
    readonly git: GitRepository,
  ) {}

  static async open(before?: (cluster: Cluster) => Promise<void>): Promise<TroubleshootingLab> {
    return new TroubleshootingLab(
      await NotebookLab.open(before === undefined ? {} : { before }),
      await GitRepository.open('/nonexistent', [], (text) => text),
    );
  }

  async close(): Promise<void> {
    await this.lab.close();
    await this.git.close();
  }

  /** The files of an application become these; the first time it is made. */
  async deliver(name: string, ...objects: readonly KubeObject[]): Promise<void> {
    const { cluster } = this.lab;
    await this.git.write(`${name}/all.yaml`, objects.map((object) => writeYaml(object)).join('---\n'));
    await this.git.commit();
    if ((await cluster.get(APPLICATIONS, { namespace: 'argocd', name })) !== undefined) {
      await cluster.patch(
        APPLICATIONS,
        { namespace: 'argocd', name },
        { type: 'merge', body: { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } } },
      );
      return;
    }
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name, namespace: 'argocd' },
      spec: {
        project: 'default',
        source: { repoURL: this.git.url, path: name },
        destination: { server: 'https://kubernetes.default.svc', namespace: name },
        syncPolicy: { automated: { prune: true, selfHeal: true }, retry: { limit: 0 } },
      },
    });
  }

  /** argocd-cm has exactly these entries. */
  async settings(data: Record<string, string>): Promise<void> {
    const id = { namespace: 'argocd', name: 'argocd-cm' };
    const found = await this.lab.cluster.get(CONFIG_MAPS, id);
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...id, labels: { 'app.kubernetes.io/part-of': 'argocd' } },
      data,
    };
    if (found === undefined) await this.lab.cluster.create(CONFIG_MAPS, object);
    else await this.lab.cluster.update(CONFIG_MAPS, { ...found, data });
  }

  /** What `argosy app get` prints, as soon as it is so. */
  async untilAppGet(name: string, holds: (text: string) => boolean): Promise<string> {
    let last = '';
    return this.lab
      .until(
        `app get ${name}`,
        async () => {
          const { out, err } = await runCommand(['app', 'get', name, '--kubeconfig', this.lab.kubeconfig], {
            now: Date.now,
          });
          last = out + err;
          return holds(last) && last;
        },
        LONG / 2,
      )
      .catch((error: unknown) => {
        throw new Error(`app get says\n${last}`, { cause: error });
      });
  }

  /** The reasons that it gives, once there is one with these words. */
  async untilReason(name: string, words: string): Promise<string> {
    return reasonsIn(await this.untilAppGet(name, (text) => reasonsIn(text).includes(words)));
  }
}

function reasonsIn(text: string): string {
  return text.split('\nWhy:\n')[1] ?? '';
}

const health =
  (name: string, status: string) =>
  (text: string): boolean =>
    new RegExp(`NotebookValidationJob +\\S+ +${name} +\\S+ +${status}\\b`).test(text);
const isHealthy = (text: string): boolean =>
  /^Health Status: +Healthy$/m.test(text) && /^Sync Status: +Synced/m.test(text);

describe('what the notebook guide says about trouble', () => {
  let desk: TroubleshootingLab;
  beforeAll(async () => {
    desk = await TroubleshootingLab.open();
  }, LONG);
  afterEach(() => desk.settings({}));
  afterAll(() => desk.close(), LONG);

  it(
    'no health is shown: without any setting it is, a key with a slip is named, and the right one counts at once',
    async () => {
      await desk.deliver('shown', job('train', GOOD));
      expect(await desk.untilAppGet('shown', isHealthy)).toMatch(
        /^mlops\.mlops\.dev +NotebookValidationJob +shown +train +Synced +Healthy/m,
      );
      const wrong = KEY.replace('_', '.');
      await desk.settings({ [wrong]: 'return {status = "Healthy"}' });
      expect(await desk.untilReason('shown', wrong)).toBe(
        `- ${wrong} of argocd-cm: Without \`_\`, \`mlops.mlops.dev.NotebookValidationJob\` is read as the ` +
          `name of a kind of the core group, so this entry never applies to anything. Write \`${KEY}\`\n`,
      );
      await desk.settings({ [KEY]: 'return {status = "Suspended", message = "by our own check"}' });
      expect(await desk.untilReason('shown', 'Suspended')).toContain(
        `- NotebookValidationJob shown/train is Suspended: by our own check. That is the result of ${KEY} ` +
          'in argocd-cm; the built-in check says Healthy: Notebook validation succeeded',
      );
      await desk.settings({});
      expect(reasonsIn(await desk.untilAppGet('shown', isHealthy))).toBe('');
    },
    LONG,
  );

  it(
    'Progressing instead of Healthy: a check with an error, and one that looks for another phase',
    async () => {
      await desk.deliver('progressing', job('train', GOOD));
      await desk.untilAppGet('progressing', isHealthy);
      await desk.settings({ [KEY]: 'return {status = nothing.phase}' });
      expect(await desk.untilAppGet('progressing', (text) => text.includes('ComparisonError'))).toMatch(
        new RegExp(
          'ComparisonError +health of mlops\\.mlops\\.dev/NotebookValidationJob/progressing/train: ' +
            ".*attempt to index a non-table object\\(nil\\) with key 'phase'",
        ),
      );
      await desk.settings({
        [KEY]:
          'local hs = {status = "Progressing", message = "it runs"}\nif obj.status ~= nil and ' +
          'obj.status.phase == "Completed" then hs.status = "Healthy" end\nreturn hs',
      });
      expect(await desk.untilReason('progressing', 'it runs')).toMatch(
        new RegExp(
          '^- NotebookValidationJob progressing/train is Progressing: it runs\\. That is the result of ' +
            `${KEY} in argocd-cm; the built-in check says Healthy: Notebook validation succeeded at `,
        ),
      );
      await desk.settings({});
      await desk.untilAppGet('progressing', isHealthy);
    },
    LONG,
  );

  it(
    'Degraded although notebooks succeeded: the one that failed is named, and each way out works',
    async () => {
      await desk.deliver('degraded', job('train', GOOD), job('old-experiment', BAD));
      const why =
        '- NotebookValidationJob degraded/old-experiment is Degraded: Validation failed: cell 1 raised ' +
        'ValueError: no rows - Failed at cell 1: ValueError. argosy notebook get degraded/old-experiment ' +
        'shows its cells\n';
      // Which of the two is over first is chance; what is said when both are is not.
      await desk.untilAppGet(
        'degraded',
        (text) =>
          health('train', 'Healthy')(text) && health('old-experiment', 'Degraded')(text) && reasonsIn(text) === why,
      );
      // Deleted, and made again by auto-sync: another run.
      const { cluster } = desk.lab;
      const id = { namespace: 'degraded', name: 'old-experiment' };
      const uid = (await cluster.get(NOTEBOOK_VALIDATION_JOBS, id))?.metadata.uid ?? '';
      await cluster.remove(NOTEBOOK_VALIDATION_JOBS, id, { uid });
      await desk.lab.until(
        'another run',
        async () => {
          const made = await cluster.get(NOTEBOOK_VALIDATION_JOBS, id);
          return made?.metadata.uid !== uid && isObject(made?.status) && made.status.phase === 'Failed';
        },
        LONG / 2,
      );
      // The notebook is put right.
      await desk.deliver('degraded', job('train', GOOD), job('old-experiment', GOOD, { ref: 'fixed' }));
      expect(reasonsIn(await desk.untilAppGet('degraded', isHealthy))).toBe('');
      // One that nobody needs any more goes.
      await desk.deliver('degraded', job('train', GOOD), job('old-experiment', BAD, { ref: 'worse' }));
      await desk.untilReason('degraded', why);
      await desk.deliver('degraded', job('train', GOOD));
      await desk.untilAppGet('degraded', (text) => isHealthy(text) && /old-experiment +Succeeded +Pruned/.test(text));
    },
    LONG,
  );

  it(
    'waves that do not wait: only where a check says Healthy too early, which is reported; otherwise they do',
    async () => {
      await desk.settings({ [KEY]: 'return {status = "Healthy"}' });
      await desk.deliver('hasty', job('train', ENDLESS, { annotations: { [WAVE]: '3' } }), map('serving', '4'));
      expect(await desk.untilReason('hasty', 'train')).toMatch(
        new RegExp(
          `^- NotebookValidationJob hasty/train is Healthy\\. That is the result of ${KEY} in argocd-cm; ` +
            'the built-in check says Progressing: .*\\. Waves wait for the result of the check\n$',
        ),
      );
      expect(await desk.lab.cluster.get(CONFIG_MAPS, { namespace: 'hasty', name: 'serving' })).toBeDefined();
      await desk.settings({});
      await desk.deliver('patient', job('train', ENDLESS, { annotations: { [WAVE]: '3' } }), map('serving', '4'));
      expect(await desk.untilReason('patient', 'waiting for healthy state')).toMatch(
        new RegExp(
          '^- a sync has been running since .*: ' +
            'waiting for healthy state of mlops\\.mlops\\.dev/NotebookValidationJob/train.*\n' +
            '- NotebookValidationJob patient/train is Progressing: .*\n- Missing: ConfigMap patient/serving\n$',
        ),
      );
      expect(await desk.lab.cluster.get(CONFIG_MAPS, { namespace: 'patient', name: 'serving' })).toBeUndefined();
    },
    LONG,
  );

  it(
    'a hook that waits for what comes after it is told with the way out',
    async () => {
      const waits = {
        log: ['Waiting for notebook validation to complete...'],
        waitsFor: {
          group: 'mlops.mlops.dev',
          resource: 'notebookvalidationjobs',
          name: 'model-training',
          every: '10s',
        },
      };
      const hook = hasGuide ? guideObjects('hook')[0] : undefined;
      const own: KubeObject = {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          name: 'wait-for-notebook-completion',
          annotations: { 'argocd.argoproj.io/hook': 'PreSync', [WAVE]: '4' },
        },
        spec: {
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [
                {
                  name: 'wait',
                  image: 'bitnami/kubectl:latest',
                  command: ['/bin/bash', '-c'],
                  args: ['until kubectl get notebookvalidationjob model-training -n hooked; do sleep 10; done'],
                },
              ],
            },
          },
        },
      };
      const played = JSON.parse(JSON.stringify(hook ?? own)) as {
        spec: { template: { metadata?: JsonObject; spec: JsonObject } };
      };
      played.spec.template.metadata = { annotations: { 'argosy.dev/simulate': JSON.stringify({ wait: waits }) } };
      delete played.spec.template.spec['serviceAccountName'];
      await desk.deliver(
        'hooked',
        played as unknown as KubeObject,
        job('model-training', GOOD, { annotations: { [WAVE]: '3' } }),
      );
      expect(await desk.untilReason('hooked', 'PreSync hook')).toContain(
        '- Job hooked/wait-for-notebook-completion is a PreSync hook that uses NotebookValidationJob ' +
          'hooked/model-training, which this sync only creates after it. PreSync hooks run before every wave.',
      );
      expect(
        await desk.lab.cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace: 'hooked', name: 'model-training' }),
      ).toBeUndefined();
    },
    LONG,
  );
});

/** As another operator would install it: without what ours keeps of a run. */
async function installOther(cluster: Cluster): Promise<void> {
  const text = readFileSync(join(import.meta.dirname, '../../crds/notebookvalidationjob.yaml'), 'utf8').replace(
    /^ +runId: .*\n/m,
    '',
  );
  await cluster.create(CRDS, readOneYaml(text, { dialect: 'kubernetes' }) as unknown as KubeObject);
}

describe('an operator that is not at work', () => {
  let desk: TroubleshootingLab;
  beforeAll(async () => {
    desk = await TroubleshootingLab.open(installOther);
  }, LONG);
  afterAll(() => desk.close(), LONG);

  it(
    'leaves notebooks Progressing: no phase was ever written, or one that is about an older generation',
    async () => {
      await desk.deliver('left', job('train', GOOD));
      expect(await desk.untilReason('left', 'train')).toBe(
        '- NotebookValidationJob left/train is Progressing: Initializing notebook validation. It has ' +
          'no status: the controller of NotebookValidationJob is not running or lacks permissions; see its log\n',
      );
      await desk.lab.cluster.patch(
        NOTEBOOK_VALIDATION_JOBS,
        { namespace: 'left', name: 'train' },
        { type: 'merge', body: { status: { phase: 'Succeeded', observedGeneration: 1 } } },
        { subresource: 'status' },
      );
      await desk.untilAppGet('left', isHealthy);
      await desk.deliver('left', job('train', GOOD, { ref: 'next' }));
      expect(await desk.untilReason('left', 'generation')).toContain(
        '- NotebookValidationJob left/train is Progressing: Waiting for the controller: it has seen ' +
          'generation 1, the object is at 2. Its controller is not running or lacks permissions: its status is ' +
          'of an older generation\n',
      );
    },
    LONG,
  );
});
