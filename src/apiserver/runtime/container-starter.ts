import { formatDuration } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { maybe, text } from '../resources/index.js';
import { configurationError } from './container-configuration.js';
import {
  INITIAL_BACK_OFF,
  MAX_BACK_OFF,
  START_ERROR,
  START_ERROR_CODE,
  containerId,
  type Container,
} from './container-state.js';
import { imageText, parseImage } from './images/image-reference.js';
import type { KubeletParts, PodEvent } from './kubelet-parts.js';
import { missingEnvironment } from './missing-references.js';
import { missingPullSecrets } from './images/pull-secrets.js';
import type { ContainerExit, ContainerStart } from './runtime.js';

/** Milliseconds for which ErrImagePull is reported before ImagePullBackOff. */
const PULL_BACKOFF_DELAY = 3000;
/** Milliseconds before a container whose program could not be started is tried once more. */
export const START_RETRY = 1000;
/** Milliseconds before a container that lacks a Secret or ConfigMap is tried again; its arrival comes sooner. */
const CONFIG_RETRY = 10_000;

/** One pod's view of what starting a container needs and says. */
export interface StartContext {
  readonly pod: KubeObject;
  readonly node: string;
  readonly now: number;
  readonly podIp: string;
  readonly hostIp: string;
  recordEvent(event: PodEvent): void;
  /** Look again after so many milliseconds. */
  requeueAfter(milliseconds: number): void;
  /** Objects whose arrival triggers another sync of the pod. */
  needs(key: string): void;
  exited(container: Container): void;
  /** The result of its probes changed. */
  changed(): void;
}

/** Brings a container that should run one step further: image, configuration, start. */
export function startContainer(parts: KubeletParts, scene: StartContext, container: Container): void {
  if (container.phase.kind === 'terminated') {
    container.last = container.phase;
    container.phase = { kind: 'waiting', reason: 'ContainerCreating' };
  }
  if (!ensureImage(parts, scene, container)) return;
  const missing = missingEnvironment(parts.client, scene.pod, container.spec);
  if (missing) {
    scene.needs(missing.needs);
    scene.requeueAfter(CONFIG_RETRY);
    wait(scene, container, 'CreateContainerConfigError', missing.message);
    return;
  }
  const wrong = parts.runtime.isReal?.(scene.pod, container.spec)
    ? undefined
    : configurationError(parts.client, scene.pod, container.spec);
  if (wrong !== undefined) {
    scene.requeueAfter(CONFIG_RETRY);
    wait(scene, container, 'CreateContainerConfigError', wrong);
    return;
  }
  const obstacle = parts.runtime.createError?.(scene.pod, container.spec);
  if (obstacle !== undefined) {
    scene.requeueAfter(CONFIG_RETRY);
    wait(scene, container, 'CreateContainerError', obstacle);
    return;
  }
  run(parts, scene, container);
}

/** Sets why the container waits; an Event reports it once. */
function wait(scene: StartContext, container: Container, reason: string, message: string, event = message): void {
  container.phase = { kind: 'waiting', reason, message };
  recordOnce(scene, container, {
    type: 'Warning',
    reason: 'Failed',
    message: `Error: ${event}`,
    fieldPath: container.fieldPath,
  });
}

function recordOnce(scene: StartContext, container: Container, event: PodEvent): void {
  const key = `${event.reason}\n${event.message}`;
  if (container.recordedEvents.has(key)) return;
  container.recordedEvents.add(key);
  scene.recordEvent(event);
}

function run(parts: KubeletParts, scene: StartContext, container: Container): void {
  const { pod, now } = scene;
  const { name, fieldPath } = container;
  const attempt = container.last === undefined ? container.restarts : container.restarts + 1;
  const id = containerId(pod, name, attempt);
  container.restarts = attempt;
  container.recordedEvents.clear();
  container.stopping = false;
  const refused = parts.runtime.startError?.(startOf(scene, container, new Date(now), false));
  if (refused !== undefined) return failStart(scene, container, id, refused);
  const hasStartupProbe = maybe(container.spec, 'startupProbe') !== undefined;
  container.phase = { kind: 'running', id, startedAt: new Date(now), started: !hasStartupProbe, ready: false };
  scene.recordEvent({ type: 'Normal', reason: 'Created', message: `Created container: ${name}`, fieldPath });
  scene.recordEvent({ type: 'Normal', reason: 'Started', message: `Started container ${name}`, fieldPath });
  attach(parts, scene, container, false);
}

