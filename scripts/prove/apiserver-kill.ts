import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeJson } from '../../src/model/json/index.js';
import { seededRandom, type Random } from '../../src/apiserver/store/testing/random.js';
import type { Connection } from '../../contracts/apiserver/connection.js';
import { ConsistencyChecker, type WatchEvent } from './apiserver-kill/consistency-checker.js';
import { list, readUntilCut, watchAll } from './apiserver-kill/readers.js';
import { RESOURCES, PREREQUISITES, type Resource, type ObjectState } from './apiserver-kill/resource.js';
import { startAndKill, startServer, type KillableServer } from './apiserver-kill/server.js';
import { applied, send, writeUntilCut } from './apiserver-kill/writers.js';
import { runTrials, type Proof, type ProofContext, type ProofResult, type Trial } from './trials/proof.js';

const WRITERS = 12;
const WRITES = 200;

/**
 * The whole API server, as a user starts it, is killed with SIGKILL at a random moment while clients write over HTTPS,
 * over and over on one data directory, some starts included: every acknowledged write is there afterwards, nothing is
 * there that nobody asked for, the resourceVersion never falls, and a watch goes on without a gap or says 410.
 */
export const proof: Proof = {
  name: 'apiserver-kill',
  sizes: { smoke: 3, full: 200 },
  async run(context) {
    const root = await mkdtemp(join(tmpdir(), 'argosy-apiserver-kill-'));
    const run = new Run(join(root, 'data'));
    try {
      return await run.all(context);
    } finally {
      await run.end();
      await rm(root, { recursive: true, force: true });
    }
  },
};

/** One data directory and the processes that serve it one after the other. */
class Run {
  readonly #data: string;
  readonly #ledger = new ConsistencyChecker();
  /** Where earlier comparisons began; a watch may be asked to go on from any of them. */
  readonly #bases: number[] = [];
  #server: KillableServer | undefined;

  constructor(data: string) {
    this.#data = data;
  }

