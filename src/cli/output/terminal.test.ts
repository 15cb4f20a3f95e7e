import { expect, it } from 'vitest';
import { forTerminal } from './terminal.js';

const ROW = 'argocd/cart  shop  OutOfSync  Degraded  <none>  https://git.example.com/shop.git\n';

function shown(
  text: string,
  argv: readonly string[],
  {
    isTTY = true,
    columns = 40,
    environment = {},
  }: { isTTY?: boolean; columns?: number; environment?: Record<string, string> } = {},
): string {
  let out = '';
  forTerminal({ write: (more) => (out += more), isTTY, columns }, argv, environment).write(text);
  return out;
}

it('colours states and truncates rows, on a terminal only', () => {
  expect(shown(ROW, ['app', 'list'])).toBe('argocd/cart  shop  \u001b[33mOutOfSync\u001b[0m  Degraded …\n');
  expect(shown('Health Status:      Healthy\n', ['app', 'get', 'x'])).toBe(
    'Health Status:      \u001b[32mHealthy\u001b[0m\n',
  );
  expect(shown(ROW, ['app', 'list'], { isTTY: false })).toBe(ROW);
});

it('has no colour with NO_COLOR, and does not touch machine-readable output', () => {
  expect(shown(ROW, ['app', 'list'], { environment: { NO_COLOR: '1' }, columns: 200 })).toBe(ROW);
  for (const argv of [
    ['app', 'list', '-o', 'json'],
    ['app', 'list', '--output=yaml'],
    ['app', 'manifests', 'x'],
    ['render', '.'],
  ])
    expect(shown(ROW, argv)).toBe(ROW);
});

it('wraps sentences between words, but never commands', () => {
  expect(
    shown('Cause:              the vault in Pod shop-test/foundation-vault-core-0 is sealed\n', ['app', 'get', 'x'], {
      columns: 60,
    }),
  ).toBe(
    'Cause:              the vault in Pod\n                    shop-test/foundation-vault-core-0 is\n       ' +
      '             sealed\n',
  );
  expect(shown('- the last sync failed: one object could not be applied\n', ['app', 'get', 'x'])).toBe(
    '- the last sync failed: one object could\n  not be applied\n',
  );
  for (const line of [
    `                    kubectl exec -i vault-0 -n shop -- vault operator unseal -\n`,
    `- ${'x'.repeat(60)}\n`,
    `${'a '.repeat(5000)}\n`,
    `Cause:              ${'x'.repeat(60)}\n`,
  ])
    expect(shown(line, ['app', 'get', 'x'])).toBe(line);
});
