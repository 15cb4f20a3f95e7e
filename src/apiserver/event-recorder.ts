import { createHash } from 'node:crypto';
import { type KubeObject } from '../model/index.js';
import { ApiError } from './api-error.js';
import type { EventPlace, LocalClient } from './local-client.js';
import { timestamp } from './rest/context.js';

interface Happening extends EventPlace {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly source: string;
}

const EVENTS = { group: '', plural: 'events' };
/** Repeats of one happening within this many entries raise its count instead of making a new Event. */
const REMEMBERED = 4096;

/** Writes core/v1 Events; the same happening again raises count and lastTimestamp, as client-go's recorder does. */
export class EventRecorder {
  readonly #names = new Map<string, string>();

  constructor(readonly client: LocalClient, readonly now: () => Date) {}

  async record(about: KubeObject, happening: Happening): Promise<void> {
    const namespace = about.metadata.namespace ?? 'default';
    const identity = JSON.stringify([about.metadata.uid, about.kind, about.metadata.name, namespace, happening]);
    try {
      if (!(await this.#repeat(namespace, identity))) await this.#create(namespace, identity, about, happening);
    } catch (error) {
      // Events are hints: a namespace that is going away or a full quota must not stop the controller.
      if (!(error instanceof ApiError)) throw error;
    }
  }

  async #repeat(namespace: string, identity: string): Promise<boolean> {
    const name = this.#names.get(identity);
    if (name === undefined) return false;
    const found = await this.client.edit(EVENTS, namespace, name, (event) => {
      event['count'] = Number(event['count'] ?? 1) + 1;
      event['lastTimestamp'] = timestamp(this.now());
    });
    return found !== undefined;
  }

  async #create(namespace: string, identity: string, about: KubeObject, { type, reason, message, source, fieldPath, host }: Happening): Promise<void> {
    const { name = '', uid, resourceVersion } = about.metadata;
    const at = timestamp(this.now());
    const suffix = createHash('sha256').update(`${identity}${this.now().getTime()}`).digest('hex').slice(0, 16);
    const eventName = `${name}.${suffix}`;
    this.#remember(identity, eventName);
    await this.client.create(EVENTS, {
      kind: 'Event', apiVersion: 'v1', metadata: { name: eventName, namespace },
      involvedObject: {
        kind: about.kind, apiVersion: about.apiVersion, name,
        ...(about.metadata.namespace === undefined ? {} : { namespace: about.metadata.namespace }),
        ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(fieldPath === undefined ? {} : { fieldPath }),
      },
      reason, message, source: { component: source, ...(host === undefined ? {} : { host }) }, firstTimestamp: at, lastTimestamp: at, count: 1, type,
      reportingComponent: source, reportingInstance: host ?? '',
    });
  }

  #remember(identity: string, name: string): void {
    this.#names.set(identity, name);
    const oldest = this.#names.keys().next();
    if (this.#names.size > REMEMBERED && oldest.done !== true) this.#names.delete(oldest.value);
  }
}
