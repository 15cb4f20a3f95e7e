import { equal } from '../../model/json/index.js';
import { formatDuration } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ensure, items, maybe, number, text } from '../resources/index.js';
import { timestamp } from '../rest/index.js';
import {
  INITIAL_BACK_OFF,
  MAX_BACK_OFF,
  readContainers,
  type Container,
  type TerminatedState,
} from './container-state.js';
import { attach, START_RETRY, startContainer, type StartContext } from './container-starter.js';
import type { KubeletParts, PodEvent } from './kubelet-parts.js';
import { missingVolumes, type Missing } from './missing-references.js';
import { isRestarted } from './pod-phase.js';
import { podStatus, type PodRuntimeState } from './pod-status.js';
import { sandboxError } from './sandbox-error.js';
import { unmountableVolumes } from './unmountable-volumes.js';
import { probeFailure, probeTimes } from './probe-times.js';
import type { ContainerHealth } from './runtime.js';
import { PODS } from '../../model/resources/index.js';

/** Mounting is tried again after this long, twice as long each time. */
const INITIAL_MOUNT_RETRY = 500;
const MAX_MOUNT_RETRY = 122_000;

/** Brings one pod on one node to life and to its end. All of its memory can be rebuilt from the pod's status. */
export class PodWorker {
  readonly #containers: Container[];
  readonly #needs = new Set<string>();
  #events: PodEvent[] = [];
  #requeueAfter: number | undefined;
  #sandbox: 'none' | { readonly readyAt: number } | 'ready';
  #mount: { milliseconds: number; until: number } | undefined;
  #podIp: string;
  #startTime: string;
  #over = false;
  #failure: PodRuntimeState['failure'];
  #checkedSimulation = false;

  constructor(
    readonly parts: KubeletParts,
    public pod: KubeObject,
    readonly requeue: () => void,
  ) {
    const status = maybe(pod, 'status');
    this.#containers = readContainers(pod);
    this.#podIp = text(status, 'podIP');
    this.#startTime = text(status, 'startTime');
    this.#sandbox = this.#containers.some(({ phase }) => phase.kind !== 'waiting') ? 'ready' : 'none';
    parts.addresses.keep(pod.metadata.uid ?? '', this.#podIp);
    for (const container of this.#containers) attach(parts, this.#startContext(), container, true);
  }

  /** Objects that the pod waits for. */
  get needs(): ReadonlySet<string> {
    return this.#needs;
  }

  /** Looks at the pod and does what is due; gives the milliseconds until something is due again. */
  async sync(pod: KubeObject): Promise<number | undefined> {
    this.pod = pod;
    this.#requeueAfter = undefined;
    this.#needs.clear();
    this.#renewSpecs();
    if (pod.metadata.deletionTimestamp !== undefined) return this.#terminate();
    if (hasEnded(pod)) {
      this.#release();
      return undefined;
    }
    if (this.#startTime === '') this.#startTime = timestamp(this.parts.clock.now());
    this.#checkDeadline();
    if (this.#failure) this.#stopAll('');
    else this.#progress();
    await this.#report();
    return this.#requeueAfter;
  }

  /** The pod is gone or no longer this node's: whatever runs is ended without a word. */
  close(): void {
    for (const container of this.#containers) container.handle?.stop(0);
    this.#release();
  }

  #release(): void {
    this.parts.addresses.release(this.pod.metadata.uid ?? '');
  }

  get #now(): number {
    return this.parts.clock.now().getTime();
  }

  get #nodeName(): string {
    return text(maybe(this.pod, 'spec'), 'nodeName');
  }

  get #policy(): string {
    return text(maybe(this.pod, 'spec'), 'restartPolicy');
  }

  #startContext(): StartContext {
    return {
      pod: this.pod,
      node: this.#nodeName,
      now: this.#now,
      podIp: this.#podIp,
      hostIp: hostAddress(this.parts.node(this.#nodeName)),
      recordEvent: (event) => this.#events.push(event),
      requeueAfter: (milliseconds) => this.#wakeAfter(milliseconds),
      needs: (key) => this.#needs.add(key),
      exited: () => this.requeue(),
      changed: () => this.requeue(),
    };
  }

  #wakeAfter(milliseconds: number): void {
    this.#requeueAfter = Math.min(this.#requeueAfter ?? Infinity, Math.max(0, milliseconds));
  }

  /** Images of a pod may change while it runs, and what it says of its simulation. */
  #renewSpecs(): void {
    const spec = maybe(this.pod, 'spec');
    const specs = new Map(
      [...items(spec, 'initContainers'), ...items(spec, 'containers')].map((each) => [text(each, 'name'), each]),
    );
    for (const container of this.#containers) {
      const next = specs.get(container.name) ?? container.spec;
      const changed = text(next, 'image') !== text(container.spec, 'image');
      container.spec = next;
      container.handle?.renew(this.pod);
      if (!changed) continue;
      container.pull = undefined;
      if (container.phase.kind === 'running')
        this.#stop(container, `Container ${container.name} definition changed, will be restarted`);
    }
  }

