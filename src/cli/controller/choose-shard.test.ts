import { describe, expect, it } from 'vitest';
import { chooseShard } from './choose-shard.js';

describe('the shard of a controller', () => {
  it.each([
    ['nothing is said', {}, {}, 'pod-2', undefined],
    ['there is one', { shards: 1 }, {}, 'pod-2', undefined],
    ['flags say it', { shards: 3, shard: 1 }, { ARGOSY_SHARDS: '9' }, 'pod-2', { index: 1, count: 3 }],
    ['it is a pod of a StatefulSet', { shards: 3 }, {}, 'argosy-controller-2.argosy.svc', { index: 2, count: 3 }],
    ['variables say it', {}, { ARGOSY_SHARDS: '4', ARGOSY_SHARD: '3' }, 'laptop', { index: 3, count: 4 }],
    [
      'the variables of Argo CD say it',
      {},
      { ARGOCD_CONTROLLER_REPLICAS: '2', ARGOCD_CONTROLLER_SHARD: '-1' },
      'argocd-application-controller-1',
      { index: 1, count: 2 },
    ],
  ])('where %s', (_, said, environment, hostname, expected) => {
    expect(chooseShard(said, environment, hostname)).toEqual(expected);
  });

  it.each([
    [
      'a host name without a number',
      { shards: 3 },
      {},
      'laptop',
      'the host name "laptop" does not say which of the 3 shards this process is: set --shard, from 0 to 2',
    ],
    ['one too many', { shards: 3, shard: 3 }, {}, 'laptop', 'shard 3 of 3 does not exist'],
    ['a shard of nothing', { shard: 1 }, {}, 'laptop', 'shard 1 of 1 does not exist'],
    ['none at all', { shards: 0, shard: 1 }, {}, 'laptop', 'shard 1 of 1 does not exist'],
    [
      'a variable that is no number',
      {},
      { ARGOCD_CONTROLLER_REPLICAS: 'many' },
      'laptop',
      '"many" is not a number of shards',
    ],
  ])('is refused for %s', (_, said, environment, hostname, words) => {
    expect(() => chooseShard(said, environment, hostname)).toThrow(words);
  });
});
