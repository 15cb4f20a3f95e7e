import type { JsonObject } from '../../../model/json/index.js';

/** How many replicas metrics asked for, and when, in milliseconds. */
interface Recommendation {
  readonly size: number;
  readonly at: number;
}

/** By how many replicas a target grew or shrank, and when. */
interface ScaleEvent {
  readonly change: number;
  readonly at: number;
}

/**
 * What an autoscaler remembers from pass to pass. As in the real controller none of it is stored: after a restart it
 * begins anew.
 */
export class ScalingHistory {
  #recommendations: Recommendation[] = [];
  #events: Readonly<Record<'up' | 'down', ScaleEvent[]>> = { up: [], down: [] };
  /** The last rescale, and the spec that asked for it. */
  rescaled: { readonly size: number; readonly at: number; readonly spec: JsonObject } | undefined;
  /** The failures that Events have reported. */
  recorded = '';

  /** The size that a target has at first counts like a recommendation, so that it does not shrink at once. */
  begin(size: number, now: number): void {
    if (this.#recommendations.length === 0) this.#recommendations.push({ size, at: now });
  }

  /** Keeps a recommendation; those from before `since` are of no use any more. */
  recommend(size: number, now: number, since: number): void {
    this.#recommendations = [...this.#recommendations.filter(({ at }) => at >= since), { size, at: now }];
  }

  /** The sizes that were recommended since then, that moment included or not. */
  recommended(since: number, moment: 'included' | 'excluded'): number[] {
    return this.#recommendations
      .filter(({ at }) => (moment === 'included' ? at >= since : at > since))
      .map(({ size }) => size);
  }

  scaled(from: number, to: number, now: number, since: number): void {
    const direction = to > from ? 'up' : 'down';
    this.#events = {
      ...this.#events,
      [direction]: [
        ...this.#events[direction].filter(({ at }) => at >= since),
        { change: Math.abs(to - from), at: now },
      ],
    };
  }

  /** How many replicas more there are than at that time, through rescaling. */
  growthSince(since: number): number {
    const sum = (events: readonly ScaleEvent[]): number =>
      events.filter(({ at }) => at > since).reduce((total, { change }) => total + change, 0);
    return sum(this.#events.up) - sum(this.#events.down);
  }
}
