import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isArray, type Json, type JsonObject } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { Health } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { runHealthScript } from '../lua/run-health-script.js';
import { readCatalogue } from './catalogue.js';
import type { Facts } from './scope.js';

const CATALOGUE = join(import.meta.dirname, '../../../catalogue');
const catalogue = readCatalogue(
  readdirSync(CATALOGUE, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(yaml|lua)$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(CATALOGUE, path), 'utf8') })),
);

const NOTEBOOK = {
  group: 'mlops.mlops.dev',
  version: 'v1alpha1',
  kind: 'NotebookValidationJob',
  folder: 'mlops.mlops.dev',
};
const SERVING = {
  group: 'serving.kserve.io',
  version: 'v1beta1',
  kind: 'InferenceService',
  folder: 'serving.kserve.io',
};
const CLAIM = { group: '', version: 'v1', kind: 'PersistentVolumeClaim', folder: 'core' };
const RUNTIMES = ['ServingRuntime', 'ClusterServingRuntime', 'TrainedModel'].map((kind) => ({
  ...SERVING,
  version: 'v1alpha1',
  kind,
}));
type Kind = typeof NOTEBOOK;

function objectOf({ group, version, kind }: Kind, fields: JsonObject): KubeObject {
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    ...fields,
    metadata: { name: 'sample', ...(fields.metadata as JsonObject | undefined) },
  };
}

function byCatalogue({ group, kind }: Kind, object: KubeObject, facts: Facts = {}): Health {
  const health = catalogue.find(group, kind)?.health;
  const verdict = health?.by === 'rules' ? health.assess(object, facts) : undefined;
  if (verdict === undefined) throw new Error(`${kind} has no rules`);
  return verdict;
}

function byScript(script: string, object: KubeObject, openLibs = false): Health {
  const verdict = runHealthScript(script, object, { openLibs, now: () => 0 });
  if (verdict === undefined) throw new Error('the script gives no verdict');
  return verdict;
}

/** As `argosy health apply` installs it. */
function scriptFor({ group, kind }: Kind): string {
  return readFileSync(join(CATALOGUE, 'for-argocd', `${group === '' ? kind : `${group}_${kind}`}.lua`), 'utf8');
}

/** An empty message and none are the same to a reader. */
const said = ({ status, message = '' }: Health): Health => ({ status, message });

/** The statuses on which two judges differ, with what they say: one expectation for thousands of objects. */
function disagreements(
  kind: Kind,
  statuses: readonly JsonObject[],
  ours: (object: KubeObject) => Health,
  theirs: (object: KubeObject) => Health,
): unknown[] {
  return statuses.flatMap((status) => {
    const object = objectOf(kind, { status });
    const [one, other] = [said(ours(object)), said(theirs(object))];
    return one.status === other.status && one.message === other.message ? [] : [{ status, ours: one, theirs: other }];
  });
}

/** Every way to choose one value for each field; undefined leaves a field out. */
function combinations(fields: Readonly<Record<string, readonly (Json | undefined)[]>>): JsonObject[] {
  let all: JsonObject[] = [{}];
  for (const [name, values] of Object.entries(fields)) {
    all = all.flatMap((object) => values.map((value) => (value === undefined ? object : { ...object, [name]: value })));
  }
  return all;
}

// The documents that users wrote by hand before; they lie beside a developer's checkout only.
const SEEDS = join(import.meta.dirname, '../../../../shared/seeds');
const seed = (start: string): string | undefined =>
  existsSync(SEEDS) ? readdirSync(SEEDS).find((name) => name.startsWith(start)) : undefined;

/** Lines of a document, without the indentation that its YAML needs. */
function linesOf(start: string, from: number, to: number): string {
  const file = seed(start);
  if (file === undefined) return '';
  return readFileSync(join(SEEDS, file), 'utf8')
    .split('\n')
    .slice(from - 1, to)
    .join('\n');
}

