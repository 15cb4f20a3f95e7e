import type { Logger } from '../model/logging/index.js';
import type { AuditClock } from './clock.js';
import { findRecords, type AuditPage, type AuditQuery } from './find-records.js';
import { NO_LINE, type LineHash } from './line-hash.js';
import { LogFile, type LineSink, type RotationOptions } from './log-file.js';
import { formatRecord, type AuditEntry, type Entry, type OwnEntry } from './record.js';
import { LineLimit } from './line-limit.js';
import { streamSink } from './stream-sink.js';

/** Takes what is to be recorded. */
export interface Audit {
  /** Resolves when the line is written, or cannot be: a full disk stops nobody. */
  record(entry: AuditEntry): Promise<void>;
  readonly isOn: boolean;
  readonly counts: AuditCounts;
  /** Undefined where lines are not kept, or kept by somebody else. */
  find(query: AuditQuery): Promise<AuditPage | undefined>;
}

export const NO_AUDIT: Audit = {
  record: () => Promise.resolve(),
  isOn: false,
  counts: { written: 0, lost: 0, combined: 0, isFailing: false },
  find: () => Promise.resolve(undefined),
};

export interface AuditLogOptions {
  readonly clock: AuditClock;
  readonly log: Logger;
  readonly lineHash: LineHash;
}

export interface AuditCounts {
  /** Lines that were written since the start. */
  readonly written: number;
  /** Entries that no line could be written for. */
  readonly lost: number;
  /** Entries that were counted in a line of several. */
  readonly combined: number;
  readonly isFailing: boolean;
}

interface Waiting {
  readonly entry: Entry;
  readonly time: Date;
  readonly settle: () => void;
}

/** Entries that wait for the disk; more are counted as lost. */
const MAX_WAITING = 5000;
const MAX_BATCH = 500;
const RETRY_DELAY = 1000;
/** A power cut costs at most what came in these milliseconds; the end of the process costs nothing. */
const SYNC_DELAY = 1000;

/** Writes entries as a chain of lines. What comes while a write is under way goes into the next one together. */
export class AuditLog implements Audit {
  readonly isOn = true;
  readonly #options: AuditLogOptions;
  readonly #limit: LineLimit;
  #sink: LineSink | undefined;
  readonly #reopen: () => Promise<OpenSink>;
  /** Empty for standard output. */
  readonly #file: string;
  /** What has to be said before the next line. */
  #notices: readonly OwnEntry[] = [];
  #seq = 0;
  #hash = NO_LINE;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failure: { readonly since: Date; readonly reason: string } | undefined;
  #lostNow = 0;
  #isClosed = false;
  #cancelSync: (() => void) | undefined;
  #cancelRetry: (() => void) | undefined;
  readonly #counts = { written: 0, lost: 0 };

  private constructor(options: AuditLogOptions, file: string, reopen: () => Promise<OpenSink>) {
    this.#options = options;
    this.#file = file;
    this.#reopen = reopen;
    this.#limit = new LineLimit(options.clock, (entry) => this.#enqueue(entry));
  }

  /** The log in a file; what cannot be opened at all is an error, a full disk is not. */
  static openFile(file: string, rotation: RotationOptions, options: AuditLogOptions): Promise<AuditLog> {
    return AuditLog.#open(options, file, () => LogFile.open(file, rotation, options.lineHash));
  }

  static openStream(write: (text: string) => unknown, options: AuditLogOptions): Promise<AuditLog> {
    const tail = { seq: 0, hash: NO_LINE, completion: '', notices: [] };
    return AuditLog.#open(options, '', () => Promise.resolve({ sink: streamSink(write), tail }));
  }

