import { formatDuration, formatTime, instantOf } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { waitTimeoutOf, WAIT_TIMEOUT_ANNOTATION } from './gate.js';
import {
  builtImage,
  imageKey,
  imageText,
  podImages,
  readImageName,
  WAIT_FOR_IMAGE,
  type ImageName,
  type ImageState,
} from './image.js';
import type { SyncPlan, SyncInput, Wait } from './sync-plan.js';
import { annotationOf, wordsOf } from './options.js';
import { comparePlaces } from './order-tasks.js';
import { newSyncContext, pendingTasks, planWait, type SyncContext } from './sync-context.js';
import { isSameWave, objectOf, type Task } from './task.js';

/** Something that may not start before an image is there. */
interface ImageGate {
  readonly image: ImageName;
  /** Whose image it is; undefined where the Application names it. */
  readonly task?: Task;
  /** The whole step waits, not only the task. */
  readonly isWhole: boolean;
  readonly timeout?: number;
}

/** An hour, as long as the wait Jobs that people write by hand. */
const DEFAULT_TIMEOUT = 3_600_000;

/** Images that an object names in its annotation; entries that are none are told by `findAnnotationProblems`. */
export function imagesNamed(object: KubeObject, namespace: string): ImageName[] {
  return wordsOf(object, WAIT_FOR_IMAGE).flatMap(
    (word) => readImageName(word, object.metadata.namespace ?? namespace) ?? [],
  );
}

/** The images that the gates of everything that is still to be done name: what the next move needs to know. */
export function awaitedImages(input: SyncInput): ImageName[] {
  if (input.request.dryRun || input.state.isTerminating || !mayAwait(input)) return [];
  const sync = newSyncContext(input);
  const pending = pendingTasks(sync);
  const steps = pending.filter((task, index) => index === 0 || !isSameWave(task, pending[index - 1] ?? task));
  const images = steps
    .flatMap((first) =>
      gatesOf(
        sync,
        pending.filter((task) => isSameWave(task, first)),
      ),
    )
    .map(({ image }) => image);
  return [...new Map(images.map((image) => [imageText(image), image])).values()];
}

/** Most applications name no image and build none. */
function mayAwait({ resources, waveImages = [] }: SyncInput): boolean {
  return (
    waveImages.length > 0 ||
    resources.some(
      ({ target }) =>
        target !== undefined && (target.kind === 'BuildConfig' || annotationOf(target, WAIT_FOR_IMAGE) !== undefined),
    )
  );
}

/** Who makes an image within the application, as far as it stands in git. */
function producerOf({ tasks, input }: SyncContext, image: ImageName): Task | undefined {
  const wanted = imageText(image);
  return tasks.find(({ target }) => {
    const built = target && builtImage(target, input.destinationNamespace);
    return built !== undefined && imageText(built) === wanted;
  });
}

function gatesOf(sync: SyncContext, step: readonly Task[]): ImageGate[] {
  const [first] = step;
  if (first === undefined || first.phase === 'SyncFail') return [];
  return [...ofApplication(sync, first, step), ...step.flatMap((task) => ofTask(sync, task, step))];
}

/**
 * `argosy.dev/wait-for-image.<wave>` of the Application holds that wave of the Sync phase and whatever comes after it.
 */
function ofApplication(sync: SyncContext, first: Task, step: readonly Task[]): ImageGate[] {
  const { waveImages = [] } = sync.input;
  if (first.phase === 'PreSync') return [];
  return waveImages
    .filter(({ wave }) => first.phase !== 'Sync' || wave <= first.wave)
    .flatMap(({ images }) => images)
    .flatMap((image): ImageGate[] => {
      const producer = producerOf(sync, image);
      // Its maker is in this very step: only what comes after can wait.
      return producer !== undefined && step.includes(producer)
        ? []
        : [{ image, isWhole: true, ...appTimeout(sync.input) }];
    });
}

function appTimeout({ imageTimeout }: SyncInput): { timeout?: number } {
  return imageTimeout === undefined ? {} : { timeout: imageTimeout };
}

function ofTask(sync: SyncContext, task: Task, step: readonly Task[]): ImageGate[] {
  const { target } = task;
  if (target === undefined) return [];
  const timeout = { ...appTimeout(sync.input), ...optional(waitTimeoutOf(target)) };
  const named = imagesNamed(target, sync.input.destinationNamespace).map((image): ImageGate => {
    const producer = producerOf(sync, image);
    return { image, task, isWhole: producer === undefined || !step.includes(producer), ...timeout };
  });
  if (!sync.input.improvements.awaitImages) return named;
  const known = new Set(named.map(({ image }) => imageText(image)));
  // Only what is built before or beside it: waiting for a later step would never end.
  const built = podImages(target).filter((image) => {
    const producer = known.has(imageText(image)) ? undefined : producerOf(sync, image);
    return producer !== undefined && comparePlaces(producer, task) <= 0;
  });
  return [...named, ...built.map((image): ImageGate => ({ image, task, isWhole: false, ...timeout }))];
}

function optional(timeout: number | undefined): { timeout?: number } {
  return timeout === undefined ? {} : { timeout };
}

