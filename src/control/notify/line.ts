import type { KubeObject } from '../../model/index.js';
import { changeText, readChange, readSent, type Change } from './change.js';
import type { Due } from './evaluate-triggers.js';
import { NotifiedState } from './notified-state.js';
import { readPending, storable, type Pending } from './pending.js';
import type { Message } from './service.js';
import { deliveryId } from './write-message.js';

/** A message that is not yet taken by its receiver. One that an earlier process promised is written when it is sent. */
export interface Letter extends Pending {
  message: Message | undefined;
  readonly id: string;
  /** An earlier process promised it, and may have sent it. */
  readonly isInherited: boolean;
  attempts: number;
}

export interface LineTexts {
  readonly notified: string | null;
  readonly change: string | null;
  /** Ids of the messages that the second one names. */
  readonly promised: readonly string[];
}

/** So many looks at one application wait; of more, those in the middle are left out. */
const MOST_LOOKS = 200;
const MOST_LETTERS = 50;

/** What is known of one application between two looks. Lost with the process; the annotations say enough to go on. */
export class Line {
  /** The application as it was, one after another: a short illness is told even where it is over by now. */
  readonly looks: KubeObject[] = [];
  readonly letters: Letter[] = [];
  /** Ids of messages that were taken since the annotations were last written. */
  readonly taken: string[] = [];
  /** Problems that were told already. */
  readonly told = new Set<string>();
  state: NotifiedState;
  change: Change;
  /** Receivers that did not take a message: how often in a row, and until when they are left alone (steady time). */
  readonly away = new Map<string, { readonly failures: number; readonly until: number }>();
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
      this.letters.push({
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

  /** Whether a letter may be sent: the application says that it will be, so whoever comes next knows of it. */
  isPromised({ id }: Letter): boolean {
    return this.#isReleased || this.#promised.has(id);
  }

  /** There is nothing left to make promises on: nobody comes next. */
  release(): void {
    this.#isReleased = true;
  }

  see(application: KubeObject): void {
    if (this.looks.length >= MOST_LOOKS) this.looks.splice(MOST_LOOKS / 2, 1);
    this.looks.push(application);
  }

  /** False where too many wait already. */
  post(due: Due, message: Message, now: Date): boolean {
    if (this.letters.length >= MOST_LETTERS) return false;
    const place = this.place++;
    this.letters.push({
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
  close(letter: Letter, now: Date): void {
    this.letters.splice(this.letters.indexOf(letter), 1);
    this.taken.push(letter.id);
    // A condition that stopped holding meanwhile is told again the next time.
    if (this.state.has(letter.key)) this.state.add(letter.key, now);
  }

  /** What the annotations should say, where they do not say it yet. */
  unwritten(): LineTexts | undefined {
    const texts = this.#texts();
    return JSON.stringify(texts) === this.#written ? undefined : texts;
  }

  wrote(texts: LineTexts): void {
    this.#written = JSON.stringify(texts);
    this.#promised = new Set(texts.promised);
  }

  #texts(): LineTexts {
    const { stored, promised } = storable(this.letters, this.change);
    return {
      notified: this.state.text(new Set(this.letters.map(({ key }) => key))),
      change: changeText(this.change, this.place, stored),
      promised: promised.map(({ id }) => id),
    };
  }
}