  #checkDeadline(): void {
    const seconds = number(maybe(this.pod, 'spec'), 'activeDeadlineSeconds');
    if (seconds === undefined || this.#failure) return;
    const left = Date.parse(this.#startTime) + seconds * 1000 - this.#now;
    if (left > 0) return this.#wakeAfter(left);
    this.#failure = {
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    };
    this.#events.push({ type: 'Normal', ...this.#failure });
  }

  #progress(): void {
    const complaint = this.#checkedSimulation ? undefined : this.parts.runtime.simulationError(this.pod);
    this.#checkedSimulation = true;
    if (complaint !== undefined)
      this.#events.push({ type: 'Warning', reason: 'InvalidSimulation', message: complaint });
    if (!this.#prepareSandbox()) return;
    if (this.#initialise()) for (const container of this.#of('app')) this.#ensure(container);
    for (const container of this.#containers) this.#probe(container);
    const apps = this.#of('app');
    this.#over =
      apps.every(
        ({ phase }, index) =>
          phase.kind === 'terminated' && !isRestarted(apps[index] as Container, phase, this.#policy),
      ) || this.#hasFailedInit();
    if (this.#over)
      for (const container of this.#of('sidecar')) this.#stop(container, `Stopping container ${container.name}`);
  }

  #of(role: Container['role']): Container[] {
    return this.#containers.filter((container) => container.role === role);
  }

  #hasFailedInit(): boolean {
    return this.#of('init').some(
      (container) =>
        container.phase.kind === 'terminated' &&
        container.phase.exitCode !== 0 &&
        !isRestarted(container, container.phase, this.#policy),
    );
  }

  /** True when volumes are mounted and the pod has its network. */
  #prepareSandbox(): boolean {
    if (this.#sandbox === 'ready') return true;
    const reason = this.#containers.some(({ role }) => role !== 'app') ? 'PodInitializing' : 'ContainerCreating';
    for (const container of this.#containers)
      if (container.phase.kind === 'waiting' && container.phase.reason === '')
        container.phase = { kind: 'waiting', reason };
    if (!this.#mountVolumes()) return false;
    if (this.#sandbox === 'none') this.#sandbox = { readyAt: this.#now + this.parts.runtime.sandboxDelay(this.pod) };
    const left = this.#sandbox.readyAt - this.#now;
    if (left > 0) {
      this.#wakeAfter(left);
      return false;
    }
    return this.#connect();
  }

  #mountVolumes(): boolean {
    const { client } = this.parts;
    const missing = [...missingVolumes(client, this.pod), ...this.#unmountable()];
    for (const { needs } of missing) this.#needs.add(needs);
    if (missing.length === 0) return true;
    const retry = this.#mount;
    if (retry && this.#now < retry.until) {
      this.#wakeAfter(retry.until - this.#now);
      return false;
    }
    for (const { message } of missing) this.#events.push({ type: 'Warning', reason: 'FailedMount', message });
    const milliseconds = retry ? Math.min(MAX_MOUNT_RETRY, retry.milliseconds * 2) : INITIAL_MOUNT_RETRY;
    this.#mount = { milliseconds, until: this.#now + milliseconds };
    this.#wakeAfter(milliseconds);
    return false;
  }

  /** What only a simulated node lacks: where containers are processes, the machine says it. */
  #unmountable(): readonly Missing[] {
    const { runtime, client } = this.parts;
    const specs = this.#containers.map(({ spec }) => spec);
    return specs.some((spec) => runtime.isReal?.(this.pod, spec)) ? [] : unmountableVolumes(client, this.pod);
  }

  #connect(): boolean {
    const node = this.parts.node(this.#nodeName);
    const refused = sandboxError(this.parts.client, this.pod, node);
    if (refused !== undefined) {
      const message = `Failed to create pod sandbox: rpc error: code = Unknown desc = ${refused}`;
      this.#events.push({ type: 'Warning', reason: 'FailedCreatePodSandBox', message });
      this.#wakeAfter(INITIAL_BACK_OFF);
      return false;
    }
    if (this.#podIp === '' && maybe(this.pod, 'spec')?.['hostNetwork'] === true) this.#podIp = hostAddress(node);
    if (this.#podIp === '' && node) this.#podIp = this.parts.addresses.take(this.pod.metadata.uid ?? '', node) ?? '';
    if (this.#podIp === '') {
      this.#events.push({
        type: 'Warning',
        reason: 'FailedCreatePodSandBox',
        message:
          'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for ' +
          'sandbox: no IP addresses available in the range of the node',
      });
      this.#wakeAfter(INITIAL_BACK_OFF);
      return false;
    }
    this.#sandbox = 'ready';
    return true;
  }

  /** Runs init containers in order and keeps sidecars up; true when the pod's own containers may run. */
  #initialise(): boolean {
    const started = this.#of('app').some(({ phase, last }) => phase.kind !== 'waiting' || last !== undefined);
    for (const container of this.#containers) {
      if (container.role === 'app' || (started && container.role === 'init')) continue;
      this.#ensure(container);
      this.#probe(container);
      if (started) continue;
      const { phase } = container;
      const done =
        container.role === 'init'
          ? phase.kind === 'terminated' && phase.exitCode === 0
          : phase.kind === 'running' && phase.started;
      if (!done) return false;
    }
    return true;
  }

  /** Starts the container where it should run and does not. */
  #ensure(container: Container): void {
    const { phase } = container;
    if (phase.kind === 'running' || this.#over) return;
    const end = phase.kind === 'terminated' ? phase : container.last;
    if (phase.kind === 'terminated' && !isRestarted(container, phase, this.#policy)) return;
    // A start that waits for its image or configuration is past its back-off.
    const isDue =
      phase.kind === 'terminated' || phase.reason === 'CrashLoopBackOff' || phase.reason === 'RunContainerError';
    const early = phase.kind === 'waiting' && phase.reason === 'RunContainerError' ? START_RETRY : 0;
    if (end && early > 0 && this.#now < end.finishedAt.getTime() + early) return this.#wakeAfter(early);
    if (end && isDue && this.#isBackingOff(container, end)) return;
    startContainer(this.parts, this.#startContext(), container);
  }

  /**
   * The first restart is free; then ten seconds, doubled each time up to five minutes, forgotten after ten good ones.
   */
  #isBackingOff(container: Container, end: TerminatedState): boolean {
    const now = this.#now;
    const finished = end.finishedAt.getTime();
    const current = container.backOff;
    const isFresh = current === undefined || finished - current.since > 2 * MAX_BACK_OFF;
    const left = isFresh ? 0 : finished + current.milliseconds - now;
    if (left > 0) {
      this.#recordBackOff(container, end, current?.milliseconds ?? 0);
      this.#wakeAfter(left);
      return true;
    }
    container.backOff = {
      milliseconds: isFresh ? INITIAL_BACK_OFF : Math.min(MAX_BACK_OFF, current.milliseconds * 2),
      since: now,
    };
    return false;
  }

  #recordBackOff(container: Container, end: TerminatedState, milliseconds: number): void {
    const { name, fieldPath } = container;
    const { metadata } = this.pod;
    const id = `${metadata.name ?? ''}_${metadata.namespace ?? ''}(${metadata.uid ?? ''})`;
    container.last = end;
    container.phase = {
      kind: 'waiting',
      reason: 'CrashLoopBackOff',
      message:
        `back-off ${formatDuration(BigInt(milliseconds) * 1_000_000n)} restarting failed container=${name} ` +
        `pod=${id}`,
    };
    if (container.recordedEvents.has('BackOff')) return;
    container.recordedEvents.add('BackOff');
    this.#events.push({
      type: 'Warning',
      reason: 'BackOff',
      message: `Back-off restarting failed container ${name} in pod ${id}`,
      fieldPath,
    });
  }

  /** Lets time pass for the probes of a running container. */
  #probe(container: Container): void {
    const { phase, handle, spec, name, fieldPath, recordedEvents } = container;
    if (phase.kind !== 'running' || !handle || container.stopping) return;
    const health = handle.health?.();
    if (health) return this.#believe(container, phase, health);
    const now = this.#now;
    const times = probeTimes(spec, handle, phase.startedAt.getTime());
    const reached = (at: number | undefined): boolean => {
      if (at !== undefined && at > now) this.#wakeAfter(at - now);
      return at !== undefined && at <= now;
    };
    const started = reached(times.startedAt);
    const ready = started && reached(times.readyAt);
    if (started !== phase.started || ready !== phase.ready) container.phase = { ...phase, started, ready };
    if (!ready && reached(times.unreadyAt) && !recordedEvents.has('Unhealthy')) {
      recordedEvents.add('Unhealthy');
      this.#events.push({
        type: 'Warning',
        reason: 'Unhealthy',
        message: probeFailure('Readiness', spec, this.#podIp),
        fieldPath,
      });
    }
    if (!reached(times.killedAt) || times.killedBy === undefined) return;
    const kind = times.killedBy === 'startup' ? 'Startup' : 'Liveness';
    this.#events.push({
      type: 'Warning',
      reason: 'Unhealthy',
      message: probeFailure(kind, spec, this.#podIp),
      fieldPath,
    });
    this.#stop(container, `Container ${name} failed ${times.killedBy} probe, will be restarted`, true);
  }

  /** Takes what the probes of a process found out. */
  #believe(
    container: Container,
    phase: Extract<Container['phase'], { kind: 'running' }>,
    { started, ready, failure }: ContainerHealth,
  ): void {
    const { name, fieldPath, recordedEvents } = container;
    if (started !== phase.started || ready !== phase.ready) container.phase = { ...phase, started, ready };
    if (!failure) return;
    const kind = failure.kind.charAt(0).toUpperCase() + failure.kind.slice(1);
    const message = `${kind} probe failed: ${failure.message}`;
    if (!recordedEvents.has(message)) {
      recordedEvents.add(message);
      this.#events.push({ type: 'Warning', reason: 'Unhealthy', message, fieldPath });
    }
    if (failure.kills) this.#stop(container, `Container ${name} failed ${failure.kind} probe, will be restarted`);
  }

  #stop(container: Container, message: string, isStuck = false): void {
    if (container.phase.kind !== 'running' || container.stopping) return;
    container.stopping = true;
    if (message !== '')
      this.#events.push({ type: 'Normal', reason: 'Killing', message, fieldPath: container.fieldPath });
    const seconds =
      this.pod.metadata.deletionGracePeriodSeconds ??
      number(maybe(this.pod, 'spec'), 'terminationGracePeriodSeconds') ??
      30;
    container.handle?.stop(seconds * 1000, isStuck);
  }

