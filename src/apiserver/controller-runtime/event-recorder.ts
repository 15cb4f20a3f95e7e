import { createHash } from 'node:crypto';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError } from '../errors/index.js';
import { FairQueue } from './fair-queue.js';
import { type EventPlace, type LocalClient, timestamp } from '../rest/index.js';
import { EVENTS } from '../../model/resources/index.js';

interface EventDetails extends EventPlace {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly source: string;
}

/** Repeats of one happening within this many entries raise its count instead of making a new Event. */
const MAX_REMEMBERED = 4096;

/**
 * Writes core/v1 Events; the same happening again raises count and lastTimestamp, as client-go's recorder does. As
 * there, the caller goes on: Events are written one after the other, when there is time.
 */
export class EventRecorder {
  readonly #names = new Map<string, string>();
  readonly #queue = new FairQueue('noting');
  #written: Promise<void> = Promise.resolve();

  constructor(
    readonly client: LocalClient,
    readonly now: () => Date,
    readonly report: (line: string) => void,
  ) {}

  record(about: KubeObject, happening: EventDetails): void {
    const at = this.now();
    this.#queue.add(() => {
      this.#written = this.#written
        .then(() => this.#write(about, happening, at))
        .catch((error: unknown) => {
          this.report(`an event of ${about.metadata.name ?? ''}: ${String(error)}`);
        });
    });
  }

  async #write(about: KubeObject, happening: EventDetails, at: Date): Promise<void> {
    const namespace = about.metadata.namespace ?? 'default';
    const identity = JSON.stringify([about.metadata.uid, about.kind, about.metadata.name, namespace, happening]);
    try {
      if (!(await this.#repeat(namespace, identity, at))) await this.#create(namespace, identity, about, happening, at);
    } catch (error) {
      // Events are hints: a namespace that is going away, a full quota or a server that is being stopped does not need
      // more.
      if (!(error instanceof ApiError) && !(error instanceof Fault)) throw error;
    }
  }

  async #repeat(namespace: string, identity: string, at: Date): Promise<boolean> {
    const name = this.#names.get(identity);
    if (name === undefined) return false;
    const found = await this.client.edit(EVENTS, namespace, name, (event) => {
      event['count'] = Number(event['count'] ?? 1) + 1;
      event['lastTimestamp'] = timestamp(at);
    });
    return found !== undefined;
  }

  async #create(
    namespace: string,
    identity: string,
    about: KubeObject,
    { type, reason, message, source, fieldPath, host }: EventDetails,
    when: Date,
  ): Promise<void> {
    const { name = '', uid, resourceVersion } = about.metadata;
    const at = timestamp(when);
    const suffix = createHash('sha256').update(`${identity}${when.getTime()}`).digest('hex').slice(0, 16);
    const eventName = `${name}.${suffix}`;
    this.#remember(identity, eventName);
    await this.client.create(EVENTS, {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name: eventName, namespace },
      involvedObject: {
        kind: about.kind,
        apiVersion: about.apiVersion,
        name,
        ...(about.metadata.namespace === undefined ? {} : { namespace: about.metadata.namespace }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(fieldPath === undefined ? {} : { fieldPath }),
      },
      reason,
      message,
      source: { component: source, ...(host === undefined ? {} : { host }) },
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
      type,
      reportingComponent: source,
      reportingInstance: host ?? '',
    });
  }

  #remember(identity: string, name: string): void {
    this.#names.set(identity, name);
    const oldest = this.#names.keys().next();
    if (this.#names.size > MAX_REMEMBERED && oldest.done !== true) this.#names.delete(oldest.value);
  }
}
