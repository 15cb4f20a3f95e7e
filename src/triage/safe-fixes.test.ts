import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const RULES = join(import.meta.dirname, 'rules');

const sources = readdirSync(RULES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, source: withoutBreaks(readFileSync(join(RULES, file), 'utf8')) }));

/** Without comments, and with texts that the formatter broke over several lines as one. */
function withoutBreaks(source: string): string {
  return source
    .split('\n')
    .filter((line) => !/^\s*(\/?\*|\/\/)/.test(line))
    .join('\n')
    .replace(/(['`]) \+\s+\1/g, '');
}

/** Every sentence, command and option that rules can write. */
const texts = sources.flatMap(({ file, source }) => source.split('\n').map((line) => ({ where: file, line })));

/** The arguments of every call of a function. */
function callsOf(name: string): string[] {
  return sources.flatMap(({ source }) =>
    source
      .split(`${name}(`)
      .slice(1)
      .map((rest) => rest.slice(0, endOfCall(rest))),
  );
}

function endOfCall(text: string): number {
  let depth = 1;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return at;
  }
  return text.length;
}

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
    // `health apply --force` answers a prompt, and touches no pod.
    isIn: (line) => /--grace-period=0|--force\b(?!-)/.test(line.replaceAll('argosy health apply --force', '')),
  },
  { what: 'whatever is ignored as a whole hides drift', isIn: (line) => /jsonPointers: \['\/spec'\]/.test(line) },
];

it.each(UNSAFE)('no rule advises it: $what', ({ isIn }) => {
  expect(
    texts.filter(({ line }) => isIn(line)).map(({ where, line }) => `${where}: ${line.trim().slice(0, 200)}`),
  ).toEqual([]);
});

it('a fix that cannot be undone says so', () => {
  const deleting = callsOf('act').filter((call) =>
    /^\s*'(?:delete the application|restore the controller that owns the finalizer)/.test(call),
  );
  expect(deleting.length).toBeGreaterThan(1);
  expect(deleting.filter((call) => !call.includes('reversible: false'))).toEqual([]);
});
