import { expect, it } from 'vitest';
import { safeReturn } from './safe-return';

it('returns only to a path of this page', () => {
  expect(safeReturn('/applications/argocd/shop?view=diff')).toBe('/applications/argocd/shop?view=diff');
  for (const bad of [
    null,
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/login',
    'javascript:alert(1)',
  ])
    expect(safeReturn(bad)).toBe('/applications');
});
