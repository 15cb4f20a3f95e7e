import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../model/index.js';
import { CHANGE, nextChange, readChange } from './change.js';
import type { Due } from './evaluate-triggers.js';
import { Line } from './line.js';
import { NOTIFIED } from './notified-state.js';

const NOW = new Date('2026-02-03T12:00:00Z');
const app = (health: string, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name: 'shop', namespace: 'argocd', uid: 'u', annotations }, status: { health: { status: health }, resources: [{ kind: 'Pod', name: 'p', health: { status: health, message: 'out of memory' } }] },
});
const due = (trigger: string): Due => ({ trigger, key: `${trigger}:[0].hash:pager:ops`, templates: ['one', 'two'], destination: { service: 'pager', recipient: 'ops' } });
/** What another process reads of the same application. */
const inherited = (line: Line): Line => {
  const texts = line.unwritten() ?? { notified: null, change: null };
  return new Line('u', app('Healthy', { ...(texts.change === null ? {} : { [CHANGE]: texts.change }), ...(texts.notified === null ? {} : { [NOTIFIED]: texts.notified }) }));
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
    expect(line.unwritten()).toMatchObject({ notified: null, change: expect.stringContaining('"pending":[{"trigger":"on-failed"') as string });
    const [letter] = line.letters;
    if (letter !== undefined) line.close(letter, NOW);
    expect(line.unwritten()).toEqual({ notified: '{"on-failed:[0].hash:pager:ops":1770120000}', change: '{"health":"","sync":"","cause":"","syncCause":"","operation":"","sent":1}' });
    expect(line.taken).toEqual([letter?.id]);
  });

  it('stay small: those without room keep their place and are promised later', () => {
    const line = new Line('u', app('Healthy'));
    for (let i = 0; i < 50; i++) line.post({ ...due(`on-${i}`), key: `${'k'.repeat(100)}${i}` }, { text: '' }, NOW);
    const text = line.unwritten()?.change ?? '';
    expect(text.length).toBeLessThan(4096);
    const next = inherited(line);
    expect(next.letters.length).toBeGreaterThan(10);
    expect(next.place).toBe(next.letters.length);
    expect(next.letters.map(({ id }) => id)).toEqual(line.letters.slice(0, next.letters.length).map(({ id }) => id));
    while (line.letters[0] !== undefined) line.close(line.letters[0], NOW);
    expect(line.unwritten()?.change).toContain('"sent":50');
  });

  it('that somebody else wrote are left out', () => {
    for (const pending of ['text', '[1, null, {}]', '[{"trigger":"a","key":"b","templates":1,"service":"c","recipient":"d","place":1}]']) {
      expect(new Line('u', app('Healthy', { [CHANGE]: `{"health":"failed","pending":${pending === 'text' ? '"text"' : pending}}` })).letters).toEqual([]);
    }
    expect(readChange(app('Healthy', { [CHANGE]: '{"health":"failed","pending":1}' })).health).toBe('failed');
  });
});
