import { expect, it } from 'vitest';
import { forTerminal } from './terminal.js';

const ROW = 'argocd/cart  shop  OutOfSync  Degraded  <none>  https://git.example.com/shop.git\n';

function shown(text: string, argv: readonly string[], { isTTY = true, columns = 40, environment = {} }: { isTTY?: boolean; columns?: number; environment?: Record<string, string> } = {}): string {
  let out = '';
  forTerminal({ write: (more) => (out += more), isTTY, columns }, argv, environment).write(text);
  return out;
}

it('colours states and ends rows at the edge, on a terminal only', () => {
  expect(shown(ROW, ['app', 'list'])).toBe('argocd/cart  shop  \u001b[33mOutOfSync\u001b[0m  Degraded …\n');
  expect(shown('Health Status:      Healthy\n', ['app', 'get', 'x'])).toBe('Health Status:      \u001b[32mHealthy\u001b[0m\n');
  expect(shown(ROW, ['app', 'list'], { isTTY: false })).toBe(ROW);
});

it('has no colour with NO_COLOR, and leaves alone what is meant for programs', () => {
  expect(shown(ROW, ['app', 'list'], { environment: { NO_COLOR: '1' }, columns: 200 })).toBe(ROW);
  for (const argv of [['app', 'list', '-o', 'json'], ['app', 'list', '--output=yaml'], ['app', 'manifests', 'x'], ['render', '.']]) expect(shown(ROW, argv)).toBe(ROW);
});

it('does not cut sentences', () => {
  const sentence = 'Cause:              the vault in Pod shop-test/foundation-vault-core-0 is sealed\n';
  expect(shown(sentence, ['app', 'get', 'x'])).toBe(sentence);
});
