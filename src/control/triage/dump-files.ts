import { Fault } from '../../model/faults/index.js';
import {
  fileKindOf,
  formatOf,
  hostServices,
  isHostText,
  isLogName,
  jsonReader,
  logOf,
  seriesJsonReader,
  seriesTextReader,
  textReader,
  yamlReader,
  type DumpFormat,
  type DumpReader,
  type SnapshotBuilder,
} from '../../triage/index.js';
import { plainBytes } from './file-bytes.js';
import { isTar } from '../../model/formats/index.js';
import { tarMembers } from './tar-members.js';

/** Beyond this a dump as YAML or text takes too long; JSON is streamed at any size. */
const MAX_TEXT_BYTES = 200 * 1024 * 1024;
const MAX_LOG_BYTES = 2 * 1024 * 1024;
const START_BYTES = 64 * 1024;
/** Names that dumps have; anything else inside of a folder is somebody else's. */
const DUMP_NAME = /(?:\.(?:json|jsonl|ndjson|ya?ml|txt|out|describe|tar|prom|openmetrics|metrics)|(?:^|\/)[^./]+)$/;

/** Nothing that was looked at is no all-clear. */
export function unknownDump(what: string, where: string): Fault {
  return new Fault(
    'FILE_UNREADABLE',
    `${what}: triage reads JSON and YAML of kubectl, its describe and get texts, support bundles and ` +
      'must-gather folders',
    { where },
  );
}

export function unreadable(error: unknown, where: string): Fault {
  return new Fault('FILE_UNREADABLE', error instanceof Error ? error.message : String(error), { where, cause: error });
}

type Bytes = AsyncIterable<Buffer>;

/** Files of dumps, read into one snapshot. */
export class DumpFiles {
  readonly #builder: SnapshotBuilder;
  /** When a text was printed that has no time. */
  readonly #now: number;

  constructor(builder: SnapshotBuilder, now: number) {
    this.#builder = builder;
    this.#now = now;
  }

  /** A file that somebody named: what cannot be opened is an error. Gives whether it is something that triage knows. */
  async readNamed(bytes: Bytes, name: string, path: string): Promise<boolean> {
    try {
      return await this.#read(bytes, name, true);
    } catch (error) {
      throw error instanceof Fault ? error : unreadable(error, path);
    }
  }

  /** A file of a folder or an archive: what cannot be read is written down. */
  async read(bytes: Bytes, name: string): Promise<boolean> {
    const plain = name.replace(/\.t?gz$/, (end) => (end === '.tgz' ? '.tar' : ''));
    if (!DUMP_NAME.test(plain) && logOf(plain) === undefined && !isLogName(plain)) return false;
    try {
      return await this.#read(bytes, name, false);
    } catch (error) {
      if (error instanceof Fault) throw error;
      this.#builder.loss(`${name}: cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      return true;
    }
  }

