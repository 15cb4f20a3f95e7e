import { createHash } from 'node:crypto';
import { Fault } from '../../model/faults/index.js';
import { formatTime, instantOf } from '../../model/formats/index.js';
import { eventAbout, type KubeObject } from '../../model/kubernetes/index.js';
import type { Logger } from '../../model/logging/index.js';
import type { Clock, Cluster } from '../../cluster/index.js';
import { EVENTS } from '../../model/resources/index.js';
import type { AuditTrail, AuditDetail } from './audit-trail.js';

export type EventReason =
  | 'StatusRefreshed'
  | 'ResourceCreated'
  | 'ResourceUpdated'
  | 'ResourceDeleted'
  | 'OperationStarted'
  | 'OperationCompleted'
  | 'OperationSuperseded'
  | 'Dependency'
  | 'ReadOnly'
  | 'AnnotationIgnored'
  | 'NotificationFailed'
  | 'SettingsReverted'
  | 'SettingsTakenOver'
  | 'CredentialsFilled'
  | 'CredentialsNotFilled'
  | 'SettingsLeft'
  | 'SetAside'
  | 'created'
  | 'updated'
  | 'Deleted';

export interface EventRecorderOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Logger;
  readonly audit?: AuditTrail;
}

/** Reasons that say that something was changed, and how. Messages about settings may quote them. */
const CHANGES: Partial<Record<EventReason, { readonly verb: string; readonly isQuoted: boolean }>> = {
  OperationStarted: { verb: 'sync', isQuoted: false },
  OperationCompleted: { verb: 'sync', isQuoted: false },
  ResourceDeleted: { verb: 'delete', isQuoted: true },
  SettingsReverted: { verb: 'update', isQuoted: false },
  SettingsTakenOver: { verb: 'update', isQuoted: false },
  CredentialsFilled: { verb: 'update', isQuoted: true },
  created: { verb: 'create', isQuoted: true },
  updated: { verb: 'update', isQuoted: true },
  Deleted: { verb: 'delete', isQuoted: true },
};

/** Events waiting to be sent; more are dropped. */
const MAX_QUEUED = 500;
/** Events wait rather than compete with the reconcile they report. */
const CONCURRENCY = 1;

/**
 * Kubernetes Events on Applications. They never delay a reconcile; a server that rejects them is only reported.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #waiting: KubeObject[] = [];
  #sending = 0;
  #count = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  /** With `detail` for the audit log. */
  record(
    about: KubeObject,
    reason: EventReason,
    message: string,
    type: 'Normal' | 'Warning' = 'Normal',
    detail: AuditDetail = {},
  ): void {
    const change = CHANGES[reason];
    if (change !== undefined)
      this.#options.audit?.changed(about, change.verb, { ...(change.isQuoted ? { message } : {}), ...detail });
    this.#log(about, reason, message, type);
    if (this.#waiting.length >= MAX_QUEUED) return;
    const now = this.#options.clock.now().getTime();
    const time = formatTime(instantOf(now));
    const id = createHash('sha256')
      .update(`${about.metadata.uid ?? ''} ${now} ${reason} ${this.#count++}`)
      .digest('hex')
      .slice(0, 16);
    this.#waiting.push(eventAbout({ about, id, reason, message, type, component: 'argosy', time }));
    void this.#send();
  }

  /** A change of status is seen in the status itself; everything else is a decision. */
  #log(about: KubeObject, reason: EventReason, message: string, type: 'Normal' | 'Warning'): void {
    const { log } = this.#options;
    const name = `${about.metadata.namespace ?? ''}/${about.metadata.name ?? ''}`;
    const fields = about.kind === 'Application' ? { app: name } : { object: `${about.kind} ${name}` };
    if (type === 'Warning') log.warn(message, fields);
    else if (reason === 'ResourceUpdated') log.debug(message, fields);
    else log.info(message, fields);
  }

  async #send(): Promise<void> {
    if (this.#sending >= CONCURRENCY) return;
    this.#sending++;
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      try {
        await this.#options.cluster.create(EVENTS, event, { limits: { tries: 1 } });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        this.#options.log.warn(`cannot record an event in namespace ${event.metadata.namespace ?? ''}`, { error });
      }
    }
    this.#sending--;
  }
}
