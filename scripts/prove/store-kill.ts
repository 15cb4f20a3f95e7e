import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openStore } from '../../src/apiserver/store/open-store.js';
import type { StoreEvent } from '../../src/apiserver/store/store.js';
import { changeTo, WriteHistory } from '../../src/apiserver/store/testing/write-history.js';
import { seededRandom, type Random } from '../../src/apiserver/store/testing/random.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

const ROOT = join(import.meta.dirname, '../..');
const WRITERS = 8;
const WRITES = 200;

interface Ack {
  readonly writer: number;
  readonly serial: number;
  readonly revision: number;
  readonly key: string;
  readonly body: string | null;
}

/**
 * A process that writes to a store is killed with SIGKILL at a random moment, over and over on one directory: every
 * acknowledged write is there afterwards, nothing is there that was not written, and the revision never falls.
 */
export const proof: Proof = {
  name: 'store-kill',
  sizes: { smoke: 3, full: 200 },
  async run(context) {
    const directory = await mkdtemp(join(tmpdir(), 'argosy-kill-'));
    try {
      const ledger = new WriteHistory();
      return await runTrials(context, (index) => killOnce(directory, ledger, context.seed * 10_007 + index));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

async function killOnce(directory: string, ledger: WriteHistory, life: number): Promise<Trial> {
  const random = seededRandom(life);
  const before = ledger.revision;
  const acks = await runAndKill(directory, life, random);
  for (const ack of acks) ledger.acknowledge(ack.revision, changeTo(ack.key, ack.body ?? undefined));
  const started = performance.now();
  const store = await openStore({ directory });
  const restart = performance.now() - started;
  const wrong = ledger.compare(store, inFlightOf(life, acks));
  if (store.revision < before) wrong.push(`the revision fell from ${before} to ${store.revision}`);
  if (acks.length < WRITES) wrong.push(`only ${acks.length} writes were acknowledged before the kill`);
  const counts = {
    'acknowledged writes': acks.length,
    lost: wrong.filter((line) => line.startsWith('lost')).length,
    phantom: wrong.filter((line) => line.startsWith('phantom')).length,
    'revision fell': store.revision < before ? 1 : 0,
  };
  await store.close();
  return { wrong, counts, samples: { 'restart ms': restart } };
}

/** Each writer has one write in flight at most: the one behind its last acknowledged. */
function inFlightOf(life: number, acks: readonly Ack[]): (event: StoreEvent) => boolean {
  const next = new Map<number, number>();
  for (const { writer, serial } of acks) next.set(writer, Math.max(next.get(writer) ?? 0, serial + 1));
  return ({ current }) => {
    const [ofLife, writer, serial] = (/"by":"([\d/]+)"/.exec(current.body)?.[1] ?? '').split('/').map(Number);
    const isNext = ofLife === life && writer !== undefined && serial === (next.get(writer) ?? 0);
    if (isNext) next.set(writer, -1);
    return isNext;
  };
}

async function runAndKill(directory: string, life: number, random: Random): Promise<Ack[]> {
  const snapshotBytes = random.pick([64 << 10, 256 << 10, 16 << 20]);
  const writer = join(import.meta.dirname, 'store-kill/writer.ts');
  const child = spawn(
    process.execPath,
    [
      '--disable-proto=delete',
      '--import',
      'tsx',
      writer,
      directory,
      String(life),
      String(WRITERS),
      String(snapshotBytes),
    ],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  const acks: Ack[] = [];
  const enough = WRITES + random.integer(600);
  for await (const line of createInterface({ input: child.stdout })) {
    const ack = parseAck(line);
    if (ack !== undefined) acks.push(ack);
    // A moment that no write decides: the kill meets the store before, in or after a write.
    if (acks.length === enough) setTimeout(() => child.kill('SIGKILL'), random.integer(4)).unref();
  }
  const [code, signal] = await ended;
  if (signal !== 'SIGKILL')
    throw new Error(`the writer ended by itself with exit code ${code ?? 'none'}; its own error is above`);
  return acks;
}

/** The kill may cut the last line; its write then counts as in flight. */
function parseAck(line: string): Ack | undefined {
  try {
    return JSON.parse(line) as Ack;
  } catch {
    return undefined;
  }
}
