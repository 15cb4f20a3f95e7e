import type { KubeObject } from '../../model/index.js';
import { changeText, readChange, readSent, type Change } from './change.js';
import type { Due } from './evaluate-triggers.js';
import { NotifiedState } from './notified-state.js';
import type { Message } from './service.js';

/** A message that is written and not yet taken by its receiver. */
export interface Letter extends Due {
  readonly message: Message;
  readonly id: string;
  /** Its place among all messages of the application. */
  readonly place: number;
  attempts: number;
}

/** So many looks at one application wait; of more, those in the middle are left out. */
const MOST_LOOKS = 200;
const MOST_LETTERS = 50;

/** What is known of one application between two looks. Lost with the process; the annotations say enough to go on. */
export class Line {
  /** The application as it was, one after another: a short illness is told even where it is over by now. */
  readonly looks: KubeObject[] = [];
  readonly letters: Letter[] = [];
  /** Problems that were told already. */
  readonly told = new Set<string>();
  state: NotifiedState;
  change: Change;
  /** Receivers that did not take a message: how often in a row, and until when they are left alone (steady time). */
  readonly away = new Map<string, { readonly failures: number; readonly until: number }>();
  /** Messages so far, those that wait among them. */
  place: number;
  #written: string;

  constructor(readonly uid: string, first: KubeObject) {
    this.state = NotifiedState.read(first);
    this.change = readChange(first);
    this.place = readSent(first);
    this.#written = JSON.stringify(this.#texts());
  }

  see(application: KubeObject): void {
    if (this.looks.length >= MOST_LOOKS) this.looks.splice(MOST_LOOKS / 2, 1);
    this.looks.push(application);
  }

  /** False where too many wait already. */
  post(letter: Letter): boolean {
    if (this.letters.length >= MOST_LETTERS) return false;
    this.letters.push(letter);
    return true;
  }

  /** What the annotations should say, where they do not say it yet. */
  unwritten(): { readonly notified: string | null; readonly change: string | null } | undefined {
    const texts = this.#texts();
    return JSON.stringify(texts) === this.#written ? undefined : texts;
  }

  wrote(texts: { readonly notified: string | null; readonly change: string | null }): void {
    this.#written = JSON.stringify(texts);
  }

  #texts(): { notified: string | null; change: string | null } {
    // A message that waits keeps its place: sent again by another process it has the same id.
    const sent = Math.min(this.place, ...this.letters.map(({ place }) => place));
    return { notified: this.state.text(new Set(this.letters.map(({ key }) => key))), change: changeText(this.change, sent) };
  }
}
