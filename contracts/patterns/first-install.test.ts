import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isArray, isObject, type JsonObject } from '../../src/model/json/index.js';
import { runnerLine } from '../notebook/notebook-lab.js';
import { LIBRARY, LibraryCharts, objectsOf, scriptOf } from '../charts/library-chart.js';
import { ScriptLab } from '../charts/script-lab.js';
import { realParts } from '../real/parts.js';
import { PatternsLab } from './patterns-lab.js';
import { BUILDS, BUILD_CONFIGS, PODS, SECRETS } from '../../src/model/resources/index.js';

// A chart with everything from the image to what serves the model is installed for the first time, and nobody helps.
const WELL: JsonObject = {
  'git-clone': { after: '100ms' },
  validator: {
    after: '100ms',
    log: [
      runnerLine({ event: 'start', kernel: 'k', cells: 1, codeCells: 1 }),
      runnerLine({ event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 0.1 }),
      runnerLine({ event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 }),
    ],
  },
};
const GATE = { 'argosy.dev/wait-for-image.-3': 'imagestreamtag/notebook-validator:latest' };
const LONG = 120_000;
const kubectl = await realParts(['kubectl']);

let lab: PatternsLab;
beforeAll(async () => {
  lab = await PatternsLab.open(join(import.meta.dirname, 'first-install'), 'chart');
  for (const entry of readdirSync(LIBRARY, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name);
    await lab.repository.write(join('argosy-lib', file.slice(LIBRARY.length)), readFileSync(file, 'utf8'));
  }
  await lab.repository.commit();
}, LONG);
afterAll(() => lab.close());

type Way = 'named' | 'unnamed' | 'jobs';

/** With the image named on the Application, found by Argosy itself, or awaited by Jobs of the library chart. */
async function install(name: string, revision: string, way: Way): Promise<void> {
  await lab.lab.namespace(name);
  await lab.lab.cluster.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'git-login', namespace: name },
    stringData: { username: lab.outside.get('gitUser') ?? '', password: lab.outside.get('gitPassword') ?? '' },
  });
  await lab.deliver(
    name,
    'chart',
    {
      git: { repoURL: lab.outside.get('gitRepository') ?? '', revision },
      simulate: JSON.stringify(WELL),
      jobs: way === 'jobs',
    },
    way === 'named' ? GATE : {},
  );
}

const isRunning =
  (words: string) =>
  (_: JsonObject, { phase, message }: JsonObject): boolean =>
    phase === 'Running' && String(message).includes(words);
const isOver = (_: JsonObject, { phase }: JsonObject): boolean =>
  phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';

