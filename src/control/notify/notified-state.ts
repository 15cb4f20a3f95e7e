import { createHash } from 'node:crypto';
import { compareText } from '../../model/go/index.js';
import { isObject, own, parseJson } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Destination } from './service.js';

export const NOTIFIED_ANNOTATION = 'notified.notifications.argoproj.io';
/** As many as Argo CD keeps. */
const MAX_ENTRIES = 100;

/**
 * Sent notifications, as Argo CD records them: `[<once per>:]<trigger>:[<index>].<hash of when>:<service>:<recipient>`
 * to the time in seconds.
 */
export class NotifiedState {
  readonly #times: Map<string, number>;

  private constructor(times: Map<string, number>) {
    this.#times = times;
  }

  static read({ metadata }: KubeObject): NotifiedState {
    return new NotifiedState(new Map(entries(metadata.annotations?.[NOTIFIED_ANNOTATION] ?? '')));
  }

  has(key: string): boolean {
    return this.#times.has(key);
  }

  add(key: string, now: Date): void {
    this.#times.set(key, Math.floor(now.getTime() / 1000));
  }

  remove(key: string): void {
    this.#times.delete(key);
  }

  /** For the annotation; null if there is nothing to keep. Messages in delivery do not count yet. */
  text(onTheirWay: ReadonlySet<string>): string | null {
    const kept = [...this.#times]
      .filter(([key]) => !onTheirWay.has(key))
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_ENTRIES);
    return kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept.sort(([a], [b]) => compareText(a, b))));
  }
}

function entries(text: string): [string, number][] {
  const value = text === '' ? undefined : tryParseJson(text);
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const time = own(value, key);
    return typeof time === 'number' ? [[key, time] as [string, number]] : [];
  });
}

function tryParseJson(text: string): ReturnType<typeof parseJson> | undefined {
  try {
    return parseJson(text);
  } catch {
    // Not our format: ignored, as in Argo CD.
    return undefined;
  }
}

/** The name of one condition of one trigger, for one destination. */
export function stateKey(
  trigger: string,
  index: number,
  when: string,
  oncePer: string,
  { service, recipient }: Destination,
): string {
  const hash = createHash('sha1').update(when).digest('base64url');
  return `${oncePer === '' ? '' : `${oncePer}:`}${trigger}:[${index}].${hash}:${service}:${recipient}`;
}
