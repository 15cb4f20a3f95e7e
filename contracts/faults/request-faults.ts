import type { Random } from '../../src/apiserver/store/testing/random.js';
import { writeJson } from '../../src/model/json/index.js';
import type { ApiCall } from './api-call.js';
import type { Damage, RecordedCall } from './api-proxy.js';

export interface RequestFault {
  readonly name: string;
  damage(random: Random, hangMs: number): Damage;
}

const status = (code: number, reason: string): string =>
  writeJson({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the trial says no',
    reason,
    code,
  });
const answer =
  (code: number, reason: string, headers: Record<string, string> = {}) =>
  (): Damage => ({ kind: 'answer', status: code, headers, body: status(code, reason) });
export const RETRY_AFTER_SECONDS = 1;

/**
 * The nine ways a request fails in practice. Where the server's answer is what breaks, the server did what it was
 * asked.
 */
export const REQUEST_FAULTS: readonly RequestFault[] = [
  {
    name: '429 with Retry-After',
    damage: answer(429, 'TooManyRequests', { 'retry-after': String(RETRY_AFTER_SECONDS) }),
  },
  { name: '500', damage: answer(500, 'InternalError') },
  { name: '503', damage: answer(503, 'ServiceUnavailable') },
  { name: '504', damage: answer(504, 'Timeout') },
  { name: 'reset', damage: (random) => ({ kind: 'reset', when: random.chance(0.5) ? 'before' : 'after' }) },
  { name: 'hang', damage: (_, ms) => ({ kind: 'hang', ms }) },
  { name: 'truncated body', damage: () => ({ kind: 'truncate' }) },
  { name: 'one byte a second', damage: (_, ms) => ({ kind: 'drip', ms }) },
  { name: 'wrong JSON', damage: (random) => ({ kind: 'replace', change: (body) => garble(body, random) }) },
];

export const FAULT_RATES: readonly number[] = [0.01, 0.1, 0.5];

/** A page of a proxy, half a document, an empty body, or another document than asked for. */
function garble(body: Buffer, random: Random): Buffer {
  const texts = [
    '<!DOCTYPE html><html><body>Please log in</body></html>',
    body.subarray(0, body.length >> 1).toString('utf8'),
    '',
    '[]',
    'null',
    '{"kind":"Status","status":"Success"}',
  ];
  return Buffer.from(random.pick(texts));
}

export function damager(fault: RequestFault, rate: number, random: Random, hangMs: number): (call: ApiCall) => Damage {
  return () => (random.chance(rate) ? fault.damage(random, hangMs) : { kind: 'none' });
}

/** Requests that came again before the time that a 429 named. Timers may ring a little early; requests may not. */
export function impatient(calls: readonly RecordedCall[]): string[] {
  const told = new Map<string, number>();
  const wrong: string[] = [];
  for (const call of calls) {
    // What is made by POST has no address yet, and lists and watches have their own pace: only the same request counts.
    if (call.verb === 'create' || call.verb === 'watch' || call.verb === 'list') continue;
    const key = `${call.method} ${call.path}`;
    const until = told.get(key);
    if (until !== undefined && call.at < until - 10)
      wrong.push(`${key} came ${Math.round(until - call.at)} ms too early`);
    told.delete(key);
    if (call.damage === 'answer' && call.status === 429) told.set(key, call.at + RETRY_AFTER_SECONDS * 1000);
  }
  return wrong;
}
