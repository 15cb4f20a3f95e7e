import { Fault } from '../../model/faults/index.js';
import { isAhead } from '../../model/formats/index.js';
import { type Json, isArray, isObject, textAt } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { splitApiVersion } from '../../model/kubernetes/index.js';
import { type NotebookJob, type TriggerState, digest, timeOf } from '../job/index.js';

const ANNOTATION = 'mlops.dev/on-success-trigger';
export const ACTIONS = ['restart', 'sync', 'refresh'] as const;
export type Action = (typeof ACTIONS)[number];

export interface Trigger {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Empty: that of the job, or for an Application those where Applications are. */
  readonly namespace: string;
  readonly action: Action;
}

const MAX_TRIGGERS = 20;
/** An annotation must not reach objects with permissions, secrets or cluster scope through us. */
const DENIED_GROUPS = [
  'rbac.authorization.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'certificates.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
];
const DENIED_CORE = [
  'Namespace',
  'Secret',
  'ServiceAccount',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'ResourceQuota',
  'LimitRange',
];

/** The triggers of a job, all or none: a Fault names the first that cannot be understood. */
export function parseTriggers(job: Pick<NotebookJob, 'annotations'>): Trigger[] {
  const text = job.annotations[ANNOTATION];
  if (text === undefined || text.trim() === '') return [];
  const list = readList(text);
  if (list.length > MAX_TRIGGERS)
    throw new Fault('VALUE_INVALID', `${list.length} triggers, but at most ${MAX_TRIGGERS} are allowed`, {
      where: ANNOTATION,
    });
  return list.map(readTrigger);
}

/** Empty where the triggers can be understood; undefined where there are none. */
export function triggerError(job: Pick<NotebookJob, 'annotations'>): string | undefined {
  if (job.annotations[ANNOTATION] === undefined) return undefined;
  try {
    parseTriggers(job);
    return '';
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

function readList(text: string): Json[] {
  let value: Json;
  try {
    value = readOneYaml(text, { dialect: 'kubernetes', file: ANNOTATION });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault('VALUE_INVALID', `annotation ${ANNOTATION} is not valid YAML: ${error.message}`, {
      where: ANNOTATION,
      cause: error,
    });
  }
  if (!isArray(value))
    throw new Fault('VALUE_INVALID', `annotation ${ANNOTATION} must be a list of triggers`, { where: ANNOTATION });
  return value;
}

function readTrigger(value: Json, index: number): Trigger {
  const wrong = (what: string): Fault =>
    new Fault('VALUE_INVALID', `trigger[${index}]: ${what}`, { where: ANNOTATION });
  if (!isObject(value)) throw wrong('must have apiVersion, kind, name and action');
  for (const field of ['apiVersion', 'kind', 'name', 'action'])
    if (textAt(value, field) === '') throw wrong(`${field} is required`);
  const action = ACTIONS.find((each) => each === textAt(value, 'action'));
  if (action === undefined)
    throw wrong(`invalid action ${JSON.stringify(textAt(value, 'action'))}, must be ${ACTIONS.join(', ')}`);
  const [apiVersion, kind] = [textAt(value, 'apiVersion'), textAt(value, 'kind')];
  const { group, version } = splitApiVersion(apiVersion);
  if (version === '' || apiVersion.split('/').length > 2)
    throw wrong(`invalid apiVersion ${JSON.stringify(apiVersion)}`);
  if (DENIED_GROUPS.includes(group) || (group === '' && DENIED_CORE.includes(kind)))
    throw wrong(`a ${kind} cannot be triggered`);
  if (action === 'sync' && !(group === 'argoproj.io' && kind === 'Application'))
    throw wrong('only an Application of argoproj.io can be synced');
  return { apiVersion, kind, name: textAt(value, 'name'), namespace: textAt(value, 'namespace'), action };
}

/** What a run that succeeded still has to do, stored in the same write as its success: never more, never again. */
export function planTriggers(job: NotebookJob, runId: string): TriggerState[] {
  let triggers: Trigger[];
  try {
    triggers = parseTriggers(job);
  } catch (error) {
    // The condition TriggersValid has reported it since the start of the run.
    if (error instanceof Fault) return [];
    throw error;
  }
  return triggers.map((trigger) => ({ ...trigger, state: 'Pending', attempts: 0, runId }));
}

export const MAX_TRIGGER_ATTEMPTS = 5;
const FIRST_WAIT = 10_000;

/** When a trigger is due, in milliseconds since 1970; undefined where nothing is left to do. */
export function triggerDue({ state, attempts, time }: TriggerState, now: number): number | undefined {
  if (state === 'Succeeded' || state === 'Skipped') return undefined;
  if (state !== 'Failed') return 0;
  if (attempts >= MAX_TRIGGER_ATTEMPTS) return undefined;
  const last = timeOf(time) ?? 0;
  return isAhead(last, now) ? 0 : last + FIRST_WAIT * 2 ** (attempts - 1);
}

/** Written to an Application by the patch that acts on it, so that it happens once per run. */
export function triggerAnnotation(
  job: NotebookJob,
  runId: string,
  index: number,
): { readonly key: string; readonly value: string } {
  return { key: `trigger.mlops.dev/${digest(job.uid).slice(0, 10)}-${index}`, value: runId };
}

export function triggerText({
  kind,
  name,
  namespace,
  action,
}: Pick<TriggerState, 'kind' | 'name' | 'namespace' | 'action'>): string {
  return `${action} of ${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}
