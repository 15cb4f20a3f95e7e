import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { CHANGE_ANNOTATION, nextChange, readChange } from './change.js';
import type { DueMessage } from './evaluate-triggers.js';
import { Backlog } from './backlog.js';
import { NOTIFIED_ANNOTATION } from './notified-state.js';

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
const due = (trigger: string): DueMessage => ({
  trigger,
  key: `${trigger}:[0].hash:pager:ops`,
  templates: ['one', 'two'],
  destination: { service: 'pager', recipient: 'ops' },
});
/** What another process reads of the same application. */
const inherited = (line: Backlog): Backlog => {
  const texts = line.pendingAnnotations() ?? { notified: null, change: null, promised: [] };
  return new Backlog(
    'u',
    app('Healthy', {
      ...(texts.change === null ? {} : { [CHANGE_ANNOTATION]: texts.change }),
      ...(texts.notified === null ? {} : { [NOTIFIED_ANNOTATION]: texts.notified }),
    }),
  );
};

describe('messages that were promised', () => {
  it('are kept by the next process, with their ids, order and triggers', () => {
    const line = new Backlog('u', app('Healthy'));
    line.change = nextChange(line.change, app('Degraded'));
    expect(line.enqueue(due('on-failed'), { text: 'failed' }, NOW)).toBe(true);
    line.change = nextChange(line.change, app('Healthy'));
    line.enqueue(due('on-recovered'), { text: 'recovered' }, NOW);
    const next = inherited(line);
    expect(next.change).toEqual(line.change);
    expect(next.place).toBe(2);
    expect(next.messages).toEqual(
      line.messages.map((letter) => ({ ...letter, message: undefined, isInherited: true })),
    );
    expect(next.messages.map(({ change }) => change.health)).toEqual(['failed', 'recovered']);
    // They are neither promised nor written twice.
    expect(next.state.has('on-failed:[0].hash:pager:ops')).toBe(true);
    expect(next.pendingAnnotations()).toBeUndefined();
  });

  it('are recorded as sent when they were delivered, and only then', () => {
    const line = new Backlog('u', app('Healthy'));
    line.enqueue(due('on-failed'), { text: 'failed' }, NOW);
    expect(line.pendingAnnotations()).toMatchObject({
      notified: null,
      change: expect.stringContaining('"pending":[{"trigger":"on-failed"') as string,
    });
    const [letter] = line.messages;
    if (letter !== undefined) line.complete(letter, NOW);
    expect(line.pendingAnnotations()).toEqual({
      promised: [],
      notified: '{"on-failed:[0].hash:pager:ops":1770120000}',
      change: '{"health":"","sync":"","cause":"","syncCause":"","operation":"","sent":1}',
    });
    expect(line.delivered).toEqual([letter?.id]);
  });

  it('stay small: those without room wait, and one receiver does not block another', () => {
    const line = new Backlog('u', app('Healthy'));
    const other = { ...due('on-failed'), key: 'other', destination: { service: 'chat', recipient: '' } };
    for (let i = 0; i < 40; i++) line.enqueue({ ...due(`on-${i}`), key: `${'k'.repeat(100)}${i}` }, { text: '' }, NOW);
    line.enqueue(other, { text: '' }, NOW);
    const texts = line.pendingAnnotations();
    expect(texts?.change?.length).toBeLessThan(4096);
    const next = inherited(line);
    expect(next.messages.length).toBeGreaterThan(10);
    expect(next.place).toBe(41);
    expect(next.messages.map(({ id }) => id)).toEqual(
      [...line.messages.slice(0, next.messages.length - 1), ...line.messages.slice(-1)].map(({ id }) => id),
    );
    expect(next.messages.every((letter) => next.isPromised(letter))).toBe(true);
    expect(line.messages.some((letter) => line.isPromised(letter))).toBe(false);
    if (texts !== undefined) line.markWritten(texts);
    expect(line.messages.filter((letter) => line.isPromised(letter)).map(({ id }) => id)).toEqual(
      next.messages.map(({ id }) => id),
    );
    line.release();
    expect(line.messages.every((letter) => line.isPromised(letter))).toBe(true);
  });

  it('in another format are dropped', () => {
    for (const pending of [
      'text',
      '[1, null, {}]',
      '[{"trigger":"a","key":"b","templates":1,"service":"c","recipient":"d","place":1}]',
    ]) {
      expect(
        new Backlog(
          'u',
          app('Healthy', {
            [CHANGE_ANNOTATION]: `{"health":"failed","pending":${pending === 'text' ? '"text"' : pending}}`,
          }),
        ).messages,
      ).toEqual([]);
    }
    expect(readChange(app('Healthy', { [CHANGE_ANNOTATION]: '{"health":"failed","pending":1}' })).health).toBe(
      'failed',
    );
  });
});