  static async #open(options: AuditLogOptions, file: string, reopen: () => Promise<OpenSink>): Promise<AuditLog> {
    const log = new AuditLog(options, file, reopen);
    try {
      await log.#openSink();
    } catch (error) {
      if (!isPassing(error)) throw error;
      log.#fail(error);
    }
    const { key } = options.lineHash;
    log.#own({ source: 'audit', verb: 'start', result: 'ok', ...(key === '' ? {} : { key }) });
    return log;
  }

  get counts(): AuditCounts {
    return { ...this.#counts, combined: this.#limit.combined, isFailing: this.#failure !== undefined };
  }

  record(entry: AuditEntry): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return this.#limit.admits(entry) ? this.#enqueue(entry) : Promise.resolve();
  }

  find(query: AuditQuery): Promise<AuditPage | undefined> {
    return this.#file === '' ? Promise.resolve(undefined) : findRecords(this.#file, query);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#limit.close();
    this.#isClosed = true;
    this.#own({ source: 'audit', verb: 'stop', result: 'ok' });
    while (this.#running !== undefined) await this.#running;
    this.#cancelSync?.();
    this.#cancelRetry?.();
    if (this.#waiting.length > 0)
      this.#options.log.error(`the audit log lost ${this.#waiting.length + this.#lostNow} entries`);
    await this.#sink?.close().catch((error: unknown) => {
      this.#options.log.error('cannot close the audit log', { error });
    });
  }

  #own(entry: OwnEntry): void {
    void this.#enqueue(entry);
  }

  #enqueue(entry: Entry): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lostNow++;
      this.#counts.lost++;
      return Promise.resolve();
    }
    return new Promise((settle) => {
      this.#waiting.push({ entry, time: this.#options.clock.now(), settle });
      if (this.#failure === undefined) this.#start();
      else settle();
    });
  }

  #start(): void {
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined;
      if (this.#waiting.length > 0 && this.#failure === undefined) this.#start();
    });
  }

  async #drain(): Promise<void> {
    const batch: Waiting[] = [];
    try {
      while (this.#waiting.length > 0) {
        // Whoever asks in the same turn is written together.
        await Promise.resolve();
        batch.push(...this.#waiting.splice(0, MAX_BATCH));
        await this.#write(batch);
        for (const { settle } of batch.splice(0)) settle();
        await this.#rotate();
      }
    } catch (error) {
      this.#waiting.unshift(...batch);
      this.#fail(error);
    }
  }

  async #write(entries: readonly Pick<Waiting, 'entry' | 'time'>[]): Promise<void> {
    const sink = (this.#sink ??= await this.#openSink());
    const now = this.#options.clock.now();
    const notices = this.#notices.map((entry) => ({ entry, time: now }));
    let [seq, hash] = [this.#seq, this.#hash];
    const lines = [...notices, ...entries].map(({ entry, time }) => {
      const line = Buffer.from(formatRecord(entry, { seq: ++seq, time: time.toISOString(), prev: hash }));
      hash = this.#options.lineHash.of(line);
      return line;
    });
    await sink.append(Buffer.concat(lines.flatMap((line) => [line, NEWLINE])));
    [this.#seq, this.#hash] = [seq, hash];
    this.#notices = [];
    this.#counts.written += lines.length;
    await sink.setHead({ seq, hash, key: this.#options.lineHash.key }).catch((error: unknown) => {
      // The lines are there: the next head covers them too.
      this.#options.log.warn('cannot write the head of the audit log', { error });
    });
    this.#cancelSync ??= this.#options.clock.after(SYNC_DELAY, () => {
      this.#cancelSync = undefined;
      sink.sync().catch((error: unknown) => {
        this.#options.log.error('cannot sync the audit log', { error });
      });
    });
  }

  async #rotate(): Promise<void> {
    const entries = (await this.#sink?.rotate(this.#seq)) ?? [];
    if (entries.length === 0) return;
    const time = this.#options.clock.now();
    await this.#write(entries.map((entry) => ({ entry, time })));
    await this.#sink?.removeOld();
  }

  async #openSink(): Promise<LineSink> {
    const { sink, tail } = await this.#reopen();
    this.#sink = sink;
    [this.#seq, this.#hash] = [tail.seq, tail.hash];
    this.#notices = tail.notices;
    return sink;
  }

  /** Entries wait, as many as there is place for, until the disk takes lines again. */
  #fail(error: unknown): void {
    const { clock, log } = this.#options;
    if (this.#failure === undefined) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#failure = { since: clock.now(), reason };
      log.error('cannot write the audit log; it is tried again every second', { error });
    }
    for (const { settle } of this.#waiting) settle();
    if (!this.#isClosed)
      this.#cancelRetry = clock.after(RETRY_DELAY, () => {
        void this.#recover();
      });
  }

  async #recover(): Promise<void> {
    if (this.#failure === undefined) return;
    const { since, reason } = this.#failure;
    const lost = this.#lostNow;
    const entry: Entry = {
      source: 'audit',
      verb: 'gap',
      result: lost === 0 ? 'ok' : 'lost',
      since: since.toISOString(),
      message: `${reason}: ${lost} entries were lost, ${this.#waiting.length} were written late`,
      ...(lost === 0 ? {} : { count: lost }),
    };
    try {
      await this.#write([{ entry, time: this.#options.clock.now() }]);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#lostNow -= lost;
    this.#failure = undefined;
    this.#options.log.info(`the audit log is written again: ${lost} entries were lost`);
    this.#start();
  }
}

interface OpenSink {
  readonly sink: LineSink;
  readonly tail: Awaited<ReturnType<typeof LogFile.open>>['tail'];
}

const NEWLINE = Buffer.from('\n');

/** The disk, not the place that was asked for. */
function isPassing(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG', 'EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');
}
