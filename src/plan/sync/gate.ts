import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { isArray, isObject, type JsonObject } from '../../model/json/index.js';
import { parseDuration } from '../../model/formats/index.js';
import { isHook, readAcceptance, type OperationPhase } from '../../model/argo/index.js';
import { waveOf, type Task } from './task.js';
import { readImageName, unreadableImages, WAIT_FOR_IMAGE, type ImageName } from './image.js';
import { annotationOf, wholeNumber, wordsOf } from './options.js';
import type { SyncInput } from './sync-plan.js';
import { kindName } from './order-tasks.js';

export const GATE_ANNOTATION = 'argosy.dev/gate';
export const BLOCK_WAVE_ANNOTATION = 'mlops.dev/block-wave';
export const WAIT_TIMEOUT_ANNOTATION = 'argosy.dev/wait-timeout';
export const HOOK_DEADLINE_ANNOTATION = 'argosy.dev/hook-deadline';

/** How far an applied object is, and in whose words. */
export interface TaskState {
  readonly phase: OperationPhase;
  readonly message: string;
}

/** What the live object of a running task says: go on waiting, done, or failed. */
export function assessTask(input: SyncInput, task: Task, live: KubeObject): TaskState {
  if (isUngated(input, task, live)) return { phase: 'Succeeded', message: '' };
  const health = input.assess(live);
  const created = task.isHook ? `${task.key.name} created` : '';
  if (health === undefined) return { phase: 'Succeeded', message: created };
  const behind = input.improvements.generationGates || blockWaveOf(task) !== undefined ? staleness(live) : undefined;
  if (behind !== undefined) return { phase: 'Running', message: behind };
  const message = health.message ?? '';
  switch (health.status) {
    case 'Healthy':
      return { phase: 'Succeeded', message };
    case 'Degraded':
      return { phase: 'Failed', message };
    case 'Unknown':
      return { phase: task.isHook ? 'Failed' : 'Running', message };
    case 'Missing':
      return task.isHook ? { phase: 'Succeeded', message: created } : { phase: 'Running', message };
    case 'Progressing':
    case 'Suspended':
      return { phase: 'Running', message };
    default:
      return health.status satisfies never;
  }
}

/**
 * KServe writes the generation of the Deployment or Knative Service there: it tells nothing about the object itself.
 */
const FOREIGN_GENERATION_KINDS = ['serving.kserve.io/InferenceService'];

/**
 * Why the status is about an older generation of the object; undefined where it is current, or tells nothing about it.
 */
export function staleness(live: KubeObject): string | undefined {
  const { group, kind } = gvkOf(live);
  const { generation } = live.metadata;
  if (FOREIGN_GENERATION_KINDS.includes(`${group}/${kind}`)) return undefined;
  const observed = observedGeneration(live);
  if (generation === undefined || observed === undefined || observed >= generation) return undefined;
  return `its controller has seen generation ${observed}, not yet ${generation}`;
}

/** `status.observedGeneration` (text in Argo Rollouts), else the newest that any condition names. */
function observedGeneration({ status }: KubeObject): number | undefined {
  if (!isObject(status)) return undefined;
  const whole = numberOf(status.observedGeneration);
  if (whole !== undefined) return whole;
  const named = conditionsOf(status)
    .map((condition) => numberOf(condition.observedGeneration))
    .filter((value) => value !== undefined);
  return named.length === 0 ? undefined : Math.max(...named);
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? wholeNumber(value) : undefined;
}

function conditionsOf(status: JsonObject): JsonObject[] {
  return isArray(status.conditions) ? status.conditions.filter(isObject) : [];
}

/** Holds no wave and fails none: the object says so, or it is of a kind that gates only after it was Ready once. */
export function isUngated(
  { ungatedKinds = [] }: SyncInput,
  { target, key }: Pick<Task, 'target' | 'key'>,
  live: KubeObject | undefined,
): boolean {
  const said = annotationOf(target ?? live, GATE_ANNOTATION);
  if (said === 'false' || said === 'true') return said === 'false';
  return ungatedKinds.includes(`${key.group}/${key.kind}`) && !(live !== undefined && wasReadyOnce(live));
}

/**
 * Kubernetes keeps no record of it, so this reads what controllers leave behind: Ready now, a model that was loaded
 * once (KServe keeps `activeModelState` when it is lost again), or a revision that was ready or rolled out once
 * (Knative mode).
 */
export function wasReadyOnce({ status }: KubeObject): boolean {
  if (!isObject(status)) return false;
  if (conditionsOf(status).some((condition) => condition.type === 'Ready' && condition.status === 'True')) return true;
  const states = isObject(status.modelStatus) ? status.modelStatus.states : undefined;
  if (isObject(states) && states.activeModelState === 'Loaded') return true;
  const components = isObject(status.components) ? Object.values(status.components).filter(isObject) : [];
  const isNamed = (value: unknown): boolean => typeof value === 'string' && value !== '';
  return components.some(
    (each) =>
      isNamed(each.latestReadyRevision) ||
      isNamed(each.latestRolledoutRevision) ||
      isNamed(each.previousRolledoutRevision),
  );
}

