import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawArchitecture } from '../scripts/architecture/draw.js';
import { ROOT } from './house/source-files.js';

it('docs/pictures/architecture.svg shows the imports as they are (npm run architecture)', () => {
  expect(readFileSync(join(ROOT, 'docs/pictures/architecture.svg'), 'utf8')).toBe(drawArchitecture());
});
