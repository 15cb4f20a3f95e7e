import { readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { openCatalogue, type Catalogue } from '../../health/index.js';

/** The catalogue folder that comes with Argosy. */
export function loadCatalogue(folder: string): Catalogue {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(yaml|lua)$/.test(path) && !path.endsWith('.cases.yaml'));
  return openCatalogue(paths.map((path) => ({ path: path.split(sep).join('/'), text: readFileSync(join(folder, path), 'utf8') })));
}