/**
 * The wave that a resource holds until it is Healthy, while it lets earlier ones pass; only where it is later than its
 * own.
 */
export function blockWaveOf({ target }: Pick<Task, 'target'>): number | undefined {
  const wave = wholeNumber(annotationOf(target, BLOCK_WAVE_ANNOTATION));
  return wave !== undefined && target !== undefined && wave > waveOf(target) ? wave : undefined;
}

/** When the waiting for a task ends, and the annotation that says so. */
export interface Deadline {
  readonly at: Date;
  readonly timeout: number;
  readonly annotation: string;
}

/**
 * When the waiting for a task ends. A gate always has an end, and a hook that names one; other resources where the
 * settings ask for deadlines. Of two, the earlier one counts.
 */
export function deadlineOf(input: SyncInput, task: Task): Deadline | undefined {
  const isGate = blockWaveOf(task) !== undefined;
  const general =
    input.improvements.deadlines || isGate
      ? (waitTimeoutOf(task.target) ??
        input.waveTimeouts?.get(task.wave) ??
        input.waitTimeout ??
        (isGate ? input.gateTimeout : undefined))
      : undefined;
  const own = task.isHook ? hookDeadlineOf(task.target) : undefined;
  const isOwn = own !== undefined && (general === undefined || own <= general);
  const timeout = isOwn ? own : general;
  if (timeout === undefined) return undefined;
  return {
    at: new Date(awaitedSince(input, task).getTime() + timeout),
    timeout,
    annotation: isOwn ? HOOK_DEADLINE_ANNOTATION : WAIT_TIMEOUT_ANNOTATION,
  };
}

/** What `argosy.dev/hook-deadline` says, in milliseconds. */
function hookDeadlineOf(hook: KubeObject | undefined): number | undefined {
  return timeoutOf(annotationOf(hook, HOOK_DEADLINE_ANNOTATION));
}

/** Hooks are awaited from their creation, others from the wave that was applied last. */
export function awaitedSince({ state }: SyncInput, task: Task): Date {
  const created = task.isHook ? Date.parse(task.live?.metadata.creationTimestamp ?? '') : NaN;
  return Number.isNaN(created) ? (state.waveAppliedAt ?? state.startedAt) : new Date(created);
}

/**
 * Whether a sync tells in whole sentences what it waits for and why it failed. Argo CD knows no gates, so they have no
 * words of its own.
 */
export function reportsReasons({ improvements }: SyncInput, tasks: readonly Task[]): boolean {
  return improvements.sayWhy || tasks.some((task) => blockWaveOf(task) !== undefined);
}

/** What `argosy.dev/wait-timeout` says, in milliseconds: a duration such as `5m`, or seconds. */
export function waitTimeoutOf(object: KubeObject | undefined): number | undefined {
  return timeoutOf(annotationOf(object, WAIT_TIMEOUT_ANNOTATION));
}

/** What `argosy.dev/wait-timeout.<wave>` of an Application says, by wave. */
export function waveTimeoutsOf(application: KubeObject): ReadonlyMap<number, number> {
  return new Map(
    waveAnnotations(application, WAIT_TIMEOUT_ANNOTATION).flatMap(({ name, wave }) => {
      const timeout = timeoutOf(annotationOf(application, name));
      return wave === undefined || timeout === undefined ? [] : [[wave, timeout] as const];
    }),
  );
}

/** Annotations of a name with a wave at its end; the wave is undefined where it is no number. */
function waveAnnotations(
  { metadata }: KubeObject,
  prefix: string,
): { readonly name: string; readonly wave: number | undefined }[] {
  return Object.keys(metadata.annotations ?? {})
    .filter((name) => name.startsWith(`${prefix}.`))
    .map((name) => ({ name, wave: wholeNumber(name.slice(prefix.length + 1)) }));
}

function timeoutOf(said: string | undefined): number | undefined {
  if (said === undefined) return undefined;
  const seconds = wholeNumber(said);
  const timeout = seconds === undefined ? duration(said) : seconds * 1000;
  return timeout !== undefined && timeout > 0 ? timeout : undefined;
}

function duration(text: string): number | undefined {
  try {
    return Number(parseDuration(text) / 1_000_000n);
  } catch {
    // Not a duration: `findAnnotationProblems` says so to the user, the sync goes on without a deadline.
    return undefined;
  }
}