/** What may be run of a step now; or what to do instead. `failed` is written down, and the operation ends by it. */
export type ImageGateResult =
  | { readonly tasks: readonly Task[] }
  | { readonly move: SyncPlan }
  | { readonly failed: true };

export function holdForImages(sync: SyncContext, step: readonly Task[]): ImageGateResult {
  const gates = gatesOf(sync, step)
    .map((gate) => ({ gate, verdict: stateOf(sync, gate, step) }))
    .filter(({ verdict }) => verdict.state !== 'there');
  if (gates.length === 0) return { tasks: step };
  const since = sinceOf(sync, step);
  const broken = gates.flatMap(({ gate, verdict }) => {
    const problem = failureOf(sync, gate, verdict, since);
    return problem === undefined ? [] : [{ gate, problem }];
  });
  for (const { gate, problem } of broken) {
    const task = gate.task ?? step[0];
    if (task !== undefined)
      sync.results.set(task, objectOf(task), {
        status: 'SyncFailed',
        hookPhase: 'Failed',
        message: `${task.key.kind}/${task.key.name} was not applied: ${problem}`,
      });
  }
  if (broken.length > 0) return { failed: true };
  const free = gates.some(({ gate }) => gate.isWhole)
    ? []
    : step.filter((task) => !gates.some(({ gate }) => gate.task === task));
  return free.length > 0 ? { tasks: free } : { move: waitForImages(sync, step, gates, since) };
}

function stateOf(sync: SyncContext, { image }: ImageGate, step: readonly Task[]): ImageState {
  const known = sync.input.imageState?.(image) ?? { state: 'awaited', message: '', requeueAt: sync.input.now };
  if (known.state !== 'awaited') return known;
  const producer = producerOf(sync, image);
  const [first] = step;
  if (
    producer === undefined ||
    producer.live !== undefined ||
    first === undefined ||
    comparePlaces(producer, first) <= 0
  )
    return known;
  return {
    state: 'failed',
    message:
      `${producer.key.kind}/${producer.key.name}, which builds it, comes later (${producer.phase}, wave ` +
      `${producer.wave}). Put it in an earlier wave`,
  };
}

function failureOf(
  { input }: SyncContext,
  { image, timeout = DEFAULT_TIMEOUT }: ImageGate,
  verdict: ImageState,
  since: Date,
): string | undefined {
  if (verdict.state === 'failed') return `image ${imageText(image)} does not come: ${verdict.message}`;
  if (verdict.state === 'there' || input.now.getTime() < since.getTime() + timeout) return undefined;
  return (
    `image ${imageText(image)} was not there within ${formatDuration(BigInt(timeout) * 1_000_000n)} ` +
    `(${WAIT_TIMEOUT_ANNOTATION}, argosy.image-timeout)${verdict.message === '' ? '' : `: ${verdict.message}`}`
  );
}

/** The place of a step, under which the beginning of its waiting is kept. */
function placeOf(step: readonly Task[]): string {
  return `${step[0]?.phase ?? ''}/${step[0]?.wave ?? 0}`;
}

function sinceOf({ input }: SyncContext, step: readonly Task[]): Date {
  const { imageGate } = input.state;
  return imageGate?.place === placeOf(step) ? imageGate.since : input.now;
}

function waitForImages(
  sync: SyncContext,
  step: readonly Task[],
  gates: readonly { readonly gate: ImageGate; readonly verdict: ImageState }[],
  since: Date,
): SyncPlan {
  const waits = gates.map(
    ({ gate, verdict }): Wait => ({
      why: 'image',
      key: imageKey(gate.image),
      message: 'message' in verdict ? verdict.message : '',
    }),
  );
  const different = [
    ...new Map(waits.map((wait) => [`${wait.key.kind}/${wait.key.namespace}/${wait.key.name}`, wait])).values(),
  ];
  const first = gates[0];
  const [task] = step;
  const place = task === undefined || task.phase === 'Sync' ? `wave ${task?.wave ?? 0}` : `the phase ${task.phase}`;
  const more =
    different.length > 1 ? ` and ${different.length - 1} more ${different.length === 2 ? 'image' : 'images'}` : '';
  const why = different[0]?.message ?? '';
  const message =
    `waiting for image ${first ? imageText(first.gate.image) : ''}${more} since ` +
    `${formatTime(instantOf(since.getTime()))} (${place} waits for it)${why === '' ? '' : `: ${why}`}`;
  const times = gates.flatMap(({ gate, verdict }) => [
    new Date(since.getTime() + (gate.timeout ?? DEFAULT_TIMEOUT)),
    ...('requeueAt' in verdict ? [verdict.requeueAt] : []),
  ]);
  const next = times.reduce((earliest, at) => (at < earliest ? at : earliest));
  return { ...planWait(sync, message, different, next), imageGate: { place: placeOf(step), since } };
}

/** What a step waits for by images, for people. */
export function imagesBefore(sync: SyncContext, step: readonly Task[]): ImageName[] {
  const images = gatesOf(sync, step)
    .map(({ image }) => image)
    .filter((image) => sync.input.imageState?.(image)?.state !== 'there');
  return [...new Map(images.map((image) => [imageText(image), image])).values()];
}
