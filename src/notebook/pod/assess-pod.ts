import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type Failure, type FailureReason, failure } from '../job/index.js';

export type PodState =
  /** Not started yet; the text says what it waits for. */
  | { readonly kind: 'waiting'; readonly why: string }
  | { readonly kind: 'running' }
  /** Something is missing that the kubelet retries; it may still appear. */
  | { readonly kind: 'stuck'; readonly failure: Failure }
  /** The notebook ran to its end; the report has the result. */
  | { readonly kind: 'ended'; readonly exitCode: number; readonly message: string }
  | { readonly kind: 'failed'; readonly failure: Failure };

const STUCK_REASONS: readonly FailureReason[] = [
  'ImagePullBackOff',
  'ErrImagePull',
  'CreateContainerError',
  'CreateContainerConfigError',
];
const WAITING_FAILURES: readonly FailureReason[] = [
  ...STUCK_REASONS,
  'InvalidImageName',
  'CrashLoopBackOff',
  'RunContainerError',
];
/** How fetch.py ends. */
const FETCH_FAILURES: Readonly<Record<number, FailureReason>> = {
  3: 'ConfigurationError',
  10: 'GitAuthenticationFailed',
  11: 'GitRepositoryNotFound',
  12: 'GitRefNotFound',
  13: 'NotebookNotFound',
  14: 'GitNetworkError',
  15: 'GitMissing',
};
const SECURITY = /runasnonroot|\bscc\b|security ?context/i;
/** The image itself: it is the same at every attempt. */
const ROOT = /image will run as root|breaks non-root policy|non-numeric user/i;
const DENIED = /permission denied|permissionerror|cannot execute|access denied/i;
const NOT_FOUND = /command not found|executable file not found/i;
const LOST_REASONS = [
  'Evicted',
  'NodeLost',
  'Preempting',
  'Terminated',
  'NodeShutdown',
  'NodeAffinity',
  'Shutdown',
  'UnexpectedAdmissionError',
  'OutOfcpu',
  'OutOfmemory',
  'OutOfpods',
];

/** What the state of a pod means for the attempt that it is. */
export function assessPod(pod: KubeObject): PodState {
  const status = objectAt(pod, 'status');
  const [inits, mains] = [objectsAt(status, 'initContainerStatuses'), objectsAt(status, 'containerStatuses')];
  const [phase, reason, message] = [textAt(status, 'phase'), textAt(status, 'reason'), textAt(status, 'message')];
  if (reason === 'DeadlineExceeded') return failed('Timeout', message || 'the pod exceeded activeDeadlineSeconds');
  const ours = phase === 'Failed' && LOST_REASONS.includes(reason) ? failed('Evicted', message || reason) : undefined;
  const found = ours ?? assessInitContainers(inits) ?? assessMainContainer(mains, phase);
  if (found !== undefined) return found;
  if (phase === 'Failed') return failed('Unknown', message || reason || 'the pod failed without a reason');
  if (phase === 'Succeeded') return { kind: 'ended', exitCode: 0, message: '' };
  return { kind: 'waiting', why: waitingFor(status, [...inits, ...mains]) };
}

function failed(reason: FailureReason, message: string, isEarly = false): PodState {
  return { kind: 'failed', failure: failure(reason, message, isEarly) };
}

function assessInitContainers(containers: readonly JsonObject[]): PodState | undefined {
  for (const container of containers) {
    const [name, waiting, terminated] = [
      textAt(container, 'name'),
      stateOf(container, 'waiting'),
      stateOf(container, 'terminated'),
    ];
    const stuck = waitingFailure(waiting, name, true);
    if (stuck !== undefined) return stuck;
    const exitCode = numberAt(terminated, 'exitCode') ?? 0;
    if (exitCode !== 0) return initFailure(name, exitCode, terminated);
  }
  return undefined;
}

function initFailure(name: string, exitCode: number, terminated: JsonObject | undefined): PodState {
  const message = textAt(terminated, 'message').trim();
  const text = `${name} ended with exit code ${exitCode}${message === '' ? '' : `: ${lastLines(message)}`}`;
  const fetch = name.includes('git') ? FETCH_FAILURES[exitCode] : undefined;
  if (fetch !== undefined) return failed(fetch, text, true);
  if (textAt(terminated, 'reason') === 'OOMKilled') return failed('OOMKilled', text, true);
  return failed(deniedReason(exitCode, message) ?? 'InitContainerError', text, true);
}

