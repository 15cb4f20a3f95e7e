import { describe, expect, it } from 'vitest';
import { writeConditions, type Condition } from './condition.js';

const [EARLIER, NOW] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
const error = (message: string): Condition => ({ type: 'ComparisonError', message });

describe('the time of a condition', () => {
  it('stays while type and message are the same', () => {
    const before = writeConditions([error('no such path')], undefined, EARLIER);
    expect(writeConditions([error('no such path')], before, NOW)).toEqual(before);
    expect(writeConditions([error('no such branch')], before, NOW)).toEqual([
      { ...error('no such branch'), lastTransitionTime: NOW },
    ]);
    expect(writeConditions([{ type: 'SyncError', message: 'no such path' }], before, NOW)[0]?.lastTransitionTime).toBe(
      NOW,
    );
  });

  it('is kept for each of several of one type', () => {
    const before = writeConditions([error('a'), error('b')], undefined, EARLIER);
    expect(
      writeConditions([error('b'), error('c')], before, NOW).map(({ message, lastTransitionTime }) => [
        message,
        lastTransitionTime,
      ]),
    ).toEqual([
      ['b', EARLIER],
      ['c', NOW],
    ]);
  });

  it.each([
    undefined,
    null,
    7,
    'text',
    {},
    [7, null, 'x'],
    [{ ...error('a'), lastTransitionTime: 7 }],
    [{ type: 7, message: {} }],
  ])('is now where the status before is %j', (before) => {
    expect(writeConditions([error('a')], before, NOW)).toEqual([{ ...error('a'), lastTransitionTime: NOW }]);
  });
});

describe('the list of conditions', () => {
  it('is sorted and has no duplicates', () => {
    const some: Condition[] = [error('b'), { type: 'AnnotationWarning', message: 'x' }, error('a'), error('b')];
    const written = writeConditions(some, undefined, NOW);
    expect(written.map(({ type, message }) => `${String(type)} ${String(message)}`)).toEqual([
      'AnnotationWarning x',
      'ComparisonError a',
      'ComparisonError b',
    ]);
    expect(writeConditions([...some].reverse(), undefined, NOW)).toEqual(written);
  });

  it('has every type, and a limited number of each', () => {
    const many = Array.from(
      { length: 10_000 },
      (_, index): Condition => ({ type: 'ExcludedResourceWarning', message: `object ${index}` }),
    );
    const written = writeConditions([...many, error('a')], undefined, NOW);
    expect(written).toHaveLength(52);
    expect(written.at(-1)?.message).toBe('and 9950 more of these');
    expect(written[0]).toEqual({ ...error('a'), lastTransitionTime: NOW });
  });

  it('limits the length of a message', () => {
    const [written] = writeConditions([error('x'.repeat(5_000_000))], undefined, NOW);
    expect(String(written?.message)).toHaveLength(4099);
    expect(writeConditions([error('x'.repeat(5_000_000))], [written ?? {}], 'later')).toEqual([written]);
  });
});
