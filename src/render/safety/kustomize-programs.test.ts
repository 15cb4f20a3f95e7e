import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOneYaml } from '../../model/yaml/index.js';
import { attempt } from './attempt.js';

interface Case {
  readonly name: string;
  readonly says: string;
  readonly files: Readonly<Record<string, string>>;
  readonly may?: 'rendered' | 'needs';
}

const TABLE = 'kustomize-programs.yaml';
const cases = readOneYaml(readFileSync(join(import.meta.dirname, TABLE), 'utf8'), {
  dialect: 'kubernetes',
  file: TABLE,
}) as unknown as readonly Case[];

describe('H8: programs, foreign code and circles in a kustomization', () => {
  it.each(cases.map((one) => [one.name, one] as const))('%s', (_, { files, says, may }) => {
    const { ending, output } = attempt({
      'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n',
      ...files,
    });
    expect(ending).toMatch(may === undefined ? /^[A-Z_]+$/ : new RegExp(`^${may}$`));
    expect(output).toContain(says);
  });

  it('a hundred folders below one another are only deep', () => {
    const files = Object.fromEntries(
      Array.from({ length: 100 }, (_, depth) => [
        `${'d/'.repeat(depth)}kustomization.yaml`,
        depth === 99 ? 'resources: [a.yaml]' : 'resources: [d]',
      ]),
    );
    expect(
      attempt({ ...files, [`${'d/'.repeat(99)}a.yaml`]: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n' })
        .ending,
    ).toBe('rendered');
  });

  it('two folders that both use two, forty deep, end', () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, depth) =>
        ['l', 'r'].map((side) => [
          `${side}${depth}/kustomization.yaml`,
          depth === 39 ? 'resources: []\nnamePrefix: x-' : `resources: [../l${depth + 1}, ../r${depth + 1}]`,
        ]),
      ).flat() as [string, string][],
    );
    expect(attempt({ 'kustomization.yaml': 'resources: [l0, r0]', ...files })).toMatchObject({
      ending: 'RENDER_LIMIT',
      output: expect.stringContaining('folders') as string,
    });
  });
});
