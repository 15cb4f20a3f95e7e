import { createHook } from 'node:async_hooks';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attempt, chart, show } from './attempt.js';

/** Runs something that is done when it returns, and gives the kinds of everything it asked of the system meanwhile. */
function askedOfSystem<T>(act: () => T): { readonly result: T; readonly asked: readonly string[] } {
  const asked: string[] = [];
  const hook = createHook({
    init: (_, type) => {
      asked.push(type);
    },
  }).enable();
  try {
    return { result: act(), asked: asked.filter((type) => type !== 'PROMISE' && type !== 'TickObject') };
  } finally {
    hook.disable();
  }
}

const NAMES = ['example.com', 'localhost', 'metadata.google.internal', '169.254.169.254', ''];
const KINDS = [
  ['v1', 'Pod', 'kube-system', ''],
  ['v1', 'Secret', 'argocd', 'argocd-secret'],
  ['apps/v1', 'Deployment', '', ''],
  ['example.com/v1', 'Thing', 'a', 'b'],
  ['', '', '', ''],
];
/** Everything of sprig that would reach out of a template. */
const ABSENT = ['env "HOME"', 'env "PATH"', 'expandenv "$HOME"', 'expandenv "${PATH}"'];

describe('H1: the environment', () => {
  it.each(ABSENT)('%s is not there', (call) => {
    expect(attempt(chart(`a: {{ ${call} }}`))).toMatchObject({
      ending: 'TEMPLATE_FAILED',
      output: expect.stringContaining(`function "${call.split(' ')[0] ?? ''}" not defined`) as string,
    });
  });

  it.each(ABSENT)('%s is not there in a text given to tpl', (call) => {
    expect(attempt(chart(`a: {{ tpl .Values.t . }}`, `t: ${JSON.stringify(`{{ ${call} }}`)}`))).toMatchObject({
      ending: 'TEMPLATE_FAILED',
    });
  });

  it('a value cannot name it either', () => {
    const { output } = attempt(chart(show('.Values.process'), '{}'));
    expect(output).not.toContain(process.env['PATH'] ?? 'PATH');
  });
});

describe('H2: names of hosts', () => {
  it.each(NAMES)('getHostByName %j is empty, and nobody is asked', (name) => {
    const { result, asked } = askedOfSystem(() => attempt(chart(show(`getHostByName ${JSON.stringify(name)}`))));
    expect(result.objects).toMatchObject([{ data: { shown: '""' } }]);
    expect(asked).toEqual([]);
  });
});

describe('H3: objects of the cluster', () => {
  it.each(KINDS)('lookup %j %j %j %j is empty, and nobody is asked', (...words) => {
    const { result, asked } = askedOfSystem(() =>
      attempt(chart(show(`lookup ${words.map((word) => JSON.stringify(word)).join(' ')}`))),
    );
    expect(result.objects).toMatchObject([{ data: { shown: '{}' } }]);
    expect(asked).toEqual([]);
  });
});

it('H1, H2, H3: rendering imports nothing that reaches the outside', () => {
  const folder = join(import.meta.dirname, '..');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/(^|\/)(testing|safety)\//.test(file),
  );
  const used = sources.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^(?:import|export|\}).* from '([^.'][^']*)'/gm)].map(
      ([, name]) => name,
    ),
  );
  expect([...new Set(used)].sort()).toEqual([
    'bcryptjs',
    'node:buffer',
    'node:crypto',
    'node:path',
    'node:zlib',
    're2js',
  ]);
  const globals = sources.filter((file) =>
    /\b(?:process\.|globalThis\b|fetch\(|set(?:Timeout|Interval)\b|Date\.now\b|Math\.random\b|performance\.)/.test(
      readFileSync(join(folder, file), 'utf8').replace(/\/\*[^]*?\*\/|\/\/.*|'[^'\n]*'/g, ''),
    ),
  );
  expect(globals).toEqual([]);
});
