import { textFor, type ObjectState } from './resource.js';

/** A request that was sent and not answered before the kill: it may have happened or not. */
export interface Unanswered {
  readonly key: string;
  /** The marker it would leave; undefined for a deletion. */
  readonly by: string | undefined;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ObjectState;
}

interface ReportedState {
  readonly object: ObjectState;
  readonly isDeletion: boolean;
  /** A client got this as the answer to its request; otherwise it was only seen. */
  readonly isAnswer: boolean;
  /** The resourceVersion that the request named as the one it replaces. */
  readonly replaces?: number | undefined;
}

/**
 * What clients of an API server were told, to be compared with what it shows after a kill: nothing they were told of
 * may be missing or different, nothing may be there that nobody asked for, and resourceVersions never fall.
 */
export class ConsistencyChecker {
  /** Everything as it was at the last comparison. */
  #state = new Map<string, ObjectState>();
  #base = 0;
  /** By revision: what was answered, or seen in a list or watch, since the last comparison. */
  #told = new Map<number, ReportedState>();
  /** By uid: answered deletions. Their answers do not name a revision. */
  #deleted = new Map<string, string>();
  #unanswered: Unanswered[] = [];
  #newest = 0;
  #acknowledged = 0;

  /** The highest resourceVersion that any client saw. */
  get newest(): number {
    return this.#newest;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  state(): ReadonlyMap<string, ObjectState> {
    return this.#state;
  }

  acknowledge(shown: ObjectState, replaces?: number): void {
    this.#acknowledged++;
    this.#tell({ object: shown, isDeletion: false, isAnswer: true, replaces });
  }

  acknowledgeDeletion(key: string, uid: string): void {
    this.#acknowledged++;
    this.#deleted.set(uid, key);
  }

  /** A list or a watch has shown this: it must last, as readers see only what is durable. */
  observe(shown: ObjectState, isDeletion = false): void {
    this.#tell({ object: shown, isDeletion, isAnswer: false });
  }

  observeRevision(revision: number): void {
    this.#newest = Math.max(this.#newest, revision);
  }

  unanswered(request: Unanswered): void {
    this.#unanswered.push(request);
  }

