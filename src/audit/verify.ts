import { own, type JsonObject } from '../model/json/index.js';
import { logFiles, readIfThere, readLines, splitLines, type FileLine } from './files.js';
import { headFile, parseHead, type Head } from './head.js';
import { NO_LINE, type LineHash } from './line-hash.js';
import { parseRecord, tornOf, type AuditRecord } from './record.js';

/** The first thing that is wrong. */
export interface BadLine {
  readonly file: string;
  /** From 1; 0 for the file as a whole. */
  readonly line: number;
  readonly problem: string;
}

export interface Verification {
  /** Whole lines in their place. */
  readonly lines: number;
  /** The number of the last one. */
  readonly last: number;
  /** Its hash: whoever keeps it elsewhere can ask later whether it is still there. */
  readonly hash: string;
  /** What is no damage, but to be known. */
  readonly notes: readonly string[];
  readonly bad?: BadLine;
}

export interface VerifyOptions {
  readonly lineHash: LineHash;
  /** A line that must be there, with its hash. */
  readonly expected?: Pick<Head, 'seq' | 'hash'> | undefined;
}

type Parsed = AuditRecord & JsonObject;

interface Torn {
  readonly bad: BadLine;
  readonly hash: ReturnType<LineHash['begin']>;
  bytes: number;
}

/** Checks one line after the other; holds no more than one of them. */
class ChainCheck {
  seq = 0;
  hash = NO_LINE;
  lines = 0;
  bad: BadLine | undefined;
  readonly notes: string[] = [];
  /** Lines up to this one were removed by a rotation. */
  #removed = 0;
  /** Lines from 1 to here are not in the files. */
  #missing = 0;
  #missingAt: BadLine | undefined;
  /** From the first line that does not fit: a crash, if a `repair` names it. */
  #torn: Torn | undefined;
  #last: FileLine | undefined;
  readonly #seen = new Map<number, { readonly hash: string; readonly line: FileLine }>();

  constructor(
    private readonly lineHash: LineHash,
    private readonly anchors: readonly Pick<Head, 'seq' | 'hash'>[],
    /** Nobody keeps all of it, and every start begins a chain. */
    private readonly isStream = false,
  ) {}

  take(line: FileLine, next: FileLine | undefined): void {
    if (this.bad !== undefined) return;
    const record = line.isWhole ? parseRecord(line.bytes.toString('utf8')) : undefined;
    if (this.isStream && this.lines > 0 && record?.seq === 1 && record.prev === NO_LINE) {
      this.notes.push(`${placeOf(badAt(line, ''))}: a new chain begins behind line ${this.seq} of the one before`);
      [this.seq, this.hash] = [0, NO_LINE];
    }
    const problem = this.#problemOf(line, record, next);
    if (this.#torn !== undefined) this.#takeTorn(this.#torn, line, record);
    else if (problem === undefined && record !== undefined) this.#accept(line, record);
    else {
      this.#torn = { bad: problem ?? badAt(line, NO_RECORD), hash: this.lineHash.begin(), bytes: 0 };
      this.#takeTorn(this.#torn, line, undefined);
    }
  }

  #takeTorn(torn: Torn, line: FileLine, record: Parsed | undefined): void {
    const repair = record?.seq === this.seq + 1 && record.prev === this.hash ? tornOf(record) : undefined;
    if (record !== undefined && repair !== undefined) {
      if (repair.bytes !== torn.bytes || repair.hash !== torn.hash.digest()) {
        this.bad = torn.bad;
        return;
      }
      this.notes.push(`${placeOf(torn.bad)}: ${torn.bytes} bytes of a crash, named by line ${record.seq}`);
      this.#torn = undefined;
      this.#accept(line, record);
      return;
    }
    torn.hash.update(line.bytes);
    torn.bytes += line.bytes.length;
    if (!line.isWhole) return;
    torn.hash.update(NEWLINE);
    torn.bytes++;
  }

  end(file: string): void {
    if (this.#torn !== undefined && this.bad === undefined) this.#endTorn(this.#torn.bad);
    if (this.bad === undefined && this.#missing > this.#removed && !this.isStream) this.bad = this.#missingAt;
    if (this.bad !== undefined) return;
    for (const { seq, hash } of this.anchors) {
      if (seq > this.seq)
        this.bad = {
          file,
          line: 0,
          problem: `lines ${this.seq + 1} to ${seq} are missing at the end`,
        };
      const seen = this.#seen.get(seq);
      if (seen !== undefined && seen.hash !== hash) this.bad = badAt(seen.line, CHANGED);
      if (this.bad !== undefined) return;
    }
  }

  /** Bytes at the end that no line vouches for yet: the log repairs them when it is opened. */
  #endTorn(bad: BadLine): void {
    const isUnfinished =
      this.#last?.isWhole === false && this.#last.number === bad.line && this.#last.file === bad.file;
    const isCovered = this.anchors.some(({ seq }) => seq > this.seq);
    if (isUnfinished && !isCovered) this.notes.push(`${placeOf(bad)}: the last line is not whole, as after a crash`);
    else this.bad = bad;
  }

  #accept(line: FileLine, record: Parsed): void {
    this.seq = record.seq;
    this.hash = this.lineHash.of(line.bytes);
    this.lines++;
    if (this.anchors.some(({ seq }) => seq === record.seq)) this.#seen.set(record.seq, { hash: this.hash, line });
    if (record.source !== 'audit') return;
    const through = own(record, 'through');
    if (record.verb === 'remove' && typeof through === 'number') this.#removed = Math.max(this.#removed, through);
    if (record.verb === 'gap') this.notes.push(`${placeOf(badAt(line, ''))}: ${record.message ?? 'a gap'}`);
    const given = own(record, 'key');
    const key = typeof given === 'string' ? given : '';
    if (record.verb === 'start' && key !== this.lineHash.key)
      this.bad = badAt(line, key === '' ? 'this log has no key' : `another key is needed: this line names ${key}`);
  }

