import { describe, expect, it } from 'vitest';
import { TopicSubscriptions } from './topic-subscriptions.js';

const heard = (interests: TopicSubscriptions, topic: string): string[] => [...interests.subscribers(topic)].sort();

describe('interests', () => {
  it('say which topics are new to everybody, and which nobody wants any more', () => {
    const interests = new TopicSubscriptions();
    expect(interests.subscribe('a', new Set(['x', 'y']))).toEqual({ added: ['x', 'y'], dropped: [] });
    expect(interests.subscribe('b', new Set(['y', 'z']))).toEqual({ added: ['z'], dropped: [] });
    expect(interests.subscribe('a', new Set(['z']))).toEqual({ added: [], dropped: ['x'] });
    expect(interests.subscribe('b', new Set())).toEqual({ added: [], dropped: ['y'] });
    expect(interests.subscribe('a', new Set())).toEqual({ added: [], dropped: ['z'] });
  });

  it('are the last ones that a listener named', () => {
    const interests = new TopicSubscriptions();
    interests.subscribe('a', new Set(['x']));
    interests.subscribe('b', new Set(['x']));
    expect(heard(interests, 'x')).toEqual(['a', 'b']);
    interests.subscribe('a', new Set(['y']));
    expect(heard(interests, 'x')).toEqual(['b']);
    expect(heard(interests, 'y')).toEqual(['a']);
    expect(heard(interests, 'nothing')).toEqual([]);
  });

  it('change nothing where they are the same, or where nobody had any', () => {
    const interests = new TopicSubscriptions();
    interests.subscribe('a', new Set(['x']));
    expect(interests.subscribe('a', new Set(['x']))).toEqual({ added: [], dropped: [] });
    expect(interests.subscribe('stranger', new Set())).toEqual({ added: [], dropped: [] });
    expect(heard(interests, 'x')).toEqual(['a']);
  });
});