  #tell(told: ReportedState): void {
    const { revision } = told.object;
    this.observeRevision(revision);
    const before = this.#told.get(revision);
    // A watch may show a state before or after the answer to its request; the answer says more.
    if (before === undefined || !before.isAnswer) this.#told.set(revision, told);
  }

  /** What is wrong with a list of all objects, read after the restart. */
  compareList(revision: number, listed: readonly ObjectState[]): string[] {
    const wrong: string[] = [];
    if (revision < this.#newest)
      wrong.push(`fell: the list has resourceVersion ${revision}, clients had seen ${this.#newest}`);
    const now = new Map(listed.map((shown) => [shown.key, shown]));
    for (const shown of listed) wrong.push(...this.#judgeListed(shown));
    for (const known of this.#newestKnown().values()) {
      const shown = now.get(known.key);
      if (shown === undefined && !this.#isDeletable(known)) wrong.push(`lost: ${place(known)} is absent`);
      if (shown !== undefined && shown.revision < known.revision)
        wrong.push(`lost: ${place(known)} is back at ${shown.revision}`);
    }
    return wrong;
  }

  #judgeListed(shown: ObjectState): string[] {
    const told = this.#told.get(shown.revision)?.object ?? this.#knownAt(shown);
    const wrong: string[] = [];
    if (this.#deleted.has(shown.uid)) wrong.push(`lost: ${place(shown)} is there, its deletion was acknowledged`);
    if (shown.text !== textFor(shown.by))
      wrong.push(`phantom: ${place(shown)} is a mixture: ${shown.by} with the text ${shown.text.slice(0, 40)}`);
    if (told === undefined && !this.#unanswered.some(({ key, by }) => key === shown.key && by === shown.by))
      wrong.push(`phantom: ${place(shown)} by ${shown.by}, which nobody wrote`);
    if (told !== undefined && told.body !== shown.body)
      wrong.push(`lost: ${place(shown)} should be ${told.body} and is ${shown.body}`);
    return wrong;
  }

  #knownAt(shown: ObjectState): ObjectState | undefined {
    const known = this.#state.get(shown.key);
    return known?.revision === shown.revision ? known : undefined;
  }

  /** By key: the newest state of each object that clients know of. */
  #newestKnown(): Map<string, ObjectState> {
    const newest = new Map(this.#state);
    const told = [...this.#told.values()].sort((a, b) => a.object.revision - b.object.revision);
    for (const { object, isDeletion } of told) {
      if (isDeletion) newest.delete(object.key);
      else newest.set(object.key, object);
    }
    return newest;
  }

  #isDeletable(known: ObjectState): boolean {
    return (
      this.#deleted.has(known.uid) || this.#unanswered.some(({ key, by }) => key === known.key && by === undefined)
    );
  }

  /** What is wrong with a watch that began at the last comparison: all changes of one kind, in order. */
  compareHistory(plural: string, events: readonly WatchEvent[]): string[] {
    const wrong: string[] = [];
    const state = new Map([...this.#state].filter(([, { plural: of }]) => of === plural));
    const open = [...this.#unanswered];
    const undeleted = new Map([...this.#deleted].filter(([, key]) => key.startsWith(`${plural}/`)));
    const untold = new Set(
      [...this.#told].filter(([, { object }]) => object.plural === plural).map(([revision]) => revision),
    );
    let last = this.#base;
    for (const event of events) {
      const { object } = event;
      if (object.revision <= last) wrong.push(`lost: the watch shows ${place(object)} after revision ${last}`);
      last = object.revision;
      wrong.push(...this.#judgeChange(event, state.get(object.key)), ...this.#judgeOrigin(event, open, undeleted));
      untold.delete(object.revision);
      if (event.type === 'DELETED') state.delete(object.key);
      else state.set(object.key, object);
    }
    for (const revision of untold)
      wrong.push(`lost: revision ${revision} of ${this.#told.get(revision)?.object.key ?? ''} is not in the watch`);
    for (const [uid, key] of undeleted) wrong.push(`lost: the deletion of ${key} (${uid}) is not in the watch`);
    return wrong;
  }

  /** Does the event fit the state before it, and the condition of its request? */
  #judgeChange({ type, object }: WatchEvent, before: ObjectState | undefined): string[] {
    const fits = type === 'ADDED' ? before === undefined : before?.uid === object.uid;
    if (!fits)
      return [
        `phantom: ${type} of ${place(object)} does not follow ${before === undefined ? 'absence' : place(before)}`,
      ];
    const replaces = this.#told.get(object.revision)?.replaces;
    return replaces === undefined || replaces === before?.revision
      ? []
      : [`lost: ${place(object)} was to replace ${replaces} and replaced ${before?.revision ?? 'nothing'}`];
  }

  /** Was the event told to a client, or can it be a request in flight? Each request can be one event only. */
  #judgeOrigin({ type, object }: WatchEvent, open: Unanswered[], undeleted: Map<string, string>): string[] {
    const told = this.#told.get(object.revision);
    const isDeletion = type === 'DELETED';
    const wasAnswered = isDeletion ? undeleted.delete(object.uid) : told?.isAnswer === true;
    if (told !== undefined && (told.object.body !== object.body || told.isDeletion !== isDeletion))
      return [`lost: ${place(object)} should be ${told.object.body} and is ${object.body}`];
    if (wasAnswered) return [];
    const index = open.findIndex(({ key, by }) => key === object.key && by === (isDeletion ? undefined : object.by));
    if (index < 0) return [`phantom: ${type} of ${place(object)} by ${object.by}, which nobody asked for`];
    open.splice(index, 1);
    return [];
  }

  /** Begins anew from a state that has been compared. */
  begin(revision: number, listed: readonly ObjectState[]): void {
    this.#state = new Map(listed.map((shown) => [shown.key, shown]));
    this.#base = revision;
    this.#told = new Map();
    this.#deleted = new Map();
    this.#unanswered = [];
    this.#acknowledged = 0;
    this.observeRevision(revision);
  }
}

function place(shown: ObjectState): string {
  return `${shown.key} at revision ${shown.revision}`;
}
