import type { Socket } from 'node:net';
import { request } from 'node:http';
import { own, type JsonObject } from '../../../model/json/index.js';
import type { Clock } from '../../rest/index.js';
import { count, items, maybe, number, text } from '../../resources/index.js';
import type { ContainerHealth } from '../runtime.js';

/** Where a process is asked, and the name of that place in messages. */
export interface ProbeTarget {
  readonly host: string;
  dial(port: number): Promise<Socket>;
}

type Kind = 'startup' | 'readiness' | 'liveness';

interface ProbeState {
  successes: number;
  failures: number;
}

/** Asks a process how it is, as its probes say, and keeps what it answered. */
export class Prober {
  #health: ContainerHealth;
  readonly #states = new Map<Kind, ProbeState>();
  readonly #timers = new Set<() => void>();
  #closed = false;

  constructor(
    readonly clock: Clock,
    readonly container: JsonObject,
    readonly target: ProbeTarget,
    readonly changed: () => void,
  ) {
    const started = !this.#spec('startup');
    this.#health = { started, ready: started && !this.#spec('readiness'), failure: undefined };
    if (started) this.#begin();
    else this.#watch('startup');
  }

  get health(): ContainerHealth {
    return this.#health;
  }

  close(): void {
    this.#closed = true;
    for (const stop of this.#timers) stop();
  }

  #spec(kind: Kind): JsonObject | undefined {
    return maybe(this.container, `${kind}Probe`);
  }

  #begin(): void {
    if (this.#spec('readiness')) this.#watch('readiness');
    if (this.#spec('liveness')) this.#watch('liveness');
  }

  #watch(kind: Kind): void {
    this.#after(count(this.#spec(kind), 'initialDelaySeconds') * 1000, () => void this.#probe(kind));
  }

  #after(milliseconds: number, act: () => void): void {
    const stop = this.clock.after(milliseconds, () => {
      this.#timers.delete(stop);
      if (!this.#closed) act();
    });
    this.#timers.add(stop);
  }

  async #probe(kind: Kind): Promise<void> {
    const spec = this.#spec(kind) ?? {};
    const message = await askProbe(this.container, spec, this.target, (number(spec, 'timeoutSeconds') ?? 1) * 1000);
    if (this.#closed) return;
    const state = this.#states.get(kind) ?? { successes: 0, failures: 0 };
    this.#states.set(
      kind,
      message === undefined
        ? { successes: state.successes + 1, failures: 0 }
        : { successes: 0, failures: state.failures + 1 },
    );
    this.#updateHealth(kind, spec, message);
    if (!(kind === 'startup' && this.#health.started))
      this.#after((number(spec, 'periodSeconds') ?? 10) * 1000, () => void this.#probe(kind));
  }

  #updateHealth(kind: Kind, spec: JsonObject, message: string | undefined): void {
    const { successes, failures } = this.#states.get(kind) ?? { successes: 0, failures: 0 };
    const isWell = successes >= (number(spec, 'successThreshold') ?? 1);
    const isIll = failures >= (number(spec, 'failureThreshold') ?? 3);
    const before = this.#health;
    const failure = message === undefined ? undefined : { kind, message, kills: kind !== 'readiness' && isIll };
    if (kind === 'startup' && isWell) {
      this.#health = { started: true, ready: !this.#spec('readiness'), failure: undefined };
      this.#begin();
    } else if (kind === 'readiness') this.#health = { ...before, ready: isWell || (before.ready && !isIll), failure };
    else this.#health = { ...before, failure };
    if (
      before.started !== this.#health.started ||
      before.ready !== this.#health.ready ||
      before.failure?.message !== failure?.message ||
      failure?.kills === true
    )
      this.changed();
  }
}

/** What an author wrote may be no request at all, such as a header that HTTP does not know: the probe fails then. */
async function askProbe(...asked: Parameters<typeof runProbe>): Promise<string | undefined> {
  try {
    return await runProbe(...asked);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Undefined: well; else what is wrong, in the kubelet's words. */
async function runProbe(
  container: JsonObject,
  probe: JsonObject,
  target: ProbeTarget,
  milliseconds: number,
): Promise<string | undefined> {
  const http = maybe(probe, 'httpGet');
  if (http)
    return probeHttp(
      target,
      portOf(container, http),
      text(http, 'path') || '/',
      items(http, 'httpHeaders'),
      milliseconds,
    );
  const tcp = maybe(probe, 'tcpSocket');
  if (tcp) return probeTcp(target, portOf(container, tcp), milliseconds);
  return 'only httpGet and tcpSocket probes can be asked of processes';
}

function portOf(container: JsonObject, action: JsonObject): number {
  const port = own(action, 'port');
  if (typeof port === 'number') return port;
  return (
    number(
      items(container, 'ports').find((each) => text(each, 'name') === port),
      'containerPort',
    ) ?? Number(port ?? 0)
  );
}

async function probeHttp(
  { host, dial }: ProbeTarget,
  port: number,
  path: string,
  headers: readonly JsonObject[],
  timeout: number,
): Promise<string | undefined> {
  const failed = (error: Error): string => `Get "http://${host}:${port}${path}": ${errorText(error, host, port)}`;
  // As the kubelet does: what a path cannot hold is encoded.
  const written = path.replaceAll(/[^\x21-\x7e]/gu, percentEncoded);
  const given = Object.fromEntries([
    ['User-Agent', 'kube-probe/1.34'],
    ...headers.map((each) => [text(each, 'name'), text(each, 'value')] as const),
  ]);
  let socket: Socket;
  try {
    socket = await within(dial(port), timeout);
  } catch (error) {
    return failed(error as Error);
  }
  return new Promise((resolve, reject) => {
    // A header that is none is refused before anybody has the connection.
    socket.on('error', () => undefined);
    try {
      const asked = request(
        { host, port, path: written, timeout, headers: given, createConnection: () => socket },
        (answer) => {
          answer.resume();
          const code = answer.statusCode ?? 0;
          resolve(code >= 200 && code < 400 ? undefined : `HTTP probe failed with statuscode: ${code}`);
        },
      );
      asked.on('timeout', () =>
        asked.destroy(new Error('context deadline exceeded (Client.Timeout exceeded while awaiting headers)')),
      );
      asked.on('error', (error) => resolve(failed(error)));
      asked.end();
    } catch (error) {
      socket.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function percentEncoded(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

async function probeTcp({ host, dial }: ProbeTarget, port: number, timeout: number): Promise<string | undefined> {
  try {
    (await within(dial(port), timeout)).destroy();
    return undefined;
  } catch (error) {
    return (error as Error).message === 'i/o timeout'
      ? `dial tcp ${host}:${port}: i/o timeout`
      : errorText(error as Error, host, port);
  }
}

/** A connection that comes too late is nobody's. */
function within(dialled: Promise<Socket>, milliseconds: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new Error('i/o timeout'));
    }, milliseconds);
    dialled
      .finally(() => {
        clearTimeout(timer);
      })
      .then((socket) => {
        if (isLate) socket.destroy();
        else resolve(socket);
      }, reject);
  });
}

function errorText(error: Error, host: string, port: number): string {
  return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    ? `dial tcp ${host}:${port}: connect: connection refused`
    : error.message;
}