const RESULTS: readonly Json[] = [
  [],
  [{ cellIndex: 0, status: 'success' }],
  [
    { cellIndex: 0, status: 'success' },
    { cellIndex: 1, status: 'error', errorType: 'KeyError' },
    { cellIndex: 2, status: 'error' },
  ],
  [{ cellIndex: 3, status: 'error' }],
];
const PHASES = [
  undefined,
  'Succeeded',
  'Failed',
  'ValidationRunning',
  'Building',
  'BuildComplete',
  'Initializing',
  'Pending',
  'Running',
  'Strange',
  '',
];
const STATUSES = {
  phase: PHASES,
  message: [undefined, '', 'Cell execution failed: ModuleNotFoundError'],
  retryCount: [undefined, 0, 3],
  completionTime: [undefined, '2026-01-24T22:30:00Z'],
  validationPodName: [undefined, '', 'train-validation-abc123'],
};

describe.skipIf(seed('002') === undefined)('the checks of the notebook guide (skipped without the seeds)', () => {
  const basic = linesOf('002', 70, 127);
  const advanced = linesOf('002', 217, 274);

  it('agrees with the basic check in every phase', () => {
    expect(
      disagreements(
        NOTEBOOK,
        combinations(STATUSES),
        (object) => byCatalogue(NOTEBOOK, object),
        (object) => byScript(basic, object),
      ),
    ).toEqual([]);
    expect(byCatalogue(NOTEBOOK, objectOf(NOTEBOOK, {}))).toEqual(byScript(basic, objectOf(NOTEBOOK, {})));
  });

  it('says with results what both checks say, and gives their status', () => {
    const wrong = combinations({ ...STATUSES, results: RESULTS }).filter((status) => {
      const object = objectOf(NOTEBOOK, { status });
      const [ours, simple, rich] = [byCatalogue(NOTEBOOK, object), byScript(basic, object), byScript(advanced, object)];
      const cells =
        /Executed \d+ cells|Failed at cell \d+: .+|\(\d+ cells completed\)/.exec(rich.message ?? '')?.[0] ?? '';
      const text = ours.message ?? '';
      return !(
        ours.status === simple.status &&
        ours.status === rich.status &&
        text.startsWith(simple.message ?? '') &&
        text.endsWith(cells)
      );
    });
    expect(wrong).toEqual([]);
  });

  it('reads the spelling of the resource as that of the guide', () => {
    const spellings: Readonly<Record<string, string>> = { success: 'Success', error: 'Failure' };
    const asInResource = (results: Json | undefined): Json =>
      isArray(results)
        ? results.map((each) => ({
            ...(each as JsonObject),
            status: spellings[String((each as JsonObject).status)] ?? '',
          }))
        : [];
    const respelt = (object: KubeObject): KubeObject => ({
      ...object,
      status: { ...(object.status as JsonObject), results: asInResource((object.status as JsonObject).results) },
    });
    const statuses = combinations({ ...STATUSES, results: RESULTS });
    expect(
      disagreements(
        NOTEBOOK,
        statuses,
        (object) => byCatalogue(NOTEBOOK, respelt(object)),
        (object) => byCatalogue(NOTEBOOK, object),
      ),
    ).toEqual([]);
  });
});

const READY = [undefined, 'True', 'False', 'Unknown', 'Odd'];
const STOPPED = [undefined, 'True', 'False'];

function servingStatuses(): JsonObject[] {
  const ready = READY.flatMap((status) =>
    [undefined, '', 'Revision failed'].map((message) =>
      status === undefined ? [] : [{ type: 'Ready', status, ...(message === undefined ? {} : { message }) }],
    ),
  );
  const conditions = ready.flatMap((each) =>
    STOPPED.map((status) => [
      { type: 'PredictorReady', status: 'False' },
      ...(status === undefined ? [] : [{ type: 'Stopped', status }]),
      ...each,
    ]),
  );
  return combinations({
    conditions: [undefined, ...conditions],
    modelStatus: [
      undefined,
      { transitionStatus: 'UpToDate' },
      { transitionStatus: 'InProgress' },
      { transitionStatus: 'BlockedByFailedLoad' },
    ],
  });
}

