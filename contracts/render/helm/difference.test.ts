import { describe, expect, it } from 'vitest';
import { compareRuns, type OurRun } from './difference.js';
import type { RealRun } from './real-helm.js';

function real(stdout: string, stderr = ''): RealRun {
  return { at: 0, code: stderr === '' ? 0 : 1, stdout, stderr };
}

async function outcomeOf(first: string, second: string, ours: string): Promise<string> {
  return (await compareRuns(real(first), () => Promise.resolve(real(second)), { kind: 'text', text: ours })).verdict;
}

const map = (data: string): string => `---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata: ${data}\n`;

describe('two renderings', () => {
  it.each([
    ['equal', '{a: b}', '{a: b}', '{a: b}'],
    ['structure', '{a: b}', '{a: b}', '{"a": b}'],
    ['different', '{a: b}', '{a: b}', '{a: c}'],
    ['random', '{a: b}', '{a: x}', '{a: c}'],
    ['random', '{a: b, k: v}', '{a: x, k: v}', '{"a": c, k: v}\n# one line more'],
    ['different', '{a: b, k: v}', '{a: x, k: v}', '{a: c, k: w}\n# one line more'],
    ['different', '{a: b}', '{a: x}', '{a: [c]}\n# one line more'],
  ])('are %s', async (expected, first, second, ours) => {
    expect(await outcomeOf(map(first), map(second), map(ours))).toBe(expected);
  });

  it('with documents in another order are equal in structure', async () => {
    const other = map('{a: b}').replace('one', 'two');
    expect(await outcomeOf(map('{a: b}') + other, map('{a: b}') + other, other + map('{a: b}'))).toBe('structure');
    expect(await outcomeOf(map('{a: b}') + other, map('{a: b}') + other, map('{a: b}'))).toBe('different');
  });

  it('name the first line that differs and the template it came from', async () => {
    const text = (value: string): string => `---\n# Source: shop/templates/a.yaml\na: ${value}\n`;
    const { first } = await compareRuns(real(text('1')), () => Promise.resolve(real(text('1'))), {
      kind: 'text',
      text: text('2'),
    });
    expect(first).toBe(
      'line 3 # Source: shop/templates/a.yaml\n    ---\n    # Source: shop/templates/a.yaml\n  - a: 1\n  - ' +
        '\n  + a: 2\n  + ',
    );
  });

  it('that fail are equal in their words', async () => {
    const theirs = real(
      '',
      'level=WARN msg="old"\nError: a is required\n\nUse --debug flag to render out invalid YAML\n',
    );
    const against = async (ours: OurRun): Promise<string> =>
      (await compareRuns(theirs, () => Promise.reject(new Error('not asked for')), ours)).verdict;
    expect(await against({ kind: 'error', message: 'a is required' })).toBe('fails alike');
    expect(await against({ kind: 'error', message: 'b is required' })).toBe('fails otherwise');
    expect(await against({ kind: 'text', text: '' })).toBe('different');
  });
});