  #problemOf(line: FileLine, record: Parsed | undefined, next: FileLine | undefined): BadLine | undefined {
    const previous = this.#last;
    this.#last = line;
    if (record === undefined) return badAt(line, line.isWhole ? NO_RECORD : 'this line is not whole');
    if (this.lines === 0 && this.#torn === undefined && record.seq > 1) {
      if (next !== undefined && !this.#vouches(next, line)) return badAt(line, CHANGED);
      this.#missing = record.seq - 1;
      this.#missingAt = badAt(line, `lines 1 to ${this.#missing} are missing before this one`);
      return undefined;
    }
    if (record.seq > this.seq + 1)
      return badAt(line, `lines ${this.seq + 1} to ${record.seq - 1} are missing before this one`);
    if (record.seq <= this.seq) return badAt(line, `line ${record.seq} is here again, or in the wrong place`);
    if (record.prev === this.hash) return undefined;
    // The next line vouches for this one, so the one before it is not what it was.
    const isVouched = next === undefined ? this.#isAnchored(line, record.seq) : this.#vouches(next, line);
    return isVouched && previous !== undefined ? badAt(previous, CHANGED) : badAt(line, CHANGED);
  }

  #isAnchored({ bytes }: FileLine, seq: number): boolean {
    return this.anchors.some((anchor) => anchor.seq === seq && anchor.hash === this.lineHash.of(bytes));
  }

  #vouches(next: FileLine, { bytes }: FileLine): boolean {
    return parseRecord(next.bytes.toString('utf8'))?.prev === this.lineHash.of(bytes);
  }
}

const NEWLINE = Buffer.from('\n');
const NO_RECORD = 'this is no line of an audit log';
const CHANGED = 'this line was changed';

function badAt({ file, number }: FileLine, problem: string): BadLine {
  return { file, line: number, problem };
}

function placeOf({ file, line }: BadLine): string {
  return `${file}:${line}`;
}

/** Checks a log with its rotated files and its head. The log may be in use. */
export async function verifyFile(file: string, options: VerifyOptions): Promise<Verification> {
  // Before the lines: what is written meanwhile comes after it.
  const head = await readIfThere(headFile(file));
  return verifyLines(linesOf(await logFiles(file)), file, head, options);
}

/** The same for lines that somebody read. */
export async function verifyLines(
  lines: AsyncIterable<FileLine>,
  file: string,
  headText: string | undefined,
  { lineHash, expected }: VerifyOptions,
): Promise<Verification> {
  const head = headText === undefined ? undefined : parseHead(headText);
  const check = new ChainCheck(
    lineHash,
    [head, expected].filter((each) => each !== undefined),
  );
  await feed(check, lines);
  check.end(file);
  if (check.bad === undefined && head?.key !== lineHash.key) {
    const problem = headText === undefined ? 'there is no such file' : 'it was changed';
    check.bad = { file: headFile(file), line: 0, problem: `${problem}, so lines may be missing at the end` };
  }
  return result(check);
}

/** Checks what was collected of standard output: a chain for each start of the process, between other lines. */
export async function verifyStream(stream: AsyncIterable<unknown>, { lineHash }: VerifyOptions): Promise<Verification> {
  const check = new ChainCheck(lineHash, [], true);
  let others = 0;
  const records = async function* (): AsyncGenerator<FileLine> {
    for await (const line of splitLines(stream, '-'))
      if (parseRecord(line.bytes.toString('utf8')) === undefined) others++;
      else yield { ...line, isWhole: true };
  };
  await feed(check, records());
  check.end('-');
  if (others > 0) check.notes.push(`${others} lines are of no audit log`);
  check.notes.push('without a head nobody can say whether lines are missing at the ends of a chain');
  return result(check);
}

async function* linesOf(files: readonly string[]): AsyncGenerator<FileLine> {
  for (const file of files) yield* readLines(file);
}

/** Each line together with the one after it. */
async function feed(check: ChainCheck, lines: AsyncIterable<FileLine>): Promise<void> {
  let line: FileLine | undefined;
  for await (const next of lines) {
    if (line !== undefined) check.take(line, next);
    if (check.bad !== undefined) return;
    line = next;
  }
  if (line !== undefined) check.take(line, undefined);
}

function result({ lines, seq, hash, notes, bad }: ChainCheck): Verification {
  return { lines, last: seq, hash, notes, ...(bad === undefined ? {} : { bad }) };
}
