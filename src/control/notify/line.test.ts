import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../model/index.js';
import { CHANGE, nextChange, readChange } from './change.js';
import type { Due } from './evaluate-triggers.js';
import { Line } from './line.js';
import { NOTIFIED } from './notified-state.js';

const NOW = new Date('2026-02-03T12:00:00Z');
const app = (health: string, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd', uid: 'u', annotations },
  status: {
    health: { status: health },
    resources: [{ kind: 'Pod', name: 'p', health: { status: health, message: 'out of memory' } }],
  },
});
const due = (trigger: string): Due => ({
  trigger,
  key: `${trigger}:[0].hash:pager:ops`,
  templates: ['one', 'two'],
  destination: { service: 'pager', recipient: 'ops' },
});
/** What another process reads of the same application. */
const inherited = (line: Line): Line => {
  const texts = line.unwritten() ?? { notified: null, change: null, promised: [] };
  return new Line(
    'u',
    app('Healthy', {
      ...(texts.change === null ? {} : { [CHANGE]: texts.change }),
      ...(texts.notified === null ? {} : { [NOTIFIED]: texts.notified }),
    }),
  );
};

describe('messages that were promised', () => {
  it('are kept by whoever comes next, with their ids, their place and what they tell of', () => {
    const line = new Line('u', app('Healthy'));
    line.change = nextChange(line.change, app('Degraded'));
    expect(line.post(due('on-failed'), { text: 'failed' }, NOW)).toBe(true);
    line.change = nextChange(line.change, app('Healthy'));
    line.post(due('on-recovered'), { text: 'recovered' }, NOW);
    const next = inherited(line);
    expect(next.change).toEqual(line.change);
    expect(next.place).toBe(2);
    expect(next.letters).toEqual(line.letters.map((letter) => ({ ...letter, message: undefined, isInherited: true })));
    expect(next.letters.map(({ change }) => change.health)).toEqual(['failed', 'recovered']);
    // Nobody promises them twice, and nobody writes again what stands there.
    expect(next.state.has('on-failed:[0].hash:pager:ops')).toBe(true);
    expect(next.unwritten()).toBeUndefined();
  });

  it('are told when they were taken, and only then', () => {
    const line = new Line('u', app('Healthy'));
    line.post(due('on-failed'), { text: 'failed' }, NOW);
    expect(line.unwritten()).toMatchObject({
      notified: null,
      change: expect.stringContaining('"pending":[{"trigger":"on-failed"') as string,
    });
    const [letter] = line.letters;
    if (letter !== undefined) line.close(letter, NOW);
    expect(line.unwritten()).toEqual({
      promised: [],
      notified: '{"on-failed:[0].hash:pager:ops":1770120000}',
      change: '{"health":"","sync":"","cause":"","syncCause":"","operation":"","sent":1}',
    });
    expect(line.taken).toEqual([letter?.id]);
  });

  it('stay small: those without room wait, and one receiver does not hold up another', () => {
    const line = new Line('u', app('Healthy'));
    const other = { ...due('on-failed'), key: 'other', destination: { service: 'chat', recipient: '' } };
    for (let i = 0; i < 40; i++) line.post({ ...due(`on-${i}`), key: `${'k'.repeat(100)}${i}` }, { text: '' }, NOW);
    line.post(other, { text: '' }, NOW);
    const texts = line.unwritten();
    expect(texts?.change?.length).toBeLessThan(4096);
    const next = inherited(line);
    expect(next.letters.length).toBeGreaterThan(10);
    expect(next.place).toBe(41);
    expect(next.letters.map(({ id }) => id)).toEqual(
      [...line.letters.slice(0, next.letters.length - 1), ...line.letters.slice(-1)].map(({ id }) => id),
    );
    expect(next.letters.every((letter) => next.isPromised(letter))).toBe(true);
    expect(line.letters.some((letter) => line.isPromised(letter))).toBe(false);
    if (texts !== undefined) line.wrote(texts);
    expect(line.letters.filter((letter) => line.isPromised(letter)).map(({ id }) => id)).toEqual(
      next.letters.map(({ id }) => id),
    );
    line.release();
    expect(line.letters.every((letter) => line.isPromised(letter))).toBe(true);
  });

  it('that somebody else wrote are left out', () => {
    for (const pending of [
      'text',
      '[1, null, {}]',
      '[{"trigger":"a","key":"b","templates":1,"service":"c","recipient":"d","place":1}]',
    ]) {
      expect(
        new Line(
          'u',
          app('Healthy', { [CHANGE]: `{"health":"failed","pending":${pending === 'text' ? '"text"' : pending}}` }),
        ).letters,
      ).toEqual([]);
    }
    expect(readChange(app('Healthy', { [CHANGE]: '{"health":"failed","pending":1}' })).health).toBe('failed');
  });
});
