import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FAULTS } from '../src/model/faults/index.js';

it('docs/faults.md lists exactly the faults that exist, with their hint and whether they are retried', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/faults.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.+) \| (.+) \| (yes|no) \|$/gm)].map(
    ([, code, , hint, retried]) => ({ code, hint, retried }),
  );
  const expected = Object.entries(FAULTS).map(([code, { hint, retry }]) => ({
    code,
    hint: hint.charAt(0).toUpperCase() + hint.slice(1),
    retried: retry ? 'yes' : 'no',
  }));
  expect(rows).toEqual(expected);
});
