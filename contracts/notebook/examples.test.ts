import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isArray, isObject, textAt } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { ExampleLab } from './examples/example-lab.js';
import { IS_WHOLE } from '../harness/sizes.js';
import { manifestFile, notebookFiles } from './examples/repositories.js';
import { missingSource, SOURCES, type ExampleName, type Source } from './examples/source.js';
import { executionMissing } from './execution.js';

// The three examples of the notebook guide, delivered from git by the controller into the embedded cluster, where
// notebooks and model servers are processes. Each notebook asks before it goes on, so that every state in between can
// be looked at.
const LONG = 300_000;
const MANIFESTS = 'manifests/all.yaml';
const VALIDATION = 'notebooks/03-validate-model.ipynb';
const absent = executionMissing();

/** A branch that has moved is no change of the job: this asks for another run. */
function rerun(object: KubeObject, name: string, value: string): KubeObject {
  return object.metadata.name !== name
    ? object
    : {
        ...object,
        metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, 'mlops.dev/rerun': value } },
      };
}

describe.skipIf(absent !== undefined)(absent ?? 'the examples of the notebook guide', () => {
  let lab: ExampleLab;
  beforeAll(async () => {
    lab = await ExampleLab.open();
  }, LONG);
  afterAll(() => lab.close(), LONG);

  /** Commits the notebooks of an example; they ask under its name and version. */
  const notebooks = (
    source: Source,
    name: ExampleName,
    more: Readonly<Record<string, string>> = {},
    version = 'v1',
    weights: readonly number[] = [2, 1],
  ): void => {
    const { application, notebooks: repository } = source[name];
    lab.git.commit(repository, {
      ...notebookFiles({ version, weights: [...weights], limit: 1, ask: `${lab.gate.url}/${application}/${version}` }),
      ...more,
    });
  };
  const succeeded = async (namespace: string, name: string): Promise<Record<string, string>[]> => {
    const { phase, results } = await lab.notebooks.status(namespace, name);
    expect(phase).toBe('Succeeded');
    return isArray(results)
      ? results
          .filter(isObject)
          .map((each) => ({ status: textAt(each, 'status'), output: textAt(each, 'output').trim() }))
      : [];
  };

  if (missingSource !== undefined)
    it.skip(missingSource, () => {
      /* the name says why */
    });

  // Word for word they are played on the real server, in examples-real.test.ts.
  describe.concurrent.each(IS_WHOLE ? SOURCES : SOURCES.slice(0, 1))('$title', (source) => {
    it(
      'a notebook trains a model: Progressing while it runs, Healthy when it is done',
      async () => {
        const { application, namespace } = source.training;
        const [manifest, ...objects] = source.objects('training') as [KubeObject, ...KubeObject[]];
        notebooks(source, 'training');
        lab.git.commit(textAt(manifest.spec, 'source', 'repoURL').split('/').at(-1) ?? '', {
          [MANIFESTS]: manifestFile(objects),
        });
        await lab.namespace(namespace, 'ml-model-storage', 'kserve-model-storage');
        await lab.api.create(lab.git.rewritten(manifest), 'argocd');
        await lab.untilRequested(application, 'v1/fraud-detection');
        await lab.untilApplication(application, 'Synced/Progressing');
        lab.gate.approve(`${application}/v1/fraud-detection`);
        await lab.untilApplication(application, 'Synced/Healthy');
        const cells = await succeeded(namespace, objects[0]?.metadata.name ?? '');
        expect(cells.map(({ status }) => status)).toEqual([
          'Skipped',
          'Success',
          'Success',
          'Success',
          'Success',
          'Success',
        ]);
        expect(cells.at(-1)?.output).toMatch(/^model\.(joblib|json) v1 by (scikit-learn|plain Python)$/);
      },
      LONG,
    );

    it(
      'five stages wait for each other; one that fails stops them until a commit fixes it, and the model answers',
      async () => {
        const { application, namespace } = source.pipeline;
        const isBroken = source.breaksFirst;
        notebooks(
          source,
          'pipeline',
          isBroken ? { [VALIDATION]: (notebookFiles({})[VALIDATION] ?? '').replace('mean_error(', 'mean_eror(') } : {},
        );
        lab.git.commit(`${application}-manifests`, { [MANIFESTS]: manifestFile(source.objects('pipeline')) });
        await lab.namespace(namespace);
        await lab.deliver(application, `${application}-manifests`, namespace);
        const there = ['NotebookValidationJob/data-preprocessing'];
        const stage = async (question: string, job: string, next?: string): Promise<void> => {
          await lab.untilRequested(application, `v1/${question}`);
          await lab.untilOperation(
            application,
            /^Running$/,
            `waiting for healthy state of mlops.mlops.dev/NotebookValidationJob/${job}`,
          );
          expect(await lab.present(namespace, 'NotebookValidationJob', 'InferenceService')).toEqual([...there].sort());
          if (next !== undefined) there.push(next);
          lab.gate.approve(`${application}/v1/${question}`);
        };
        await stage('preprocessed', 'data-preprocessing', 'NotebookValidationJob/model-training');
        await stage('trained', 'model-training', 'NotebookValidationJob/model-validation');
        if (isBroken) {
          await lab.untilOperation(
            application,
            /^(Running|Failed)$/,
            'reason: NotebookValidationJob/model-validation: Validation failed: cell 3 raised ' +
              "AttributeError: module 'training' has no attribute 'mean_eror'",
          );
          await lab.untilApplication(application, 'OutOfSync/Degraded');
          expect(await lab.present(namespace, 'NotebookValidationJob', 'InferenceService')).toEqual([...there].sort());
          notebooks(source, 'pipeline');
          lab.git.commit(`${application}-manifests`, {
            [MANIFESTS]: manifestFile(
              source.objects('pipeline').map((object) => rerun(object, 'model-validation', 'fixed')),
            ),
          });
          await lab.refresh(application);
        }
        await stage('validated', 'model-validation', 'InferenceService/fraud-detection-model');
        await lab.untilApplication(application, 'Synced/Healthy');
        expect(await lab.present(namespace, 'NotebookValidationJob', 'InferenceService')).toEqual([...there].sort());
        // The Endpoints of a Service follow the readiness of its pods; nobody waits for them.
        await lab.untilServed(namespace, 'fraud-detection-model', 'v1');
        expect(await lab.predict(namespace, 'fraud-detection-model', [10, 3])).toEqual({
          code: 200,
          version: 'v1',
          values: [23],
        });
      },
      LONG,
    );

    it(
      'a model is served when it is trained; after training again the old one, until the trigger restarts its server',
      async () => {
        const { application, namespace } = source.serving;
        notebooks(source, 'serving');
        const objects = source.objects('serving');
        lab.git.commit(`${application}-manifests`, { [MANIFESTS]: manifestFile(objects) });
        // In the guide the first and the third example share a namespace.
        if (namespace === source.training.namespace) await lab.untilNamespace(namespace);
        else await lab.namespace(namespace, 'kserve-model-storage');
        await lab.deliver(application, `${application}-manifests`, namespace);
        await lab.untilRequested(application, 'v1/begun');
        await lab.untilApplication(application, 'Synced/Degraded');
        expect([await lab.isServed(namespace, 'my-model'), await lab.predict(namespace, 'my-model', [1, 2])]).toEqual([
          'False',
          { code: 503, version: '', values: [] },
        ]);
        lab.gate.approve(`${application}/v1/begun`, `${application}/v1/written`);
        await lab.untilServed(namespace, 'my-model', 'v1');
        await lab.untilTriggered(namespace, 'retrain-model', 1);
        await lab.untilApplication(application, 'Synced/Healthy');
        // The server was started anew by the trigger.
        await lab.untilServed(namespace, 'my-model', 'v1');
        expect(await lab.predict(namespace, 'my-model', [1, 2])).toEqual({ code: 200, version: 'v1', values: [4] });

        notebooks(source, 'serving', {}, 'v2', [3, 1]);
        lab.git.commit(`${application}-manifests`, {
          [MANIFESTS]: manifestFile(objects.map((object) => rerun(object, 'retrain-model', 'v2'))),
        });
        await lab.refresh(application);
        lab.gate.approve(`${application}/v2/begun`);
        await lab.untilRequested(application, 'v2/written');
        expect(await lab.predict(namespace, 'my-model', [1, 2])).toEqual({ code: 200, version: 'v1', values: [4] });
        lab.gate.approve(`${application}/v2/written`);
        await lab.untilServed(namespace, 'my-model', 'v2');
        expect(await lab.predict(namespace, 'my-model', [1, 2])).toEqual({ code: 200, version: 'v2', values: [5] });
        await lab.untilApplication(application, 'Synced/Healthy');
      },
      LONG,
    );
  });

  describe('argosy notebook get', () => {
    const lesson = (...cells: readonly string[]): string =>
      JSON.stringify({
        cells: cells.map((source, index) => ({
          cell_type: 'code',
          id: `c${index}`,
          metadata: {},
          execution_count: null,
          outputs: [],
          source,
        })),
        metadata: { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
        nbformat: 4,
        nbformat_minor: 5,
      });
    beforeAll(async () => {
      const ask =
        `import urllib.request\nask = lambda question: urllib.request.urlopen('${lab.gate.url}/lesson/' + ` +
        'question).read()';
      lab.git.commit('lessons', {
        'ten.ipynb': lesson(
          ask,
          ...Array.from({ length: 9 }, (_, index) => `ask('${index + 1}')\nprint('cell', ${index + 1})`),
        ),
        'five.ipynb': lesson(
          'rows = []',
          'print(len(rows))',
          "raise ValueError('no rows in %r' % rows)",
          'print(4)',
          'print(5)',
        ),
      });
      await lab.namespace('lessons');
    }, LONG);
    const run = (name: string): Promise<unknown> =>
      lab.notebooks.job(
        'lessons',
        name,
        {},
        {
          spec: {
            notebook: { git: { url: `${lab.git.url}/lessons`, ref: 'main' }, path: `${name}.ipynb` },
            podConfig: { containerImage: 'quay.io/jupyter/minimal-notebook:latest' },
          },
        },
      );

    it(
      '-w reports each of ten cells as it ends, while the next one runs',
      async () => {
        await run('ten');
        let said = '';
        const watching = lab.command(['notebook', 'get', 'lessons/ten', '-w'], (text) => {
          said += text;
        });
        const cells = (): string[] =>
          said
            .split('\n')
            .filter((line) => line.startsWith('cell '))
            .map((line) => line.replaceAll(/ +/g, ' ').replace(/ \S+$/, ''));
        for (let next = 1; next <= 9; next++) {
          await lab.gate.requested(`lesson/${next}`);
          await lab.notebooks.until(`${next} cells`, () => Promise.resolve(cells().length === next), LONG / 2);
          expect(cells()).toEqual(Array.from({ length: next }, (_, index) => `cell ${index} code Success`));
          lab.gate.approve(`lesson/${next}`);
        }
        expect(await watching).toBe(0);
        expect(cells()).toHaveLength(10);
        expect(said).toMatch(/\nSucceeded: Validation completed: 10\/10 cells succeeded \(100\.0% success rate\)\n$/);
      },
      LONG,
    );

    it(
      'names the third of five cells that failed, with type, message and traceback, and the two that were not run',
      async () => {
        await run('five');
        let [watched, said] = ['', ''];
        expect(
          await lab.command(['notebook', 'get', 'lessons/five', '-w'], (text) => {
            watched += text;
          }),
        ).toBe(1);
        expect(watched).toMatch(/\nFailed: Validation failed: cell 2 raised ValueError: no rows in \[\]\n$/);
        await lab.command(['notebook', 'get', 'lessons/five'], (text) => {
          said += text;
        });
        const table =
          said
            .slice(said.indexOf('CELL '))
            .split('\n\n')[0]
            ?.split('\n')
            .slice(1)
            .map((line) =>
              line
                .replaceAll(/ +/g, ' ')
                .replace(/ [\d.]+m?s /, ' ')
                .trim(),
            ) ?? [];
        expect(table.map((line) => line.replace(/ [\d.]+m?s$/, ''))).toEqual([
          '0 code Success',
          '1 code Success',
          '2 code Failure ValueError: no rows in []',
          '3 code Skipped',
          '4 code Skipped',
        ]);
        expect(said).toMatch(
          new RegExp(
            "\nCell 2:\n(?: {2}.*\n)*? {2}.*raise ValueError\\('no rows in %r' % rows\\)\n" +
              '(?: {2}.*\n)* {2}ValueError: no rows in \\[\\]\n',
          ),
        );
        expect(said).toMatch(/^Cells: +2\/5$/m);
      },
      LONG,
    );
  });
});
