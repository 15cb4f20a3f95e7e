import { setTimeout as delay } from 'node:timers/promises';
import { pollDelays } from '../harness/poll-delays.js';
import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import { callText, isDelivery, type ApiCall } from './api-call.js';
import type { Damage } from './api-proxy.js';
import type { ControllerProcess } from './controller-process.js';
import type { Lab, ControllerIdentity } from './lab.js';

/** Where the controller dies, seen from one request of it. */
const MOMENTS = ['before it is sent', 'after it was done and before the answer', 'after the answer'] as const;
type Moment = (typeof MOMENTS)[number];

/**
 * Which of the calls of one sort, from the last start on, and when. Calls of several sorts do not always come in the
 * same order.
 */
export interface KillPoint {
  readonly sort: string;
  readonly nth: number;
  readonly moment: Moment;
}

export interface KillableControllerOptions {
  /** The calls that a trial is about. */
  readonly counts: (call: ApiCall) => boolean;
  /** What the proxy does where nobody dies. */
  readonly otherwise?: (call: ApiCall) => Damage;
  readonly environment?: Readonly<Record<string, string>>;
  /** What happens while nobody is there, before the next one starts. */
  readonly whileDead?: () => Promise<void>;
}

/** The kills of one trial: those still to come, and what it died at so far. */
export interface KillSchedule {
  readonly left: () => number;
  readonly boundaries: readonly string[];
}

const QUIET = 300;
const MAX_RANDOM_KILLS = 3;
/** Of kills that follow one another, each comes early in its life: so there is one left to be killed. */
const EARLY = 3;
const PASS: Damage = { kind: 'none' };

/** A controller that is killed with SIGKILL at planned calls, and started again whenever it is dead. */
export class KillableController {
  #process: ControllerProcess | undefined;
  #isDoomed = false;

  constructor(
    readonly lab: Lab,
    readonly seat: ControllerIdentity,
    readonly options: KillableControllerOptions,
  ) {
    this.disarm();
  }

  /** Not after a kill, although it may take a moment to die. */
  get isAlive(): boolean {
    return !this.#isDoomed && this.#process?.isAlive === true;
  }

  /** Every call that counts since the proxy forgot, in order. */
  get calls(): readonly ApiCall[] {
    return this.seat.proxy.calls.filter((call) => this.options.counts(call));
  }

  /** The controller; another one where it is dead. */
  async running(): Promise<ControllerProcess> {
    for (;;) {
      if (this.#process !== undefined && this.isAlive) return this.#process;
      await this.#process?.gone();
      if (this.#process !== undefined) {
        await this.lab.dropLeases();
        await this.options.whileDead?.();
      }
      this.#isDoomed = false;
      this.#process = await this.lab.launchController(this.seat, [], this.options.environment);
      try {
        await this.#process.ready();
      } catch (error) {
        // It may meet its end before it has said that it runs.
        if (!this.#wasKilled()) throw error;
      }
    }
  }

  #wasKilled(): boolean {
    return this.#isDoomed;
  }

  kill(): void {
    this.#isDoomed = true;
    this.#process?.kill();
  }

  /** Kills at each of the planned points, one after the other; the next counts from the next start. */
  arm(kills: readonly KillPoint[]): KillSchedule {
    const { proxy } = this.seat;
    const boundaries: string[] = [];
    let next = 0;
    let count = 0;
    let current: ApiCall | undefined;
    const dieAt = (moment: Moment, call: ApiCall): boolean => {
      if (kills[next]?.moment !== moment || current !== call || !this.isAlive) return false;
      next++;
      count = 0;
      current = undefined;
      boundaries.push(`${callText(call)}, ${moment}`);
      this.kill();
      return true;
    };
    proxy.decide = (call) => {
      if (this.options.counts(call) && kills[next]?.sort === sortOf(call) && ++count === kills[next]?.nth)
        current = call;
      return dieAt(MOMENTS[0], call) ? { kind: 'reset', when: 'before' } : (this.options.otherwise?.(call) ?? PASS);
    };
    proxy.beforeReply = (call) => {
      dieAt(MOMENTS[1], call);
    };
    proxy.afterReply = (call) => {
      dieAt(MOMENTS[2], call);
    };
    return { left: () => kills.length - next, boundaries };
  }

  disarm(): void {
    const { proxy } = this.seat;
    proxy.decide = (call) => this.options.otherwise?.(call) ?? PASS;
    proxy.beforeReply = () => undefined;
    proxy.afterReply = () => undefined;
  }

  /**
   * Until what is looked for is seen, by a controller that lives. What a kill takes away after the end is part of a
   * trial too, so the last kill gets a moment to come.
   */
  async until<T>(
    doom: KillSchedule,
    within: number,
    look: () => Promise<T>,
    isOver: (seen: T) => boolean,
    tell: (seen: T) => Promise<string> | string,
  ): Promise<T> {
    for (const end = performance.now() + within, next = pollDelays(); ; await next()) {
      const controller = await this.running();
      const seen = await look();
      if (isOver(seen) && (doom.left() === 0 || (await this.#isQuiet())) && this.isAlive) return seen;
      if (performance.now() > end)
        throw new Error(`${await tell(seen)} after ${within / 1000} s; the controller says:\n${controller.tail()}`);
    }
  }

  /** No call that counts for a while. */
  async #isQuiet(): Promise<boolean> {
    const before = this.calls.length;
    await delay(QUIET);
    return this.calls.length === before && this.isAlive;
  }
}

function sortOf({ verb, resource, subresource }: ApiCall): string {
  return `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
}

/**
 * Every point of an uninterrupted run: a call that changes something is met at each moment, one that only asks at one.
 */
export function killPoints(calls: readonly ApiCall[]): KillPoint[] {
  const counts = new Map<string, number>();
  return calls.flatMap((call) => {
    const sort = sortOf(call);
    const nth = (counts.get(sort) ?? 0) + 1;
    counts.set(sort, nth);
    return (isDelivery(call) ? MOMENTS : MOMENTS.slice(0, 1)).map((moment) => ({ sort, nth, moment }));
  });
}

/**
 * One kill at every point first, in a stride without a common factor so that a short run sees all parts; then several
 * at random.
 */
export function plannedKills(points: readonly KillPoint[], turn: number, seed: number): readonly KillPoint[] {
  const point = turn < points.length ? points[((turn + 1) * coprime(points.length, 17)) % points.length] : undefined;
  if (point !== undefined) return [point];
  const random = seededRandom(seed);
  return Array.from({ length: 1 + random.integer(MAX_RANDOM_KILLS) }, () =>
    random.pick(points.filter(({ nth }) => nth <= EARLY)),
  );
}

/** An uninterrupted run of each kind, measured once; one that is wrong by itself proves nothing. */
export function reference<K, R extends { readonly wrong: readonly string[] }>(
  run: (kind: K) => Promise<R>,
): (kind: K) => Promise<R> {
  const known = new Map<K, Promise<R>>();
  const measure = async (kind: K): Promise<R> => {
    const result = await run(kind);
    if (result.wrong.length > 0) throw new Error(`without any kill: ${result.wrong.join('; ')}`);
    return result;
  };
  return (kind) => {
    const made = known.get(kind) ?? measure(kind);
    known.set(kind, made);
    return made;
  };
}

export function pointText({ sort, nth, moment }: KillPoint): string {
  return `${sort} no. ${nth}, ${moment}`;
}

function coprime(size: number, wish: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let stride = wish;
  while (size > 0 && divisor(size, stride) !== 1) stride++;
  return stride;
}