  async all(context: ProofContext): Promise<ProofResult> {
    return await runTrials(context, (index) => this.#trial(context.seed * 10_007 + index));
  }

  async end(): Promise<void> {
    await this.#server?.stop();
  }

  async #trial(life: number): Promise<Trial> {
    const random = seededRandom(life);
    const server = (this.#server ??= await this.#begin(random));
    await this.#writeAndKill(server, life, random);
    const acknowledged = this.#ledger.acknowledged;
    const earlyKills = await this.#killStarts(random);
    const restarted = (this.#server = await startServer(this.#data));
    const { wrong, expired } = await this.#check(restarted.connection, life, random);
    if (acknowledged < WRITES) wrong.push(`only ${acknowledged} writes were acknowledged before the kill`);
    const count = (kind: string): number => wrong.filter((line) => line.startsWith(kind)).length;
    return {
      wrong,
      counts: {
        'acknowledged writes': acknowledged,
        lost: count('lost'),
        phantom: count('phantom'),
        'revision fell': count('fell'),
        'watches expired': expired,
        'kills while starting': earlyKills,
      },
      samples: { 'restart ms': restarted.startMilliseconds },
    };
  }

  async #begin(random: Random): Promise<KillableServer> {
    await this.#killStarts(random);
    const server = await startServer(this.#data);
    for (const [path, body] of PREREQUISITES) {
      const { code, text } = await server.connection.send({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body: writeJson(body),
      });
      if (code !== 201) throw new Error(`POST ${path} answered ${code}: ${text}`);
    }
    const listed = await Promise.all(RESOURCES.map((resource) => untilServed(server.connection, resource)));
    this.#beginAnew(Math.max(...listed), []);
    return server;
  }

  /** A kill may also meet a server that is still reading its store. */
  async #killStarts(random: Random): Promise<number> {
    if (!random.chance(0.25)) return 0;
    await startAndKill(this.#data, 60 + random.integer(400));
    return 1;
  }

  async #writeAndKill(server: KillableServer, life: number, random: Random): Promise<void> {
    const checker = this.#ledger;
    const { connection } = server;
    const enough = WRITES + random.integer(200);
    let killed: Promise<void> | undefined;
    // A moment that no answer decides: the kill meets writes before, in and after their way to disk.
    const kill = (): Promise<void> => delay(random.integer(5)).then(() => server.kill());
    const writing = {
      connection,
      checker,
      known: new Map(checker.state()),
      onAcknowledged: () => {
        if (checker.acknowledged >= enough) killed ??= kill();
      },
    };
    const from = this.#bases.at(-1) ?? 0;
    const readers = RESOURCES.map((resource) => readUntilCut(connection, checker, resource, from));
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const cut = await writeUntilCut(writing, `${life}/${writer}`, seededRandom(life * 1000 + writer));
        if (killed === undefined)
          throw new Error(`the connection broke before the kill: ${cut.message}`, { cause: cut });
      }),
    );
    await killed;
    await server.disconnect();
    await Promise.all(readers);
  }

  async #check(connection: Connection, life: number, random: Random): Promise<{ wrong: string[]; expired: number }> {
    const ledger = this.#ledger;
    const lists = await Promise.all(RESOURCES.map((resource) => list(connection, resource)));
    const listed = lists.flatMap(({ items }) => items);
    const wrong = ledger.compareList(Math.min(...lists.map(({ revision }) => revision)), listed);
    const fences = new Map<string, ObjectState>();
    let expired = 0;
    for (const resource of RESOURCES) {
      const fence = await this.#fence(connection, resource, life);
      fences.set(fence.key, fence);
      const events = await this.#history(connection, resource, fence, random);
      if (events === undefined) expired++;
      else wrong.push(...ledger.compareHistory(resource.plural, events));
    }
    this.#beginAnew(ledger.newest, [...listed.filter(({ key }) => !fences.has(key)), ...fences.values()]);
    return { wrong, expired };
  }

  /** A write after the restart: its event is the end of what a watch has to show. */
  async #fence(connection: Connection, resource: Resource, life: number): Promise<ObjectState> {
    const known = new Map<string, ObjectState>();
    const request = applied({ resource, name: 'fence', known: undefined, by: `${life}/fence/${resource.plural}` });
    if (request !== undefined)
      await send(request, { connection, checker: this.#ledger, known, onAcknowledged: () => undefined });
    const fence = known.get(`${resource.plural}/fence`);
    if (fence === undefined) throw new Error('the fence was not acknowledged');
    return fence;
  }

  /** What happened since the last comparison, as a watch tells that began there or earlier. */
  async #history(
    connection: Connection,
    resource: Resource,
    fence: ObjectState,
    random: Random,
  ): Promise<readonly WatchEvent[] | undefined> {
    const base = this.#bases.at(-1) ?? 0;
    const early = random.pick(random.chance(0.1) ? this.#bases : this.#bases.slice(-3));
    const isFence = ({ object }: WatchEvent): boolean => object.key === fence.key && object.revision >= fence.revision;
    const events =
      (await watchAll(connection, resource, early, isFence)) ?? (await watchAll(connection, resource, base, isFence));
    if (events !== undefined && !events.some(isFence))
      throw new Error(
        `the watch of ${resource.plural} from ${early} ended before it showed revision ${fence.revision}`,
      );
    return events?.filter(({ object }) => object.revision > base);
  }

  #beginAnew(revision: number, state: readonly ObjectState[]): void {
    this.#ledger.begin(revision, state);
    this.#bases.push(revision);
  }
}

/** A CRD's kind is served a moment after the CRD was made. */
async function untilServed(connection: Connection, resource: Resource): Promise<number> {
  for (let attempt = 0; ; attempt++) {
    try {
      return (await list(connection, resource)).revision;
    } catch (error) {
      if (attempt > 200) throw error;
      await delay(10);
    }
  }
}