describe.skipIf(seed('003') === undefined)('the checks of the serving guide (skipped without the seeds)', () => {
  it('agrees on services, whatever Stopped says', () => {
    const script = linesOf('003', 277, 303);
    expect(
      disagreements(
        SERVING,
        servingStatuses(),
        (object) => byCatalogue(SERVING, object),
        (object) => byScript(script, object),
      ),
    ).toEqual([]);
    expect(byCatalogue(SERVING, objectOf(SERVING, {}))).toEqual(byScript(script, objectOf(SERVING, {})));
  });

  it.each([
    ['ServingRuntime', 307, 310],
    ['ClusterServingRuntime', 450, 453],
    ['TrainedModel', 462, 476],
  ] as const)('agrees on every %s', (name, from, to) => {
    const kind = { ...SERVING, kind: name };
    const script = linesOf('003', from, to);
    expect(
      disagreements(
        kind,
        servingStatuses(),
        (object) => byCatalogue(kind, object),
        (object) => byScript(script, object),
      ),
    ).toEqual([]);
  });
});

interface Case {
  readonly name: string;
  readonly object: JsonObject;
  readonly facts?: Facts;
  readonly expect: Health;
}

describe('the scripts for Argo CD say what the catalogue says', () => {
  // Argo CD shows a script its object alone: not the class of a claim, nor the Deployment of a service. What the script
  // says instead is what the header of its file promises.
  const unseen = new Map<string, Health>([
    [
      'a claim whose class nobody knows is waited for',
      { status: 'Healthy', message: 'PVC is pending (likely WaitForFirstConsumer)' },
    ],
    [
      'a service whose first pods are starting is waited for',
      { status: 'Degraded', message: 'Deployment does not have minimum availability.' },
    ],
    [
      'a service whose ingress is not made yet is waited for',
      { status: 'Degraded', message: 'InferenceService is not ready' },
    ],
  ]);

  it.each([NOTEBOOK, SERVING, CLAIM, ...RUNTIMES].map((kind) => [kind.kind, kind] as const))('%s', (name, kind) => {
    const script = scriptFor(kind);
    const file = join(CATALOGUE, kind.folder, `${name}.cases.yaml`);
    const cases = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file }) as unknown as Case[];
    for (const { name: sentence, object, facts, expect: expected } of cases) {
      const complete = objectOf(kind, object);
      expect(said(byScript(script, complete, true)), sentence).toEqual(said(unseen.get(sentence) ?? expected));
      expect(said(byCatalogue(kind, complete, facts)), sentence).toEqual(said(expected));
    }
  });

  it('claims need no more than Argo CD gives every script', () => {
    const script = scriptFor(CLAIM);
    const pending = (annotations: JsonObject): Health =>
      byScript(script, objectOf(CLAIM, { metadata: { annotations }, status: { phase: 'Pending' } }));
    expect(pending({})).toEqual({ status: 'Healthy', message: 'PVC is pending (likely WaitForFirstConsumer)' });
    expect(pending({ 'volume.kubernetes.io/storage-provisioner': 'example.com/disk' }).status).toBe('Progressing');
    expect(pending({ 'volume.kubernetes.io/selected-node': 'worker-1' }).status).toBe('Progressing');
  });

  it.each([
    [NOTEBOOK.kind, NOTEBOOK, combinations({ ...STATUSES, results: [undefined, ...RESULTS] })],
    [SERVING.kind, SERVING, servingStatuses()],
    ...RUNTIMES.map((kind) => [kind.kind, kind, servingStatuses()] as const),
  ] as const)('%s, far beyond its cases and without open libraries', (_, kind, statuses) => {
    const script = scriptFor(kind);
    expect(
      disagreements(
        kind,
        statuses,
        (object) => byCatalogue(kind, object),
        (object) => byScript(script, object),
      ),
    ).toEqual([]);
  });
});
