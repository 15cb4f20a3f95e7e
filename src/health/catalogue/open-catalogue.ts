import { isArray, isObject, type Json } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { fits, readCatalogue, type Catalogue, type CatalogueFile } from './catalogue.js';

/** A file of which only the kinds are known as long as nobody asks for one of them. */
interface ClosedFile {
  readonly file: CatalogueFile;
  readonly speaksOf: (group: string, kind: string) => boolean;
}

const HEAD = /^(?:group|kind):.*$/gm;

/**
 * The same catalogue as `readCatalogue` gives, read file by file when the first object of a kind comes: a cluster has a
 * few dozen kinds, the catalogue hundreds.
 */
export function openCatalogue(files: readonly CatalogueFile[]): Catalogue {
  const closed = files
    .filter(({ path }) => path.endsWith('.yaml') && !path.endsWith('.cases.yaml'))
    .flatMap((file) => file.text.split(/^---$/m).map((text) => ({ file, speaksOf: kindsOf(text) })));
  const scripts = files.filter(({ path }) => !path.endsWith('.yaml'));
  const opened = new Map<string, Catalogue>();
  const at = (group: string, kind: string): Catalogue => {
    const key = `${group}/${kind}`;
    let catalogue = opened.get(key);
    if (catalogue === undefined) {
      const wanted = new Set(closed.filter(({ speaksOf }) => speaksOf(group, kind)).map(({ file }) => file));
      catalogue = readCatalogue([...wanted, ...scripts]);
      opened.set(key, catalogue);
    }
    return catalogue;
  };
  return {
    get entries() {
      return readCatalogue(files).entries;
    },
    find: (group, kind) => at(group, kind).find(group, kind),
    findActions: (group, kind) => at(group, kind).findActions(group, kind),
  };
}

/** From the first lines of an entry, without reading the rest of it. */
function kindsOf(text: string): ClosedFile['speaksOf'] {
  const head = readOneYaml((text.match(HEAD) ?? []).join('\n'), { dialect: 'kubernetes' });
  const words = (written: Json | undefined): string[] =>
    (isArray(written) ? written : [written]).filter((each): each is string => typeof each === 'string');
  const { group, kind } = isObject(head) ? head : {};
  const [groups, kinds] = [words(group), words(kind)];
  return (otherGroup, otherKind) =>
    groups.some((each) => fits(each, otherGroup)) && kinds.some((each) => fits(each, otherKind));
}