/** Its program could not be started: it was created and never ran. */
function failStart(scene: StartContext, container: Container, id: string, message: string): void {
  const { name, fieldPath } = container;
  scene.recordEvent({ type: 'Normal', reason: 'Created', message: `Created container: ${name}`, fieldPath });
  container.last = {
    kind: 'terminated',
    id,
    // Of the beginning that it never had.
    startedAt: new Date(0),
    finishedAt: new Date(scene.now),
    exitCode: START_ERROR_CODE,
    reason: START_ERROR,
    message,
  };
  wait(scene, container, 'RunContainerError', message);
  scene.requeueAfter(START_RETRY);
}

function startOf(scene: StartContext, container: Container, startedAt: Date, resumed: boolean): ContainerStart {
  const { spec, role, restarts } = container;
  const { pod, podIp, hostIp } = scene;
  return { pod, spec, role, attempt: restarts, startedAt, resumed, podIp, hostIp };
}

/** Connects a running container with the runtime: at its start, and again after the server was started anew. */
export function attach(parts: KubeletParts, scene: StartContext, container: Container, resumed: boolean): void {
  const { phase, name, spec } = container;
  if (phase.kind !== 'running') return;
  const { id, startedAt } = phase;
  const uid = scene.pod.metadata.uid ?? '';
  parts.logs.open(uid, name, id, parts.runtime.isReal?.(scene.pod, spec) === true);
  const exited = ({ exitCode, reason, message }: ContainerExit): void => {
    parts.logs.end(uid, name, id);
    parts.running.end(id);
    container.handle = undefined;
    container.phase = {
      kind: 'terminated',
      id,
      startedAt,
      finishedAt: parts.clock.now(),
      exitCode,
      reason,
      ...(message === undefined ? {} : { message }),
    };
    scene.exited(container);
  };
  try {
    container.handle = parts.runtime.start(startOf(scene, container, startedAt, resumed), {
      changed: () => scene.changed(),
      log: (line) => parts.logs.write(uid, name, id, { time: parts.clock.now(), text: line }),
      exited,
    });
  } catch (error) {
    // Whatever keeps it from starting, it does not run.
    exited({
      exitCode: START_ERROR_CODE,
      reason: START_ERROR,
      message: error instanceof Error ? error.message : String(error),
    });
    return;
  }
  parts.running.open(id, container.handle);
}

/** True when the image is on the node. */
function ensureImage(parts: KubeletParts, scene: StartContext, container: Container): boolean {
  const image = text(container.spec, 'image');
  const policy = text(container.spec, 'imagePullPolicy');
  const reference = parseImage(image);
  const { fieldPath } = container;
  if (!reference) {
    const why =
      `Failed to apply default image tag ${JSON.stringify(image)}: couldn't parse image name ` +
      `${JSON.stringify(image)}: ${invalidImageMessage(image)}`;
    recordOnce(scene, container, { type: 'Warning', reason: 'InspectFailed', message: why, fieldPath });
    wait(scene, container, 'InvalidImageName', why, 'InvalidImageName');
    return false;
  }
  const present = parts.images.get(scene.node)?.has(imageText(reference)) === true;
  if (policy === 'Never' && !present) {
    const why = `Container image ${JSON.stringify(image)} is not present with pull policy of Never`;
    recordOnce(scene, container, { type: 'Warning', reason: 'ErrImageNeverPull', message: why, fieldPath });
    wait(scene, container, 'ErrImageNeverPull', why, 'ErrImageNeverPull');
    return false;
  }
  if (policy !== 'Always' && present && container.pull === undefined) {
    recordOnce(scene, container, {
      type: 'Normal',
      reason: 'Pulled',
      message: `Container image ${JSON.stringify(image)} already present on machine`,
      fieldPath,
    });
    setImage(container, imageText(reference), parts.runtime.pull(image, scene.pod));
    return true;
  }
  return pullImage(parts, scene, container, image, imageText(reference));
}

