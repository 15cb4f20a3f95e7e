import { isObject, parseJson, textAt, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { CONTROL_NAMESPACE, objectIn, readStatus } from './application.js';
import { isAcceptedWrite, isCreation, type Audited } from './audit-log.js';
import type { Lab } from './lab.js';
import { initiatorOf, endsIn, hasApplication, phaseOf, triggersOf, type NotebookLife } from './notebook-life.js';
import type { ObservedPhase } from './notebook-player.js';
import {
  APPLICATIONS,
  BUILDS,
  CONFIG_MAPS,
  DEPLOYMENTS,
  EVENTS,
  NOTEBOOK_VALIDATION_JOBS,
  PODS,
} from '../../src/model/resources/index.js';

const ORDER = ['Initializing', 'Building', 'BuildComplete', 'ValidationRunning', 'Succeeded', 'Failed'];
const OPERATOR = 'jupyter-notebook-validator-operator';
const EVENTS_WITHIN = 5000;
const REFRESH = 'argocd.argoproj.io/refresh';

/** What a life is at its end, as far as it must come there by itself. */
export interface LifeState {
  readonly job: KubeObject | undefined;
  readonly application: KubeObject | undefined;
}

export async function readLifeState(lab: Lab, life: NotebookLife, namespace: string): Promise<LifeState> {
  return {
    job: await lab.cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace, name: 'train' }),
    application: hasApplication(life)
      ? await lab.cluster.get(APPLICATIONS, { namespace: CONTROL_NAMESPACE, name: namespace })
      : undefined,
  };
}

/** What is still missing at the end of a run; empty where all is there. */
export function missingIn(life: NotebookLife, run: number, { job, application }: LifeState): string {
  const status = objectIn(job, 'status');
  const phase = phaseOf(life, run);
  if (status.observedGeneration !== run || status.phase !== phase)
    return `run ${run} is ${textAt(status, 'phase')} of ${String(status.observedGeneration)}`;
  const mark = phase === 'Succeeded' ? 'mlops.dev/wave-complete' : 'mlops.dev/wave-failed';
  if (job?.metadata.annotations?.[mark] !== '1') return `${mark} is missing`;
  const triggers = Array.isArray(status.triggers) ? status.triggers : [];
  const wanted = phase === 'Succeeded' ? triggersOf(life, '').length : 0;
  if (triggers.length !== wanted || !triggers.every((each) => isObject(each) && each.state === 'Succeeded'))
    return `triggers are ${JSON.stringify(triggers)}`;
  return hasApplication(life) ? missingInApplication(life, run, application) : '';
}

function missingInApplication(life: NotebookLife, run: number, application: KubeObject | undefined): string {
  const phase = life.isDelivered ? phaseOf(life, run) : 'Succeeded';
  const shown = readStatus(application);
  if (shown.isRequested || shown.phase !== phase || shown.by !== (life.isDelivered ? initiatorOf(run) : OPERATOR))
    return `the operation of ${shown.by} is ${shown.phase}`;
  if (
    phase === 'Failed' &&
    !shown.message.includes('NotebookValidationJob/train: Validation failed: cell 1 raised ValueError: bad')
  )
    return `the operation says ${shown.message}`;
  const told = countsIn(application);
  return told === (phase === 'Succeeded' ? '1 1 0' : '1 0 1') ? '' : `the application says ${told}`;
}

/** Total, succeeded and failed, as the annotation of an Application has them. */
function countsIn(application: KubeObject | undefined): string {
  const text = application?.metadata.annotations?.['mlops.dev/notebook-status'];
  const { total, succeeded, failed } = text === undefined ? {} : (parseJson(text) as JsonObject);
  return `${String(total)} ${String(succeeded)} ${String(failed)}`;
}

export interface LifeRecord {
  readonly namespace: string;
  /** What the controllers asked of the server in the namespace, and of the Application. */
  readonly audited: readonly Audited[];
  readonly noted: readonly ObservedPhase[];
}

