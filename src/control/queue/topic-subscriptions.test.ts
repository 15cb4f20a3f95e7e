import { describe, expect, it } from 'vitest';
import { TopicSubscriptions } from './topic-subscriptions.js';

const listenersOf = (subscriptions: TopicSubscriptions, topic: string): string[] =>
  [...subscriptions.subscribers(topic)].sort();

describe('subscriptions', () => {
  it('return topics with a first listener and topics without any left', () => {
    const subscriptions = new TopicSubscriptions();
    expect(subscriptions.subscribe('a', new Set(['x', 'y']))).toEqual({ added: ['x', 'y'], dropped: [] });
    expect(subscriptions.subscribe('b', new Set(['y', 'z']))).toEqual({ added: ['z'], dropped: [] });
    expect(subscriptions.subscribe('a', new Set(['z']))).toEqual({ added: [], dropped: ['x'] });
    expect(subscriptions.subscribe('b', new Set())).toEqual({ added: [], dropped: ['y'] });
    expect(subscriptions.subscribe('a', new Set())).toEqual({ added: [], dropped: ['z'] });
  });

  it('are replaced by the next ones of the same listener', () => {
    const subscriptions = new TopicSubscriptions();
    subscriptions.subscribe('a', new Set(['x']));
    subscriptions.subscribe('b', new Set(['x']));
    expect(listenersOf(subscriptions, 'x')).toEqual(['a', 'b']);
    subscriptions.subscribe('a', new Set(['y']));
    expect(listenersOf(subscriptions, 'x')).toEqual(['b']);
    expect(listenersOf(subscriptions, 'y')).toEqual(['a']);
    expect(listenersOf(subscriptions, 'nothing')).toEqual([]);
  });

  it('change nothing if they are the same, or if there were none', () => {
    const subscriptions = new TopicSubscriptions();
    subscriptions.subscribe('a', new Set(['x']));
    expect(subscriptions.subscribe('a', new Set(['x']))).toEqual({ added: [], dropped: [] });
    expect(subscriptions.subscribe('stranger', new Set())).toEqual({ added: [], dropped: [] });
    expect(listenersOf(subscriptions, 'x')).toEqual(['a']);
  });
});
