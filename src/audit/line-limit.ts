import type { AuditClock } from './clock.js';
import type { AuditEntry, Counted } from './record.js';

/** Lines in full of one address in a window, and of all together; what is beyond is counted. */
const MAX_PER_ADDRESS = 10;
const MAX_TOGETHER = 200;
/** Counted with their object; then without it; and the rest as one. */
const MAX_OBJECTS = 100;
const MAX_KINDS = 200;
/** Milliseconds. */
const WINDOW = 1000;

interface Counter {
  readonly entry: AuditEntry;
  readonly since: Date;
  count: number;
}

/**
 * Bounds what strangers and refusals cost: everything that somebody who is signed in did is a line of its own, and so
 * are the first refusals of an address in a second. What follows is counted, identical ones together.
 */
export class LineLimit {
  readonly #clock: AuditClock;
  readonly #write: (entry: AuditEntry & Counted) => Promise<void>;
  readonly #addresses = new Map<string, number>();
  readonly #counters = new Map<string, Counter>();
  #together = 0;
  #cancel: (() => void) | undefined;
  combined = 0;

  constructor(clock: AuditClock, write: (entry: AuditEntry & Counted) => Promise<void>) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Whether the entry is a line of its own; if not, it is counted. */
  admits(entry: AuditEntry): boolean {
    if (entry.address === undefined || (entry.user !== '' && entry.decision === 'allowed')) return true;
    this.#cancel ??= this.#clock.after(WINDOW, () => {
      this.#flush();
    });
    const { address } = entry;
    const lines = this.#addresses.get(address) ?? 0;
    if (lines < MAX_PER_ADDRESS && this.#together < MAX_TOGETHER) {
      this.#addresses.set(address, lines + 1);
      this.#together++;
      return true;
    }
    this.combined++;
    this.#count(entry);
    return false;
  }

  close(): void {
    this.#flush();
  }

  #count(entry: AuditEntry): void {
    const { source, user, address, client, verb, resource, object, project, result, decision } = entry;
    const alike = { source, user, address, verb, resource, decision, result };
    const key = JSON.stringify([alike, object]);
    const known = this.#counters.get(key) ?? this.#counters.get(JSON.stringify([alike]));
    if (known !== undefined) {
      known.count++;
      return;
    }
    if (this.#counters.size < MAX_OBJECTS) this.#add(key, { ...alike, client, object, project });
    else if (this.#counters.size < MAX_KINDS) this.#add(JSON.stringify([alike]), alike);
    else this.#addOther();
  }

  #add(key: string, entry: AuditEntry): void {
    this.#counters.set(key, { entry, since: this.#clock.now(), count: 1 });
  }

  #addOther(): void {
    const known = this.#counters.get('');
    if (known !== undefined) known.count++;
    else this.#add('', { source: 'api', user: '', verb: 'several', decision: 'refused', result: 'several' });
  }

  #flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#addresses.clear();
    this.#together = 0;
    const counters = [...this.#counters.values()];
    this.#counters.clear();
    for (const { entry, since, count } of counters) void this.#write({ ...entry, count, since: since.toISOString() });
  }
}
