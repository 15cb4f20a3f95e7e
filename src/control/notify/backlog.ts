import type { KubeObject } from '../../model/kubernetes/index.js';
import { changeText, readChange, readSent, type Change } from './change.js';
import type { DueMessage } from './evaluate-triggers.js';
import { NotifiedState } from './notified-state.js';
import { readPending, storable, type Pending } from './pending.js';
import type { Message } from './service.js';
import { deliveryId } from './write-message.js';

/** A message that is not delivered yet. One promised by an earlier process is rendered when it is sent. */
export interface QueuedMessage extends Pending {
  message: Message | undefined;
  readonly id: string;
  /** An earlier process promised it, and may have sent it. */
  readonly isInherited: boolean;
  attempts: number;
}

export interface BacklogAnnotations {
  readonly notified: string | null;
  readonly change: string | null;
  /** Ids of the messages that the second one names. */
  readonly promised: readonly string[];
}

/** Queued states of one application; beyond this, those in the middle are dropped. */
const MAX_STATES = 200;
const MAX_MESSAGES = 50;

/**
 * What is remembered of one application between evaluations. Lost with the process; the annotations are enough to
 * continue.
 */
export class Backlog {
  /** Past states of the application in order: a short failure is reported even if it is over by now. */
  readonly states: KubeObject[] = [];
  readonly messages: QueuedMessage[] = [];
  /** Ids of messages delivered since the annotations were last written. */
  readonly delivered: string[] = [];
  /** Problems already reported. */
  readonly reportedProblems = new Set<string>();
  state: NotifiedState;
  change: Change;
  /** Receivers that did not take a message: how often in a row, and until when they are left alone (steady time). */
  readonly backoffs = new Map<string, { readonly failures: number; readonly until: number }>();
  /** Messages so far, those that wait among them. */
  place: number;
  #written: string;
  #promised: ReadonlySet<string>;
  #isReleased = false;

  constructor(
    readonly uid: string,
    first: KubeObject,
  ) {
    this.state = NotifiedState.read(first);
    this.change = readChange(first);
    const { sent, pending } = readSent(first);
    this.place = sent;
    for (const each of readPending(pending, this.change)) {
      this.messages.push({
        ...each,
        message: undefined,
        id: deliveryId(uid, each.key, each.place),
        isInherited: true,
        attempts: 0,
      });
      this.state.add(each.key, new Date(0));
    }
    const texts = this.#texts();
    this.#written = JSON.stringify(texts);
    this.#promised = new Set(texts.promised);
  }

  /** Whether a message may be sent: its promise is stored on the application, so the next process knows of it. */
  isPromised({ id }: QueuedMessage): boolean {
    return this.#isReleased || this.#promised.has(id);
  }

  /** The application is gone: there is nothing to store promises on. */
  release(): void {
    this.#isReleased = true;
  }

  observe(application: KubeObject): void {
    if (this.states.length >= MAX_STATES) this.states.splice(MAX_STATES / 2, 1);
    this.states.push(application);
  }

  /** False where too many wait already. */
  enqueue(due: DueMessage, message: Message, now: Date): boolean {
    if (this.messages.length >= MAX_MESSAGES) return false;
    const place = this.place++;
    this.messages.push({
      ...due,
      message,
      place,
      change: this.change,
      id: deliveryId(this.uid, due.key, place),
      isInherited: false,
      attempts: 0,
    });
    this.state.add(due.key, now);
    return true;
  }

  /** Nothing is left to do with a letter. */
  complete(letter: QueuedMessage, now: Date): void {
    this.messages.splice(this.messages.indexOf(letter), 1);
    this.delivered.push(letter.id);
    // A condition that became false in the meantime triggers again next time.
    if (this.state.has(letter.key)) this.state.add(letter.key, now);
  }

  /** The annotations to write, if they changed. */
  pendingAnnotations(): BacklogAnnotations | undefined {
    const texts = this.#texts();
    return JSON.stringify(texts) === this.#written ? undefined : texts;
  }

  markWritten(texts: BacklogAnnotations): void {
    this.#written = JSON.stringify(texts);
    this.#promised = new Set(texts.promised);
  }

  #texts(): BacklogAnnotations {
    const { stored, promised } = storable(this.messages, this.change);
    return {
      notified: this.state.text(new Set(this.messages.map(({ key }) => key))),
      change: changeText(this.change, this.place, stored),
      promised: promised.map(({ id }) => id),
    };
  }
}