/** What is wrong with a life that is over. */
export async function verifyNotebookLife(lab: Lab, life: NotebookLife, record: LifeRecord): Promise<string[]> {
  return [
    ...verifyAttempts(life, record),
    ...verifyPhases(record.noted),
    ...verifySyncs(life, record),
    ...(await verifyTargets(lab, life, record)),
    ...(await verifyWaves(lab, life, record)),
    ...(await verifyEvents(lab, life, record)),
  ];
}

function expect(what: string, got: number, wanted: number): string[] {
  return got === wanted ? [] : [`${what}: ${got}, not ${wanted}`];
}

/** Everything that is made is made once: a pod for each attempt, the objects of the build, the job itself. */
function verifyAttempts(life: NotebookLife, { audited }: LifeRecord): string[] {
  const made = audited.filter(isCreation);
  const pods = made.filter(({ resource }) => resource === 'pods').map(({ name }) => name);
  const builds = life.build === undefined ? 0 : life.runs;
  return [
    ...expect('pods that were made', pods.length, life.attempts.length),
    ...expect('attempts that had a pod', new Set(pods).size, life.attempts.length),
    ...expect('BuildConfigs that were made', made.filter(({ resource }) => resource === 'buildconfigs').length, builds),
    ...expect('ImageStreams that were made', made.filter(({ resource }) => resource === 'imagestreams').length, builds),
    ...expect(
      'jobs that were delivered',
      made.filter(({ resource }) => resource === 'notebookvalidationjobs').length,
      life.isDelivered ? 1 : 0,
    ),
  ];
}

/** Phases go forward; a mark of a wave belongs to a run that is over. */
function verifyPhases(noted: readonly ObservedPhase[]): string[] {
  return noted.flatMap(({ run, phase, marks }, index) => {
    const before = noted[index - 1];
    const back =
      before?.run === run && ORDER.indexOf(phase) < ORDER.indexOf(before.phase)
        ? [`the phase went back from ${before.phase} to ${phase}`]
        : [];
    // A new run takes the marks away before anything else.
    const early =
      marks.length > 0 && ORDER.indexOf(phase) > 0 && ORDER.indexOf(phase) < ORDER.indexOf('Succeeded')
        ? [`it was ${phase} with ${marks.join(' and ')}`]
        : [];
    const wrong = [];
    if (phase === 'Succeeded' && marks.includes('mlops.dev/wave-failed'))
      wrong.push('a run that succeeded had wave-failed');
    if (phase === 'Failed' && marks.includes('mlops.dev/wave-complete'))
      wrong.push('a run that failed had wave-complete');
    return [...back, ...early, ...wrong];
  });
}

/** The sync and the refresh that a trigger asks for, as the server took them. */
function verifySyncs(life: NotebookLife, { audited }: LifeRecord): string[] {
  const asked = audited
    .filter((each) => isAcceptedWrite(each) && each.resource === 'applications')
    .map(({ request = {} }) => request);
  const wanted = life.triggers === 'sync' ? 1 : 0;
  return [
    ...expect(
      'syncs that were started',
      asked.filter(
        (request) => textAt(objectIn(objectIn(request, 'operation'), 'initiatedBy'), 'username') === OPERATOR,
      ).length,
      wanted,
    ),
    ...expect(
      'refreshes that were asked for',
      asked.filter((request) => textAt(objectIn(objectIn(request, 'metadata'), 'annotations'), REFRESH) !== '').length,
      wanted,
    ),
  ];
}