  async #read(bytes: Bytes, name: string, isNamed: boolean): Promise<boolean> {
    const plain = name.replace(/\.gz$/, '');
    const log = logOf(plain);
    if (log !== undefined) {
      this.#builder.addLog({ ...log, lines: await lastLines(bytes) });
      return true;
    }
    const chunks = bytes[Symbol.asyncIterator]();
    const start = await beginning(chunks);
    const rest = restOf(start, chunks);
    if (start.toString('utf8').trim() === '') {
      if (!isNamed && !/\.[a-z]+$/.test(plain)) return false;
      this.#builder.loss(`${name}: the file is empty`);
      return true;
    }
    if (isTar(start)) return this.#archive(rest, name);
    if (isHostText(start.toString('utf8'))) return this.#host(await lastLines(rest), name, plain);
    // Programs write JSON too; what kubectl wrote says its version.
    if (isLogName(plain) && !/"?apiVersion"?:/.test(start.toString('utf8'))) {
      this.#builder.addLooseLog({ path: plain, lines: await lastLines(rest) });
      return true;
    }
    const format = formatOf(start.toString('utf8')) ?? formatByName(plain);
    if (format === undefined) return false;
    await this.#feed(this.#reader(format, name, plain), rest, name, format);
    return true;
  }

  /** What systemd prints on a node; the folder may name the node. A log in the same form is one of a pod. */
  #host(lines: readonly string[], name: string, plain: string): boolean {
    const services = hostServices(lines, /(?:^|\/)nodes?\/([^/]+)\//.exec(plain)?.[1] ?? '');
    for (const service of services) this.#builder.addHostService(service);
    if (services.length > 0) return true;
    if (isLogName(plain)) this.#builder.addLooseLog({ path: plain, lines });
    else this.#builder.problem(`${name}: nothing in it says which node it is from, or what runs there`);
    return true;
  }

  #reader(format: DumpFormat, name: string, plain: string): DumpReader {
    if (format === 'monitoring') return seriesJsonReader(this.#builder, name);
    if (format === 'scrape') return seriesTextReader(this.#builder);
    if (format === 'text') return textReader(this.#builder, name, this.#now);
    return (format === 'json' ? jsonReader : yamlReader)(this.#builder, name, fileKindOf(plain));
  }

  /** What comes before the place where a file cannot be read any more still counts. */
  async #feed(reader: DumpReader, bytes: Bytes, name: string, format: DumpFormat): Promise<void> {
    let size = 0;
    try {
      for await (const chunk of bytes) {
        size += chunk.length;
        if ((format === 'yaml' || format === 'text') && size > MAX_TEXT_BYTES)
          throw new Fault(
            'SOURCE_TOO_LARGE',
            `a ${format === 'yaml' ? 'YAML' : 'text'} dump is limited to ${MAX_TEXT_BYTES / 1024 / 1024} MB, ` +
              'this one is larger; use -o json, which has no limit',
            { where: name },
          );
        reader.push(chunk);
      }
    } catch (error) {
      if (error instanceof Fault) throw error;
      this.#builder.loss(
        `${name}: could not be read completely: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    reader.end();
  }

  /** A bundle as it was sent: nothing is unpacked to disk. */
  async #archive(bytes: Bytes, name: string): Promise<boolean> {
    let known = 0;
    try {
      for await (const member of tarMembers(bytes))
        known +=
          !/\.(tar|tgz)(\.gz)?$/.test(member.name) &&
          (await this.read(plainBytes(member.bytes), member.name.replace(/^\.\//, '')))
            ? 1
            : 0;
    } catch (error) {
      if (error instanceof Fault) throw error;
      this.#builder.loss(
        `${name}: could not be read completely: ${error instanceof Error ? error.message : String(error)}`,
      );
      return true;
    }
    return known > 0;
  }
}

function formatByName(plain: string): DumpFormat | undefined {
  if (/\.(json|jsonl|ndjson)$/.test(plain)) return 'json';
  return /\.ya?ml$/.test(plain) ? 'yaml' : undefined;
}

/** Enough to see what a file is. */
async function beginning(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let size = 0; size < START_BYTES; ) {
    const next = await chunks.next();
    if (next.done === true) break;
    parts.push(next.value);
    size += next.value.length;
  }
  return Buffer.concat(parts);
}

async function* restOf(start: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield start;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

async function lastLines(bytes: Bytes): Promise<string[]> {
  let parts: Buffer[] = [];
  let size = 0;
  let isCut = false;
  for await (const chunk of bytes) {
    parts.push(chunk);
    size += chunk.length;
    if (size <= 2 * MAX_LOG_BYTES) continue;
    parts = [Buffer.concat(parts).subarray(-MAX_LOG_BYTES)];
    size = MAX_LOG_BYTES;
    isCut = true;
  }
  return Buffer.concat(parts)
    .subarray(-MAX_LOG_BYTES)
    .toString('utf8')
    .split(/\r?\n/)
    .slice(isCut ? 1 : 0)
    .filter((line) => line !== '');
}