  /** The pod's own containers first, then its sidecars. True when none runs. */
  #stopAll(message: string): boolean {
    const say = (container: Container): string => (message === '' ? `Stopping container ${container.name}` : message);
    for (const container of this.#containers) if (container.role !== 'sidecar') this.#stop(container, say(container));
    const left = this.#containers.filter(({ role, phase }) => role !== 'sidecar' && phase.kind === 'running');
    if (left.length === 0) for (const container of this.#of('sidecar')) this.#stop(container, say(container));
    return this.#containers.every(({ phase }) => phase.kind !== 'running');
  }

  #missingWalls(): readonly string[] {
    const { runtime } = this.parts;
    return [...new Set(this.#containers.flatMap(({ spec }) => runtime.missingWalls?.(this.pod, spec) ?? []))];
  }

  async #terminate(): Promise<number | undefined> {
    const stopped = this.#stopAll('');
    const ran = this.#containers.some(({ phase, last }) => phase.kind !== 'waiting' || last !== undefined);
    this.#over = stopped;
    if (ran) await this.#report();
    if (!stopped) return this.#requeueAfter;
    this.#release();
    const { namespace = '', name = '', uid } = this.pod.metadata;
    await this.parts.client.remove(PODS, namespace, name, {
      gracePeriodSeconds: 0,
      ...(uid === undefined ? {} : { uid }),
    });
    return undefined;
  }

  /** Writes the status where it changed, and the Events. */
  async #report(): Promise<void> {
    const { client, clock } = this.parts;
    const { namespace = '', name = '', uid } = this.pod.metadata;
    const node = this.parts.node(this.#nodeName);
    const about: PodRuntimeState = {
      startTime: this.#startTime,
      hostIp: hostAddress(node),
      podIp: this.#podIp,
      sandboxReady: this.#sandbox === 'ready',
      over: this.#over,
      missingWalls: this.#missingWalls(),
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
    };
    const events = this.#events;
    this.#events = [];
    await client.edit(
      PODS,
      namespace,
      name,
      (copy) => {
        if (copy.metadata.uid !== uid) return false;
        const next = podStatus(copy, this.#containers, about, timestamp(clock.now()));
        if (equal(ensure(copy, 'status'), next)) return false;
        copy['status'] = next;
        return true;
      },
      'status',
    );
    for (const { type, reason, message, fieldPath } of events) {
      client.event(this.pod, type, reason, message, 'kubelet', {
        host: this.#nodeName,
        ...(fieldPath === undefined ? {} : { fieldPath }),
      });
    }
  }
}

export function hostAddress(node: KubeObject | undefined): string {
  return text(
    items(maybe(node, 'status'), 'addresses').find((address) => text(address, 'type') === 'InternalIP'),
    'address',
  );
}

/** A pod that has ended, or a deleted one that nothing holds back, needs no worker. */
export function hasEnded(pod: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(text(maybe(pod, 'status'), 'phase'));
}
