import { Fault } from '../../model/faults/index.js';
import { compareText } from '../../model/go/index.js';
import { readYaml } from '../../model/yaml/index.js';
import type { CatalogueAction } from './catalogue-action.js';
import { readEntry, type CatalogueEntry } from './entry.js';

/** A file of the catalogue folder; the path is relative to it, with `/`. */
export interface CatalogueFile {
  readonly path: string;
  readonly text: string;
}

export interface Catalogue {
  readonly entries: readonly CatalogueEntry[];
  /** The entry that judges a kind: the exact one, else the first whose pattern fits. */
  find(group: string, kind: string): CatalogueEntry | undefined;
  findActions(group: string, kind: string): ReadonlyMap<string, CatalogueAction> | undefined;
}

/** Reads a catalogue folder: one entry per YAML document, Lua scripts beside them. Cases are for tests and skipped. */
export function readCatalogue(files: readonly CatalogueFile[]): Catalogue {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const entries = files
    .filter(({ path }) => path.endsWith('.yaml') && !path.endsWith('.cases.yaml'))
    .sort((a, b) => compareText(a.path, b.path))
    .flatMap(({ path, text }) => {
      const folder = path.slice(0, path.lastIndexOf('/') + 1);
      return readYaml(text, { dialect: 'kubernetes', duplicates: 'error', file: path }).map(({ value }) =>
        readEntry(value, path, (name) => texts.get(folder + name)),
      );
    });
  const actions = finder(entries.filter((entry) => entry.actions !== undefined));
  return {
    entries,
    find: finder(entries.filter(({ health }) => health !== undefined)),
    findActions: (group, kind) => actions(group, kind)?.actions,
  };
}

function finder(entries: readonly CatalogueEntry[]): Catalogue['find'] {
  const exact = new Map<string, CatalogueEntry>();
  const patterns: { readonly fits: (group: string, kind: string) => boolean; readonly entry: CatalogueEntry }[] = [];
  for (const entry of entries) {
    for (const group of entry.groups) {
      for (const kind of entry.kinds) {
        if (`${group}/${kind}`.includes('*')) {
          patterns.push({ fits: (otherGroup, otherKind) => fits(group, otherGroup) && fits(kind, otherKind), entry });
          continue;
        }
        const other = exact.get(`${group}/${kind}`);
        if (other !== undefined)
          throw new Fault(
            'CATALOGUE_INVALID',
            `two entries speak of ${kind} of group ${JSON.stringify(group)}: ${other.file} has one too`,
            { where: entry.file },
          );
        exact.set(`${group}/${kind}`, entry);
      }
    }
  }
  return (group, kind) => exact.get(`${group}/${kind}`) ?? patterns.find((pattern) => pattern.fits(group, kind))?.entry;
}

/** `*` stands for any text without a slash; there is at most one. */
export function fits(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === text;
  const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return text.length >= head.length + tail.length && text.startsWith(head) && text.endsWith(tail);
}