/** Annotations of a sync that say nothing, in sentences: shown as a condition, because they count as absent. */
export function findAnnotationErrors(object: KubeObject): string[] {
  const of = `${kindName(object).replace(/^\//, '')} ${object.metadata.name ?? ''}`;
  const wrong = (name: string, must: string): string =>
    `${of}: annotation ${name} is ${JSON.stringify(annotationOf(object, name))}, it ${must}`;
  const has = (name: string): boolean => annotationOf(object, name) !== undefined;
  const block = wholeNumber(annotationOf(object, BLOCK_WAVE_ANNOTATION));
  const waves = ['argocd.argoproj.io/sync-wave', 'helm.sh/hook-weight'].filter(
    (name) => has(name) && wholeNumber(annotationOf(object, name)) === undefined,
  );
  return [
    ...waves.map((name) => wrong(name, 'must be a whole number; it counts as absent')),
    ...(has(BLOCK_WAVE_ANNOTATION) && (block === undefined || block <= waveOf(object))
      ? [
          wrong(
            BLOCK_WAVE_ANNOTATION,
            `must be a whole number greater than the wave of the object (${waveOf(object)}); it counts as absent`,
          ),
        ]
      : []),
    ...(has(GATE_ANNOTATION) && !['true', 'false'].includes(annotationOf(object, GATE_ANNOTATION) ?? '')
      ? [wrong(GATE_ANNOTATION, 'must be "true" or "false"; it counts as absent')]
      : []),
    ...(has(WAIT_TIMEOUT_ANNOTATION) && waitTimeoutOf(object) === undefined
      ? [wrong(WAIT_TIMEOUT_ANNOTATION, 'must be a duration such as 5m, or seconds; it counts as absent')]
      : []),
    ...(has(HOOK_DEADLINE_ANNOTATION) && hookDeadlineOf(object) === undefined
      ? [wrong(HOOK_DEADLINE_ANNOTATION, 'must be a duration such as 5m, or seconds; it counts as absent')]
      : []),
    ...(has(HOOK_DEADLINE_ANNOTATION) && !isHook(object)
      ? [`${of}: annotation ${HOOK_DEADLINE_ANNOTATION} acts on hooks only; ${WAIT_TIMEOUT_ANNOTATION} acts on others`]
      : []),
    ...findImageAnnotationErrors(object),
  ];
}

/** Of an Application that names images or deadlines for a wave, or accepts a deviation. */
export function findApplicationAnnotationErrors(application: KubeObject): string[] {
  const of = `${kindName(application).replace(/^\//, '')} ${application.metadata.name ?? ''}`;
  const timeouts = waveAnnotations(application, WAIT_TIMEOUT_ANNOTATION);
  const said = annotationOf(application, WAIT_TIMEOUT_ANNOTATION);
  const unreadable = [
    ...timeouts.filter(({ wave }) => wave !== undefined).map(({ name }) => name),
    ...(said === undefined ? [] : [WAIT_TIMEOUT_ANNOTATION]),
  ].filter((name) => timeoutOf(annotationOf(application, name)) === undefined);
  return [
    ...timeouts
      .filter(({ wave }) => wave === undefined)
      .map(({ name }) => `${of}: annotation ${name} must end in a wave, a whole number; it counts as absent`),
    ...unreadable.map(
      (name) =>
        `${of}: annotation ${name} is ${JSON.stringify(annotationOf(application, name))}, it must be a ` +
        'duration such as 5m, or seconds; it counts as absent',
    ),
    ...findImageAnnotationErrors(application),
    ...readAcceptance(application).problems,
  ];
}

/** Of an object, and of an Application that names images for a wave. */
function findImageAnnotationErrors(object: KubeObject): string[] {
  const of = `${kindName(object).replace(/^\//, '')} ${object.metadata.name ?? ''}`;
  const names = Object.keys(object.metadata.annotations ?? {}).filter(
    (name) => name === WAIT_FOR_IMAGE || name.startsWith(`${WAIT_FOR_IMAGE}.`),
  );
  return names.flatMap((name) => {
    if (name !== WAIT_FOR_IMAGE && wholeNumber(name.slice(WAIT_FOR_IMAGE.length + 1)) === undefined)
      return [`${of}: annotation ${name} must end in a wave, a whole number; it counts as absent`];
    return unreadableImages(wordsOf(object, name)).map(
      (word) =>
        `${of}: annotation ${name} has ${JSON.stringify(word)}, it must be ` +
        'imagestreamtag/NAME:TAG[@NAMESPACE] or REGISTRY/REPOSITORY:TAG; the entry counts as absent',
    );
  });
}

/** The images that `argosy.dev/wait-for-image.<wave>` of an Application names, by wave. */
export function waveImagesOf(
  application: KubeObject,
  namespace: string,
): { readonly wave: number; readonly images: readonly ImageName[] }[] {
  return waveAnnotations(application, WAIT_FOR_IMAGE).flatMap(({ name, wave }) => {
    return wave === undefined
      ? []
      : [{ wave, images: wordsOf(application, name).flatMap((word) => readImageName(word, namespace) ?? []) }];
  });
}
