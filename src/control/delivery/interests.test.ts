import { describe, expect, it } from 'vitest';
import { Interests } from './interests.js';

const heard = (interests: Interests, topic: string): string[] => [...interests.listeners(topic)].sort();

describe('interests', () => {
  it('say which topics are new to everybody, and which nobody wants any more', () => {
    const interests = new Interests();
    expect(interests.want('a', new Set(['x', 'y']))).toEqual({ added: ['x', 'y'], dropped: [] });
    expect(interests.want('b', new Set(['y', 'z']))).toEqual({ added: ['z'], dropped: [] });
    expect(interests.want('a', new Set(['z']))).toEqual({ added: [], dropped: ['x'] });
    expect(interests.want('b', new Set())).toEqual({ added: [], dropped: ['y'] });
    expect(interests.want('a', new Set())).toEqual({ added: [], dropped: ['z'] });
  });

  it('are the last ones that a listener named', () => {
    const interests = new Interests();
    interests.want('a', new Set(['x']));
    interests.want('b', new Set(['x']));
    expect(heard(interests, 'x')).toEqual(['a', 'b']);
    interests.want('a', new Set(['y']));
    expect(heard(interests, 'x')).toEqual(['b']);
    expect(heard(interests, 'y')).toEqual(['a']);
    expect(heard(interests, 'nothing')).toEqual([]);
  });

  it('change nothing where they are the same, or where nobody had any', () => {
    const interests = new Interests();
    interests.want('a', new Set(['x']));
    expect(interests.want('a', new Set(['x']))).toEqual({ added: [], dropped: [] });
    expect(interests.want('stranger', new Set())).toEqual({ added: [], dropped: [] });
    expect(heard(interests, 'x')).toEqual(['a']);
  });
});