/** What triggers do to workloads and plain objects, and what the pod was made of. */
async function verifyTargets(lab: Lab, life: NotebookLife, { namespace, audited }: LifeRecord): Promise<string[]> {
  const wrong: string[] = [];
  if (life.triggers === 'restart') {
    const times = endsIn(life, 'Succeeded');
    wrong.push(
      ...expect(
        'pods that were evicted',
        audited.filter((each) => isAcceptedWrite(each) && each.resource === 'pods' && each.subresource === 'eviction')
          .length,
        times,
      ),
    );
    const deployment = await lab.cluster.get(DEPLOYMENTS, { namespace, name: 'web' });
    wrong.push(...expect('restarts of the Deployment', (deployment?.metadata.generation ?? 0) - 1, times));
  }
  if (life.triggers === 'sync') {
    const times = audited
      .filter((each) => isAcceptedWrite(each) && each.resource === 'configmaps' && each.name === 'told')
      .map(({ request = {} }) =>
        textAt(objectIn(objectIn(request, 'metadata'), 'annotations'), 'mlops.dev/restart-timestamp'),
      );
    wrong.push(...expect('writes of the trigger to the ConfigMap', new Set(times).size, 1));
  }
  if (life.build !== undefined) {
    const { items: builds } = await lab.cluster.list(BUILDS, { namespace });
    wrong.push(...expect('builds', builds.length, 1));
    const { items: pods } = await lab.cluster.list(PODS, {
      namespace,
      labelSelector: 'app=jupyter-notebook-validator',
    });
    const image = textAt(objectIn(builds[0], 'status'), 'outputDockerImageReference');
    if (!pods.every(({ spec }) => JSON.stringify(spec).includes(`"image":"${image}"`)))
      wrong.push(`the pod does not have the image ${image}`);
  }
  return wrong;
}

/** Wave 2 goes on, unless the notebook has failed before; wave 4 comes after the success and only then. */
async function verifyWaves(lab: Lab, life: NotebookLife, { namespace, noted, audited }: LifeRecord): Promise<string[]> {
  if (!life.isDelivered) return [];
  const [second, fourth] = await Promise.all(
    ['w2', 'w4'].map((name) => lab.cluster.get(CONFIG_MAPS, { namespace, name })),
  );
  const made = audited.filter(
    (each) => isCreation(each) && each.resource === 'configmaps' && each.name.startsWith('w'),
  );
  const wrong = expect(
    'objects of waves that were made',
    made.length,
    [second, fourth].filter((each) => each !== undefined).length,
  );
  const succeeded = noted.find(({ phase }) => phase === 'Succeeded')?.version;
  if (life.phase === 'Failed' && fourth !== undefined) wrong.push('wave 4 went on although the notebook failed');
  if (life.phase === 'Succeeded' && second === undefined) wrong.push('wave 2 did not go on');
  if (
    life.phase === 'Succeeded' &&
    (succeeded === undefined || Number(fourth?.metadata.resourceVersion ?? 0) < succeeded)
  )
    wrong.push('wave 4 went on before the notebook had succeeded');
  return wrong;
}

/** The end of each run and each trigger is told once; events come a moment after what they tell. */
async function verifyEvents(lab: Lab, life: NotebookLife, { namespace }: LifeRecord): Promise<string[]> {
  const wanted = {
    ValidationSucceeded: endsIn(life, 'Succeeded'),
    ValidationFailed: endsIn(life, 'Failed'),
    TriggerSuccess: endsIn(life, 'Succeeded') * triggersOf(life, namespace).length,
  };
  let reasons: string[] = [];
  const count = (reason: string): number => reasons.filter((each) => each === reason).length;
  try {
    await lab.until(
      'all events are there',
      async () => {
        reasons = (await lab.cluster.list(EVENTS, { namespace })).items.map((event) => textAt(event, 'reason'));
        return Object.entries(wanted).every(([reason, times]) => count(reason) >= times);
      },
      EVENTS_WITHIN,
      50,
    );
  } catch (error) {
    return [error instanceof Error ? `${error.message} (${reasons.join(', ')})` : String(error)];
  }
  return Object.entries(wanted).flatMap(([reason, times]) => expect(`events ${reason}`, count(reason), times));
}
