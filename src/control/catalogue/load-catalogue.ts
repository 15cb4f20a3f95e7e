import { readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { openCatalogue, type Catalogue, type CatalogueFile } from '../../health/index.js';

/** The catalogue folder that comes with Argosy, read when the first object is judged. */
export function loadCatalogue(folder: string): Catalogue {
  let opened: Catalogue | undefined;
  const open = (): Catalogue => (opened ??= readFolder(folder));
  return {
    get entries() {
      return open().entries;
    },
    find: (group, kind) => open().find(group, kind),
    findActions: (group, kind) => open().findActions(group, kind),
  };
}

function readFolder(folder: string): Catalogue {
  return openCatalogue(readCatalogueFiles(folder));
}

export function readCatalogueFiles(folder: string): CatalogueFile[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(yaml|lua)$/.test(path) && !path.endsWith('.cases.yaml'),
  );
  return paths.map((path) => ({ path: path.split(sep).join('/'), text: readFileSync(join(folder, path), 'utf8') }));
}
