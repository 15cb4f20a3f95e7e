import { configMap, share, Wire, withWires, type Job, type Outcome, type Target } from './wire.js';

type WatchJob = Extract<Job, { kind: 'watch' }>;

/**
 * Opens the watches, then writes half as many objects as there are to be events, and each of them twice. The time
 * runs from the first write until every watcher has read every event. Afterwards each watcher must have exactly the
 * versions that the writers were told, in rising order.
 */
export async function watchEvents(target: Target, job: WatchJob): Promise<Outcome> {
  const path = `/api/v1/namespaces/${job.namespace}/configmaps`;
  return withWires(target, job.clients, async (wires) => {
    const [first] = wires;
    const { metadata } = JSON.parse((await first?.send('GET', path, 200)) ?? '') as {
      metadata: { resourceVersion: string };
    };
    const watchers = Array.from({ length: job.watchers }, () => new Watcher(target, job.events));
    try {
      await Promise.all(
        watchers.map((watcher) => watcher.open(`${path}?watch=true&resourceVersion=${metadata.resourceVersion}`)),
      );
      const started = performance.now();
      const versions = await write(wires, path, job.events);
      await Promise.all(watchers.map((watcher) => watcher.complete));
      const ms = performance.now() - started;
      const expected = versions.sort((a, b) => a - b).join(' ');
      for (const watcher of watchers) watcher.check(expected);
      await first?.send('DELETE', path, 200);
      return { ms, bytes: watchers.reduce((sum, watcher) => sum + watcher.bytes, 0) };
    } finally {
      await Promise.all(watchers.map((watcher) => watcher.close()));
    }
  });
}

/** The versions that the writes got. */
async function write(wires: readonly Wire[], path: string, events: number): Promise<number[]> {
  const versions: number[] = [];
  const note = (text: string): void => void versions.push(Number(/"resourceVersion":"(\d+)"/.exec(text)?.[1]));
  await share(wires, events / 2, async (wire, index) => {
    const name = `seen-${index}`;
    note(await wire.send('POST', path, 201, configMap(name)));
    note(await wire.send('PUT', `${path}/${name}`, 200, configMap(name, 1)));
  });
  return versions;
}

/** Reads one watch; within the measured time it only counts lines. */
class Watcher {
  readonly #wire: Wire;
  readonly #chunks: Buffer[] = [];
  #lines = 0;
  bytes = 0;
  #done: () => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;
  readonly complete: Promise<void>;

  constructor(
    target: Target,
    readonly events: number,
  ) {
    this.#wire = new Wire(target);
    this.complete = new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#fail = reject;
    });
    // Whoever waits for it sees the failure; until then it must not end the process.
    this.complete.catch(() => undefined);
  }

  async open(path: string): Promise<void> {
    const { statusCode, body } = await this.#wire.client.request({ method: 'GET', path, headers: this.#wire.headers });
    if (statusCode !== 200) throw new Error(`a watch was answered with ${statusCode}`);
    body.on('data', (chunk: Buffer) => {
      this.#take(chunk);
    });
    body.once('error', (error) => {
      this.#fail(error);
    });
    body.once('end', () => {
      this.#fail(new Error(`a watch ended after ${this.#lines} of ${this.events} events`));
    });
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.#lines++;
    if (this.#lines >= this.events) this.#done();
  }

  check(expected: string): void {
    const lines = Buffer.concat(this.#chunks).toString('utf8').split('\n').slice(0, -1);
    const seen = lines.map((line) => /"resourceVersion":"(\d+)"/.exec(line)?.[1] ?? '').join(' ');
    if (seen !== expected)
      throw new Error(`a watcher saw ${lines.length} events that are not the ${this.events} writes in order`);
  }

  close(): Promise<void> {
    return this.#wire.close();
  }
}
