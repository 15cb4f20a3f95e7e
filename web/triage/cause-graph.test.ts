import { expect, it } from 'vitest';
import { causeGraph, shorten } from './cause-graph';

const step = (
  object: string,
  via = '',
): {
  readonly object: string;
  readonly rule: string;
  readonly says: string;
  readonly via: string;
  readonly grade: string;
} => ({ object, rule: 'r', says: 's', via, grade: 'A' });
const reach = (
  names: readonly string[],
  count = names.length,
): { readonly count: number; readonly environments: readonly string[]; readonly names: readonly string[] } => ({
  count,
  environments: [],
  names,
});

it('leads from the cause to the affected applications', () => {
  const graph = causeGraph({
    title: 't',
    objects: [],
    chain: [
      step('Pod shop/web'),
      step('Secret shop/db', 'spec.envFrom'),
      step('SecretStore shop/vault', 'spec.secretStoreRef'),
    ],
    reach: reach(['a', 'b'], 12),
  });
  expect(graph.boxes.map(({ role, kind, name }) => [role, kind, name])).toEqual([
    ['root', 'SecretStore', 'shop/vault'],
    ['step', 'Secret', 'shop/db'],
    ['step', 'Pod', 'shop/web'],
    ['sufferer', '', 'a'],
    ['sufferer', '', 'b'],
    ['rest', '', '10 more'],
  ]);
  expect(graph.arrows.map(({ label }) => label)).toEqual(['spec.secretStoreRef', 'spec.envFrom', '', '', '']);
  expect(graph.boxes.every(({ x, y }) => x >= 0 && y >= 0 && x < graph.width && y < graph.height)).toBe(true);
});

it('shows a cause without a chain by its object', () => {
  expect(
    causeGraph({
      title: 't',
      objects: [{ group: '', kind: 'Node', namespace: '', name: 'n1' }],
      chain: [],
      reach: reach([]),
    }).boxes.map(({ kind, name }) => [kind, name]),
  ).toEqual([['Node', 'n1']]);
});

it('cuts long names in the middle', () => {
  expect(shorten('a-rather-long-name-of-something', 15)).toBe('a-rather…ething');
  expect(shorten('short', 15)).toBe('short');
});
