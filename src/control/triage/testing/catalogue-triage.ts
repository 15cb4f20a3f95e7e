import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCatalogue } from '../../../health/index.js';
import { openTriage } from '../open-triage.js';

const CATALOGUE = join(import.meta.dirname, '../../../../catalogue');
const files = readdirSync(CATALOGUE, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /\.(yaml|lua)$/.test(path) && !path.endsWith('.cases.yaml'),
);

/** Triage with the whole catalogue behind it. */
export const triageWithCatalogue = openTriage(
  openCatalogue(files.map((path) => ({ path, text: readFileSync(join(CATALOGUE, path), 'utf8') }))),
  () => 0,
);
