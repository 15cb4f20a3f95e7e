import { equal, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError } from '../errors/index.js';
import type { Controller, ControllerHost } from '../controller-runtime/index.js';
import type { WatchedObject } from '../rest/index.js';
import { items, maybe, text } from '../resources/index.js';
import { SchedulerCache, hasEnded } from './scheduler-cache.js';
import { decide, explain } from './decide.js';
import { podInfo, type PodInfo } from './node-info.js';
import { PodQueue } from './pod-queue.js';
import { preempt } from './preempt.js';
import { evictVictims, SCHEDULER, recordSchedulingFailure, type SchedulingFailure } from './scheduler-writes.js';
import { prepareVolumes } from './prepare-volumes.js';

/** Pods that are placed before other work gets a turn. */
const BATCH = 64;

/** Places pods on nodes, or says why it cannot: the default profile of kube-scheduler. */
export const scheduler: Controller = {
  name: 'kube-scheduler',
  start(host) {
    const running = new Scheduler(host);
    running.start();
    return running;
  },
};

class Scheduler {
  readonly #cache: SchedulerCache;
  readonly #queue: PodQueue;
  #busy = false;
  #closed = false;

  constructor(readonly host: ControllerHost) {
    this.#cache = new SchedulerCache(host.client);
    this.#queue = new PodQueue(host.clock, () => this.#wake());
  }

  start(): void {
    this.#cache.start((of, event) => {
      if (of === 'pod') this.#podChanged(event);
      else this.#queue.moveAllToActive();
    });
  }

  close(): void {
    this.#closed = true;
    this.#cache.close();
    this.#queue.close();
  }

  #podChanged({ type, object, previous }: WatchedObject): void {
    const uid = object.metadata.uid ?? '';
    const waits = type !== 'DELETED' && isOurs(object);
    if (!waits) {
      this.#queue.remove(uid);
      // A pod that came, went or changed its labels can make room for others, or satisfy their affinity.
      if (
        type === 'DELETED' ||
        hasEnded(object) ||
        !previous ||
        placed(previous) !== placed(object) ||
        !equal(previous.metadata.labels, object.metadata.labels)
      )
        this.#queue.moveAllToActive();
      return;
    }
    if (
      !previous ||
      !this.#queue.has(uid) ||
      !equal(previous['spec'], object['spec']) ||
      !equal(previous.metadata.labels, object.metadata.labels)
    )
      this.#queue.add(object);
    else this.#queue.refresh(object);
  }

  #wake(): void {
    if (this.#busy || this.#closed) return;
    this.#busy = true;
    setImmediate(() => {
      this.#busy = false;
      if (this.#closed) return;
      for (let left = BATCH; left > 0; left--) if (!this.#scheduleOne()) return;
      this.#wake();
    });
  }

  /** False when there is nothing to do now. */
  #scheduleOne(): boolean {
    const next = this.#queue.take();
    if (!next) return false;
    const { pod, attempts } = next;
    // The queue may hold an older state; what is deleted or placed meanwhile is no longer ours.
    const newest = this.host.client.get(
      { group: '', plural: 'pods' },
      pod.metadata.namespace ?? '',
      pod.metadata.name ?? '',
    );
    if (!newest || newest.metadata.uid !== pod.metadata.uid || !isOurs(newest)) return true;
    this.#cache.unassume(pod.metadata.uid ?? '');
    const facts = podInfo(newest);
    const view = this.#cache.snapshot(this.#nominated(facts));
    if (view.nodes.length === 0)
      this.#fail(facts, attempts, { reason: 'Unschedulable', message: 'no nodes available to schedule pods' });
    else this.#decide(facts, attempts, view);
    return true;
  }

  #decide(facts: PodInfo, attempts: number, view: ReturnType<SchedulerCache['snapshot']>): void {
    const decision = decide(facts, view);
    if (decision.kind === 'place') {
      this.#cache.assume(facts, decision.node.name);
      this.#follow(this.#place(facts, decision.node.name, attempts, view));
      return;
    }
    const { client, clock } = this.host;
    const message = explain(view.nodes.length, decision.rejections.values(), decision.rejection);
    // Dynamic resource allocation is asked before preemption, and has not heard of a pod that was turned away at the
    // door.
    if (decision.rejection !== undefined)
      return this.#fail(facts, attempts, { reason: 'Unschedulable', message: `${message} not found` });
    const outcome = preempt(
      facts,
      view,
      decision.rejections,
      client.list({ group: 'policy', plural: 'poddisruptionbudgets' }),
    );
    if (outcome.kind === 'useless')
      return this.#fail(facts, attempts, {
        reason: 'Unschedulable',
        message: `${message} no new claims to deallocate, ${outcome.message}`,
      });
    this.#fail(facts, attempts, { reason: 'Unschedulable', message, nominatedNode: outcome.node });
    this.#follow(evictVictims(client, clock.now(), facts.pod, outcome.node, outcome.victims));
  }

  async #place(
    facts: PodInfo,
    node: string,
    attempts: number,
    view: ReturnType<SchedulerCache['snapshot']>,
  ): Promise<void> {
    const { client } = this.host;
    const { namespace = '', name = '', uid = '' } = facts.pod.metadata;
    try {
      if (!(await prepareVolumes(client, facts.pod, node, view))) {
        // The claims know their node now; the pod is tried again when they are bound, and its place is kept until then.
        this.#queue.addUnschedulable(facts.pod, attempts);
        return;
      }
      await client.bind(namespace, name, { node, uid });
      client.event(
        facts.pod,
        'Normal',
        'Scheduled',
        `Successfully assigned ${namespace}/${name} to ${node}`,
        SCHEDULER,
      );
    } catch (error) {
      this.#cache.unassume(uid);
      if (!(error instanceof ApiError)) throw error;
      if (client.get({ group: '', plural: 'pods' }, namespace, name)?.metadata.uid === uid)
        this.#queue.addUnschedulable(facts.pod, attempts);
    }
  }

  #fail({ pod }: PodInfo, attempts: number, refused: SchedulingFailure): void {
    this.#queue.addUnschedulable(pod, attempts);
    this.#follow(recordSchedulingFailure(this.host.client, this.host.clock.now(), pod, refused));
  }

  /** Pods that were promised a node and are at least as important as this one. */
  #nominated({ pod, priority }: PodInfo): { facts: PodInfo; node: string }[] {
    const found: { facts: PodInfo; node: string }[] = [];
    for (const other of this.#queue.pods()) {
      const node = text(maybe(other, 'status'), 'nominatedNodeName');
      if (node === '' || other.metadata.uid === pod.metadata.uid) continue;
      const facts = podInfo(other);
      if (facts.priority >= priority) found.push({ facts, node });
    }
    return found;
  }

  #follow(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.host.log.error('kube-scheduler', { error });
    });
  }
}

function placed(pod: KubeObject): string {
  return text(maybe(pod, 'spec'), 'nodeName');
}

/** Wants a node from us: not placed, not ended, not on its way out, not gated. */
function isOurs(pod: KubeObject): boolean {
  const spec: JsonObject | undefined = maybe(pod, 'spec');
  return (
    text(spec, 'schedulerName') === SCHEDULER &&
    placed(pod) === '' &&
    !hasEnded(pod) &&
    pod.metadata.deletionTimestamp === undefined &&
    items(spec, 'schedulingGates').length === 0
  );
}