describe('a first install', () => {
  it.each([
    ['where the Application names the image', 'named'],
    ['where nobody names the image', 'unnamed'],
    ['where Jobs of the library chart wait', 'jobs'],
  ] as const)(
    'reaches Synced and Healthy without a person, %s',
    async (_, name) => {
      await install(name, 'main', name);
      await lab.until(name, isRunning('waiting for image imagestreamtag/notebook-validator:latest@'));
      const early = (await lab.lab.cluster.list(PODS, { namespace: name })).items.map(
        ({ metadata }) => metadata.name ?? '',
      );
      expect(early.filter((pod) => !pod.endsWith('-build'))).toEqual([]);
      const status = await lab.until(
        name,
        ({ sync, health }, { phase }) =>
          phase !== 'Running' &&
          isObject(sync) &&
          sync.status === 'Synced' &&
          isObject(health) &&
          health.status === 'Healthy',
      );
      expect(status.operationState).toMatchObject({ phase: 'Succeeded' });
      // Neither a warning about rights nor any other.
      expect(status.conditions).toBeUndefined();
      const builds = (await lab.lab.cluster.list(BUILDS, { namespace: name })).items;
      expect(builds.map(({ status: build }) => (isObject(build) ? build.phase : ''))).toEqual(['Complete']);
      const pods = (await lab.lab.cluster.list(PODS, { namespace: name })).items;
      expect(JSON.stringify(pods.map((pod) => pod.status))).not.toMatch(/ImagePull/);
    },
    LONG,
  );

  it.each([
    ['where the Application names the image', 'named', []],
    [
      'where Jobs of the library chart wait',
      'jobs',
      ['Role', 'Role', 'RoleBinding', 'RoleBinding', 'ServiceAccount', 'ServiceAccount'],
    ],
  ] as const)(
    'with the build broken stops at once with the reason of the Build, %s',
    async (_, way, more) => {
      const name = `broken-${way}`;
      await install(name, 'no-such-branch', way);
      const status = await lab.until(name, isOver);
      expect(status.operationState).toMatchObject({
        phase: 'Failed',
        message: expect.stringContaining(
          'Build notebook-validator-1 failed: FetchSourceFailed: Failed to fetch the input source. Fix it, then ' +
            `start another build: oc start-build notebook-validator -n ${name}`,
        ) as string,
      });
      const resources = isArray(status.resources) ? status.resources.filter(isObject) : [];
      expect(
        resources
          .filter(({ status: sync }) => sync === 'OutOfSync')
          .map(({ kind }) => kind)
          .sort(),
      ).toEqual([...more, 'Deployment', 'InferenceService', 'NotebookValidationJob'].sort());
      await lab.until(
        name,
        ({ health }) =>
          isObject(health) &&
          health.status === 'Degraded' &&
          health.message ===
            'BuildConfig/notebook-validator: Build notebook-validator-1 failed: FetchSourceFailed: Failed ' +
              'to fetch the input source.',
      );
    },
    LONG,
  );

  // The cluster does not execute what a Job says; here it is, with the real kubectl in the place of oc.
  if (kubectl.kind === 'missing')
    it.skip(`skipped: kubectl (${kubectl.reason})`, () => {
      /* the name says why */
    });
  else {
    it(
      'is awaited by the script of the library in the same way: the image is there, or the build has failed',
      async () => {
        const [charts, stage] = [new LibraryCharts(), new ScriptLab()];
        const play = async (namespace: string): ReturnType<ScriptLab['play']> => {
          const template =
            '{{ include "argosy.waitForImage" (dict "name" "v" "syncWave" "-3" "imageTag" ' +
            `"notebook-validator:latest" "namespace" "${namespace}" "buildConfig" "notebook-validator") }}`;
          const job = objectsOf(charts.chart('wait', { 'templates/wait.yaml': template })).find(
            ({ kind }) => kind === 'Job',
          );
          return stage.play(scriptOf(job), {
            oc: `exec '${kubectl.path('kubectl')}' --kubeconfig '${lab.lab.kubeconfig}' "$@"`,
            sleep: 'exit 1',
          });
        };
        try {
          expect(await play('jobs')).toMatchObject({
            code: 0,
            stdout: expect.stringContaining('notebook-validator:latest') as string,
          });
          expect(await play('broken-jobs')).toMatchObject({
            code: 1,
            stderr: expect.stringContaining(
              'image notebook-validator:latest does not come: build notebook-validator-1 FetchSourceFailed: ' +
                'Failed to fetch the input source.\n',
            ) as string,
          });
        } finally {
          charts.close();
          stage.close();
        }
      },
      LONG,
    );
  }

  it(
    'is followed by builds that its health tells of: one runs and is cancelled, one is complete',
    async () => {
      const build = async (number: string, takes: string): Promise<void> => {
        await lab.lab.cluster.patch(
          BUILD_CONFIGS,
          { namespace: 'unnamed', name: 'notebook-validator' },
          {
            type: 'merge',
            body: {
              metadata: {
                annotations: { 'world.argosy.dev/start-build': number, 'world.argosy.dev/build-takes': takes },
              },
            },
          },
        );
      };
      const says =
        (status: string, words: string) =>
        ({ health }: JsonObject): boolean =>
          isObject(health) && health.status === status && String(health.message).includes(words);
      await build('2', '1h');
      await lab.until('unnamed', says('Progressing', 'Build notebook-validator-2 is running'));
      // Nothing of the application itself changes.
      await lab.lab.cluster.patch(
        BUILDS,
        { namespace: 'unnamed', name: 'notebook-validator-2' },
        { type: 'merge', body: { status: { cancelled: true } } },
        { subresource: 'status' },
      );
      await lab.until('unnamed', says('Degraded', 'Build notebook-validator-2 was cancelled'));
      await build('3', '1s');
      await lab.until('unnamed', says('Healthy', ''));
    },
    LONG,
  );

  it(
    'with the build cancelled stops at once as well',
    async () => {
      await install('cancelled', 'main', 'named');
      const build = await lab.lab.until(
        'a build',
        async () => (await lab.lab.cluster.list(BUILDS, { namespace: 'cancelled' })).items[0],
      );
      await lab.lab.cluster.patch(
        BUILDS,
        { namespace: 'cancelled', name: build.metadata.name ?? '' },
        { type: 'merge', body: { status: { cancelled: true } } },
        { subresource: 'status' },
      );
      const status = await lab.until('cancelled', isOver);
      expect(status.operationState).toMatchObject({
        phase: 'Failed',
        message: expect.stringContaining(
          'Build notebook-validator-1 was cancelled: CancelledBuild: The build was cancelled by the user.',
        ) as string,
      });
    },
    LONG,
  );
});