function assessMainContainer(containers: readonly JsonObject[], phase: string): PodState | undefined {
  const container = containers.find((each) => textAt(each, 'name') === 'validator');
  if (container === undefined) return undefined;
  const terminated = stateOf(container, 'terminated');
  const stuck = waitingFailure(stateOf(container, 'waiting'), 'validator', false);
  if (stuck !== undefined) return stuck;
  if (terminated !== undefined) return assessTermination(terminated);
  return stateOf(container, 'running') !== undefined && phase !== 'Failed' ? { kind: 'running' } : undefined;
}

/** Exit codes of the runner have their own meaning; all others come from the cluster. */
function assessTermination(terminated: JsonObject): PodState {
  const [exitCode, reason, message] = [
    numberAt(terminated, 'exitCode') ?? 0,
    textAt(terminated, 'reason'),
    textAt(terminated, 'message').trim(),
  ];
  const text = `validator ended with exit code ${exitCode}${message === '' ? '' : `: ${lastLines(message)}`}`;
  if (reason === 'OOMKilled') return failed('OOMKilled', text);
  if (exitCode === 126 || exitCode === 127) return failed(deniedReason(exitCode, message) ?? 'PermissionDenied', text);
  if (reason === 'StartError' || reason === 'ContainerCannotRun')
    return failed(deniedReason(exitCode, message) ?? 'RunContainerError', text);
  if (exitCode === 137 || exitCode === 143) return failed('Evicted', text);
  return { kind: 'ended', exitCode, message };
}

function waitingFailure(waiting: JsonObject | undefined, name: string, isEarly: boolean): PodState | undefined {
  const waitingReason = textAt(waiting, 'reason');
  const reason = WAITING_FAILURES.find((each) => each === waitingReason);
  if (reason === undefined) return undefined;
  const message = textAt(waiting, 'message');
  const isSecurity = SECURITY.test(message);
  const text = `${name}: ${message || waitingReason}`;
  if (ROOT.test(message)) return failed('RootImage', text, isEarly);
  const problem = failure(isSecurity ? 'SecurityContext' : reason, text, isEarly);
  return { kind: !isSecurity && STUCK_REASONS.includes(reason) ? 'stuck' : 'failed', failure: problem };
}

/** Permission and command errors, by exit code or message. */
export function deniedReason(exitCode: number, message: string): FailureReason | undefined {
  if (exitCode === 127 || NOT_FOUND.test(message)) return 'CommandNotFound';
  return exitCode === 126 || DENIED.test(message) ? 'PermissionDenied' : undefined;
}

function waitingFor(status: JsonObject | undefined, containers: readonly JsonObject[]): string {
  const scheduled = objectsAt(status, 'conditions').find((each) => textAt(each, 'type') === 'PodScheduled');
  if (textAt(scheduled, 'status') === 'False')
    return `the pod cannot be scheduled: ${textAt(scheduled, 'message') || textAt(scheduled, 'reason')}`;
  const running = containers.find((each) => stateOf(each, 'running') !== undefined);
  if (running !== undefined) return `${textAt(running, 'name')} runs`;
  const waiting = containers.find((each) => textAt(stateOf(each, 'waiting'), 'reason') !== '');
  if (waiting === undefined) return 'the pod is starting';
  const state = stateOf(waiting, 'waiting');
  return `${textAt(waiting, 'name')} waits: ${textAt(state, 'message') || textAt(state, 'reason')}`;
}

function stateOf(container: JsonObject, state: string): JsonObject | undefined {
  return objectAt(objectAt(container, 'state'), state);
}

/** Whether the log of the notebook can be read: its container has begun. */
export function hasStarted(pod: KubeObject): boolean {
  const container = objectsAt(objectAt(pod, 'status'), 'containerStatuses').find(
    (each) => textAt(each, 'name') === 'validator',
  );
  return (
    container !== undefined &&
    (stateOf(container, 'running') !== undefined || stateOf(container, 'terminated') !== undefined)
  );
}

/** What the cluster kept of the end of a log, in the status of the pod. */
export function terminationLines(pod: KubeObject): string[] {
  const container = objectsAt(objectAt(pod, 'status'), 'containerStatuses').find(
    (each) => textAt(each, 'name') === 'validator',
  );
  return container === undefined ? [] : textAt(stateOf(container, 'terminated'), 'message').split('\n');
}

export function isPodOver(pod: KubeObject): boolean {
  const phase = textAt(objectAt(pod, 'status'), 'phase');
  return phase === 'Succeeded' || phase === 'Failed';
}

/** The last lines of a log, without those of the runner protocol. */
function lastLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('@argosy '))
    .slice(-5)
    .join('\n')
    .slice(-500)
    .trim();
}
