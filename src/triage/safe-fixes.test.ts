import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const RULES = join(import.meta.dirname, 'rules');

/** Every sentence, command and option that rules can write, as the sources have them. */
const texts = readdirSync(RULES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) =>
    readFileSync(join(RULES, file), 'utf8')
      .split('\n')
      .map((line, index) => ({ where: `${file}:${index + 1}`, line })),
  )
  .filter(({ line }) => !/^\s*(\/?\*|\/\/)/.test(line));

/** Advice that is given in the field and that does harm, does nothing, or shows a secret. */
const UNSAFE: readonly { readonly what: string; readonly isIn: (line: string) => boolean }[] = [
  {
    what: 'a hook before the sync that waits for what the sync makes never ends',
    isIn: (line) => /(?:add|use|write) an? PreSync/i.test(line),
  },
  { what: 'waves wait for health, not for creation', isIn: (line) => /wait(?:s)? only for creation/i.test(line) },
  {
    what: 'a check that always says Healthy hides failures',
    isIn: (line) => /return \{? ?status = .Healthy/.test(line) || /always (?:return|say)s? Healthy/i.test(line),
  },
  {
    what: 'results of notebooks are Success, Failure and Skipped',
    isIn: (line) => /results\[?.*status *== *.(?:error|success)\b/.test(line),
  },
  {
    what: 'to ignore a selector does not end the refusal without RespectIgnoreDifferences',
    isIn: (line) => line.includes('/spec/selector') && !line.includes('RespectIgnoreDifferences'),
  },
  {
    what: 'Replace=true alone makes nothing anew',
    isIn: (line) => line.includes('Replace=true') && !line.includes('Force=true'),
  },
  { what: 'ignore-healthcheck does not let waves go on', isIn: (line) => line.includes('ignore-healthcheck') },
  {
    what: 'a key or token in a command line is seen by everybody on the machine',
    isIn: (line) => /vault operator unseal (?!-)|--(?:password|token|from-literal)[= ]|VAULT_TOKEN=/.test(line),
  },
  {
    what: 'pods that are killed without grace may run twice',
    isIn: (line) => /--grace-period=0|--force\b(?!-)/.test(line),
  },
  { what: 'whatever is ignored as a whole hides drift', isIn: (line) => /jsonPointers: \['\/spec'\]/.test(line) },
];

it.each(UNSAFE)('no rule advises it: $what', ({ isIn }) => {
  expect(
    texts.filter(({ line }) => isIn(line)).map(({ where, line }) => `${where}: ${line.trim().slice(0, 200)}`),
  ).toEqual([]);
});

it('what cannot be taken back says so', () => {
  const deleting = texts.filter(({ line }) =>
    /act\('(?:delete the application|restore the controller whose finalizer)/.test(line),
  );
  expect(deleting.filter(({ line }) => !line.includes('reversible: false'))).toEqual([]);
});