function invalidImageMessage(image: string): string {
  const lower = image.toLowerCase();
  const reference = parseImage(lower);
  if (!reference || lower === image) return 'invalid reference format';
  const at = lower.indexOf(reference.repository.replace(/^library\//, ''));
  const written = image.slice(at, at + reference.repository.replace(/^library\//, '').length);
  // What looks like a host is none for it.
  const library = reference.repository.startsWith('library/') ? 'library/' : '';
  const first = image.slice(0, image.indexOf('/') + 1);
  const repository = first === first.toLowerCase() ? written : written.slice(written.indexOf('/') + 1);
  return `invalid reference format: repository name (${library}${repository}) must be lowercase`;
}

function setImage(container: Container, full: string, answer: ReturnType<KubeletParts['runtime']['pull']>): void {
  container.image = full;
  if (answer.ok) container.imageId = `${full.replace(/(?::[^:/@]+)?(?:@.*)?$/, '')}@${answer.digest}`;
}

/** The pull is tried all the same: the image may be anybody's. */
function recordMissingSecrets({ client }: KubeletParts, scene: StartContext): void {
  const missing = missingPullSecrets(client, scene.pod);
  if (missing.length === 0) return;
  const message =
    `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not ` +
    'succeed.';
  scene.recordEvent({ type: 'Warning', reason: 'FailedToRetrieveImagePullSecret', message });
}

function pullImage(
  parts: KubeletParts,
  scene: StartContext,
  container: Container,
  image: string,
  full: string,
): boolean {
  const { now } = scene;
  const { pull, fieldPath } = container;
  if (pull?.answer === 'failed' && now < pull.until) {
    backOffPull(scene, container, image, pull);
    return false;
  }
  const answer = parts.runtime.pull(image, scene.pod);
  if (pull?.answer !== 'pulling') {
    container.pull = {
      until: now + answer.milliseconds,
      answer: 'pulling',
      ...(pull === undefined ? {} : { previous: pull.milliseconds }),
    };
    recordMissingSecrets(parts, scene);
    scene.recordEvent({
      type: 'Normal',
      reason: 'Pulling',
      message: `Pulling image ${JSON.stringify(image)}`,
      fieldPath,
    });
  }
  const under = container.pull;
  if (under !== undefined && now < under.until) {
    scene.requeueAfter(under.until - now);
    return false;
  }
  if (!answer.ok) {
    failPull(scene, container, image, answer.message);
    return false;
  }
  container.pull = undefined;
  const took = formatDuration(BigInt(answer.milliseconds) * 1_000_000n);
  scene.recordEvent({
    type: 'Normal',
    reason: 'Pulled',
    fieldPath,
    message:
      `Successfully pulled image ${JSON.stringify(image)} in ${took} (${took} including waiting). Image size: ` +
      `${answer.bytes} bytes.`,
  });
  parts.images.set(scene.node, (parts.images.get(scene.node) ?? new Set<string>()).add(full));
  setImage(container, full, answer);
  return true;
}

function failPull(scene: StartContext, container: Container, image: string, message: string): void {
  const { now } = scene;
  const { fieldPath } = container;
  const before = container.pull?.answer === 'pulling' ? (container.pull.previous ?? 0) : 0;
  const milliseconds = before === 0 ? INITIAL_BACK_OFF : Math.min(MAX_BACK_OFF, before * 2);
  container.pull = {
    until: now + milliseconds,
    answer: 'failed',
    message,
    milliseconds,
    visibleUntil: now + PULL_BACKOFF_DELAY,
  };
  container.recordedEvents.clear();
  scene.recordEvent({
    type: 'Warning',
    reason: 'Failed',
    message: `Failed to pull image ${JSON.stringify(image)}: ${message}`,
    fieldPath,
  });
  wait(scene, container, 'ErrImagePull', message, 'ErrImagePull');
  scene.requeueAfter(PULL_BACKOFF_DELAY);
}

function backOffPull(
  scene: StartContext,
  container: Container,
  image: string,
  pull: Extract<Container['pull'], { answer: 'failed' }>,
): void {
  const { now } = scene;
  if (now < pull.visibleUntil) return scene.requeueAfter(pull.visibleUntil - now);
  const back = `Back-off pulling image ${JSON.stringify(image)}`;
  recordOnce(scene, container, { type: 'Normal', reason: 'BackOff', message: back, fieldPath: container.fieldPath });
  wait(scene, container, 'ImagePullBackOff', `${back}: ErrImagePull: ${pull.message}`, 'ImagePullBackOff');
  scene.requeueAfter(pull.until - now);
}
