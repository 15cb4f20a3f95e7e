import { expect, it } from 'vitest';
import { formatTable } from './format-table.js';
import { openProgress } from './progress.js';
import { forMessages, forTerminal } from './terminal.js';

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

const HOSTILE = 'a\u001b[2Jb\u001b]0;title\u0007c\u202ed\u009be\rf\u001b[31mred\u001b[0m';
const SPELLED = 'a\\x1b[2Jb\\x1b]0;title\\x07c\\u202ed\\x9be\\x0df\\x1b[31mred\\x1b[0m';

it.each([
  ['a table on a terminal', ['app', 'list'], true, SPELLED],
  ['a table in a file', ['app', 'list'], false, SPELLED],
  ['a report on a terminal', ['notebook', 'get', 'x'], true, SPELLED],
  [
    'logs on a terminal',
    ['app', 'logs', 'x'],
    true,
    'a\\x1b[2Jb\\x1b]0;title\\x07c\\u202ed\\x9be\\x0df\u001b[31mred\u001b[0m',
  ],
  ['logs in a file', ['app', 'logs', 'x'], false, HOSTILE],
  ['YAML for a program', ['app', 'get', 'x', '-o', 'yaml'], false, HOSTILE],
])('what strangers wrote does not steer the terminal: %s', (_, argv, isTTY, expected) => {
  expect(shown(`${HOSTILE}\n`, argv, { isTTY, columns: 500 })).toBe(`${expected}\n`);
});

it('keeps a cell of a table on its line', () => {
  expect(formatTable(['NAME', 'PATH'], [['web\nSynced  Healthy', 'a\tb']])).toBe(
    'NAME                  PATH\nweb\\nSynced  Healthy  a b\n',
  );
});

it('prints messages of errors without their control characters, and the line of progress as it is', () => {
  let out = '';
  const messages = forMessages({ write: (more) => (out += more), isTTY: true });
  messages.write(`argosy: ${HOSTILE}\n`);
  openProgress({ stderr: messages }).update('3 of 4');
  expect(out).toBe(`argosy: ${SPELLED}\n\r\u001b[K3 of 4`);
});
