import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IMPROVEMENT_KEYS } from '../src/model/settings/index.js';

const ROOT = join(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'docs/settings.md'), 'utf8');
const code = [
  'settings.ts',
  'pattern-settings.ts',
  'application-set-settings.ts',
  'resource-filter.ts',
  'resource-customizations.ts',
]
  .map((file) => readFileSync(join(ROOT, 'src/model/settings', file), 'utf8'))
  .join('\n');

describe('docs/settings.md', () => {
  it('explains every key that is read', () => {
    const asked = [...code.matchAll(/keys\.\w+(?:<[^>]*>)?\('([^']+)'/g)].map(([, key = '']) => key);
    const named = [...code.matchAll(/^const [A-Z_]+ = '([a-zA-Z.]+)'/gm)].map(([, key = '']) => key);
    expect(asked.length).toBeGreaterThan(25);
    expect(
      [...new Set([...asked, ...named, ...Object.values(IMPROVEMENT_KEYS)])].filter(
        (key) => !page.includes(`\`${key}`),
      ),
    ).toEqual([]);
  });

  it('names every variable that wins over a key', () => {
    const variables = [...code.matchAll(/'(ARGOCD_[A-Z_]+)'/g)].map(([, name = '']) => name);
    expect(variables.length).toBeGreaterThan(10);
    expect(variables.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
