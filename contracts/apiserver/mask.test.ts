import { expect, it } from 'vitest';
import type { Json } from '../../src/model/json/index.js';
import { Mask } from './mask.js';

const A = 'aaaaaaaa-1111-2222-3333-444444444444';
const B = 'bbbbbbbb-1111-2222-3333-444444444444';
const masked = (mask: Mask, value: Json): Json => mask.number(mask.value(value));

it('gives the same uid and version the same number', () => {
  const mask = new Mask('ns1', 'host:1');
  const one = { metadata: { name: 'one', uid: A, resourceVersion: '7' } };
  expect(masked(mask, one)).toEqual({ metadata: { name: 'one', uid: '<uid 1>', resourceVersion: '<version 1>' } });
  expect(
    masked(mask, { metadata: { name: 'two', uid: B, resourceVersion: '8', ownerReferences: [{ uid: A }] } }),
  ).toEqual({
    metadata: { name: 'two', uid: '<uid 2>', resourceVersion: '<version 2>', ownerReferences: [{ uid: '<uid 1>' }] },
  });
  expect(masked(mask, one)).toEqual({ metadata: { name: 'one', uid: '<uid 1>', resourceVersion: '<version 1>' } });
});

it('does not number the version of a list', () => {
  const mask = new Mask('ns1', 'host:1');
  expect(
    masked(mask, {
      kind: 'PodList',
      metadata: { resourceVersion: '99' },
      items: [{ metadata: { name: 'a', resourceVersion: '7' } }],
    }),
  ).toEqual({
    kind: 'PodList',
    metadata: { resourceVersion: '<version>' },
    items: [{ metadata: { name: 'a', resourceVersion: '<version 1>' } }],
  });
});

it('hides the time of now and keeps a time that the case wrote', () => {
  const mask = new Mask('ns1', 'host:1');
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  expect(masked(mask, { a: now, b: '2020-01-01T00:00:00Z' })).toEqual({ a: '<time>', b: '2020-01-01T00:00:00Z' });
});

it('hides the random end of a generated name everywhere', () => {
  const mask = new Mask('ns1', 'host:1');
  const value = { message: 'pods "web-x7k2p" in ns1', metadata: { name: 'web-x7k2p', generateName: 'web-' } };
  expect(masked(mask, value)).toEqual({
    message: 'pods "web-<random>" in $NS',
    metadata: { name: 'web-<random>', generateName: 'web-' },
  });
});

it('a copy learns without telling', () => {
  const mask = new Mask('ns1', 'host:1');
  masked(mask.copy(), { metadata: { name: 'a', uid: A } });
  expect(masked(mask, { metadata: { name: 'b', uid: B } })).toEqual({ metadata: { name: 'b', uid: '<uid 1>' } });
});
