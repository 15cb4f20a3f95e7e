import { beforeEach, describe, expect, it } from 'vitest';
import { ConsistencyChecker, type WatchEvent } from '../../scripts/prove/apiserver-kill/consistency-checker.js';
import { RESOURCES, readObjectState, textFor, type ObjectState } from '../../scripts/prove/apiserver-kill/resource.js';

// A proof is worth what its judge can find: each way to lose or invent a write must be named.

function stateOf(name: string, revision: number, by: string, uid = `uid-${name}`): ObjectState {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, uid, resourceVersion: String(revision) },
    data: { by, text: textFor(by) },
  };
  return readObjectState(RESOURCES[0]!, object);
}

const added = (object: ObjectState): WatchEvent => ({ type: 'ADDED', object });
const modified = (object: ObjectState): WatchEvent => ({ type: 'MODIFIED', object });
const deleted = (object: ObjectState): WatchEvent => ({ type: 'DELETED', object });

const old = stateOf('old', 5, '0/0/0');
const gone = stateOf('gone', 6, '0/0/1');
const fresh = stateOf('fresh', 11, '1/0/0');
const newer = stateOf('old', 12, '1/1/0');
let checker: ConsistencyChecker;

// At revision 10 `old` and `gone` were there; then `fresh` was made, `old` replaced, `gone` deleted, all acknowledged.
beforeEach(() => {
  checker = new ConsistencyChecker();
  checker.begin(10, [old, gone]);
  checker.acknowledge(fresh);
  checker.acknowledge(newer, 5);
  checker.acknowledgeDeletion('configmaps/gone', 'uid-gone');
});

const HISTORY = [added(fresh), modified(newer), deleted(stateOf('gone', 13, '0/0/1'))];

describe('a list after a restart', () => {
  it.each([
    ['all that was acknowledged is right', 13, [fresh, newer], []],
    ['an absent object was lost', 13, [newer], ['lost: configmaps/fresh at revision 11 is absent']],
    ['an older state was lost', 13, [fresh, old], ['lost: configmaps/old at revision 12 is back at 5']],
    [
      'a deletion that is undone was lost',
      13,
      [fresh, newer, gone],
      ['lost: configmaps/gone at revision 6 is there, its deletion was acknowledged'],
    ],
    [
      'an object that nobody made is a phantom',
      14,
      [fresh, newer, stateOf('x', 14, '1/2/0')],
      ['phantom: configmaps/x at revision 14 by 1/2/0, which nobody wrote'],
    ],
    [
      'a revision below what clients saw fell',
      11,
      [fresh, newer],
      ['fell: the list has resourceVersion 11, clients had seen 12'],
    ],
  ] as const)('%s', (_name, revision, listed, wrong) => {
    expect(checker.compareList(revision, listed)).toEqual(wrong);
  });

  it('may show a request in flight', () => {
    checker.unanswered({ key: 'configmaps/x', by: '1/2/0' });
    checker.unanswered({ key: 'configmaps/fresh', by: undefined });
    expect(checker.compareList(15, [newer, stateOf('x', 14, '1/2/0')])).toEqual([]);
  });

  it('may not show another content at the same revision', () => {
    expect(checker.compareList(13, [stateOf('fresh', 11, '1/0/9'), newer])[0]).toMatch(
      /^lost: configmaps\/fresh at revision 11 should be .*1\/0\/0.* and is .*1\/0\/9/,
    );
  });

  it('may not show a mixture of two writes', () => {
    expect(checker.compareList(13, [{ ...fresh, text: textFor('1/0/9') }, newer])).toEqual([
      'phantom: configmaps/fresh at revision 11 is a mixture: 1/0/0 with the text 1/0/9 ' +
        textFor('1/0/9').slice(6, 40),
    ]);
  });

  it('must show what a watch had shown', () => {
    checker.observe(stateOf('seen', 14, '1/3/0'));
    expect(checker.compareList(14, [fresh, newer])).toEqual(['lost: configmaps/seen at revision 14 is absent']);
  });
});

describe('a watch from before the kill', () => {
  it.each([
    ['all events in order are right', HISTORY, []],
    ['a missing write was lost', HISTORY.slice(1), ['lost: revision 11 of configmaps/fresh is not in the watch']],
    [
      'a missing deletion was lost',
      HISTORY.slice(0, 2),
      ['lost: the deletion of configmaps/gone (uid-gone) is not in the watch'],
    ],
    [
      'a wrong order is found',
      [HISTORY[1]!, HISTORY[0]!, HISTORY[2]!],
      ['lost: the watch shows configmaps/fresh at revision 11 after revision 12'],
    ],
    [
      'a change that nobody asked for is a phantom',
      [...HISTORY, modified(stateOf('old', 14, '1/2/0'))],
      ['phantom: MODIFIED of configmaps/old at revision 14 by 1/2/0, which nobody asked for'],
    ],
    [
      'a deletion that nobody asked for is a phantom',
      [...HISTORY, deleted(stateOf('fresh', 14, '1/0/0'))],
      ['phantom: DELETED of configmaps/fresh at revision 14 by 1/0/0, which nobody asked for'],
    ],
  ] as const)('%s', (_name, events, wrong) => {
    expect(checker.compareHistory('configmaps', events)).toEqual(wrong);
  });

  it('counts a request in flight once', () => {
    checker.unanswered({ key: 'configmaps/old', by: '1/2/0' });
    expect(checker.compareHistory('configmaps', [...HISTORY, modified(stateOf('old', 14, '1/2/0'))])).toEqual([]);
    expect(
      checker.compareHistory('configmaps', [
        ...HISTORY,
        modified(stateOf('old', 14, '1/2/0')),
        modified(stateOf('old', 15, '1/2/0')),
      ]),
    ).toHaveLength(1);
  });

  it('does not take what was only seen for an answer', () => {
    checker.observe(stateOf('old', 14, '1/2/0'));
    expect(checker.compareHistory('configmaps', [...HISTORY, modified(stateOf('old', 14, '1/2/0'))])).toEqual([
      'phantom: MODIFIED of configmaps/old at revision 14 by 1/2/0, which nobody asked for',
    ]);
  });

  it('finds a conditional write that replaced another state than it named', () => {
    checker.acknowledge(stateOf('old', 14, '1/4/0'), 5);
    expect(checker.compareHistory('configmaps', [...HISTORY, modified(stateOf('old', 14, '1/4/0'))])).toEqual([
      'lost: configmaps/old at revision 14 was to replace 5 and replaced 12',
    ]);
  });
});
