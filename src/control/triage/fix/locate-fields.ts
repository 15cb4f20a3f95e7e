import { isCollection, isNode } from 'yaml';
import type { Key } from '../../../model/kubernetes/index.js';
import { fileText, NO_CHANGES, yamlFiles, type Checkout } from './checkout.js';
import { openYaml } from './edit-yaml.js';

/** A place in a file of a repository. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
}

/**
 * Where files say what objects are, as far as manifests have them as they are: the line of a field, or of the nearest
 * thing around it.
 */
export function locateFields(
  wanted: readonly { readonly object: Key; readonly path: readonly (string | number)[] }[],
  checkouts: readonly Checkout[],
): FilePlace[] {
  const found: FilePlace[] = [];
  for (const checkout of wanted.length === 0 ? [] : checkouts)
    for (const file of yamlFiles(checkout)) {
      const text = fileText(checkout, file, NO_CHANGES) ?? '';
      const meant = wanted.filter(({ object }) => text.includes(object.name) && text.includes(object.kind));
      if (meant.length > 0) found.push(...placesIn(text, file, meant));
    }
  return [...new Map(found.map((place) => [`${place.file}:${place.line}`, place])).values()];
}

function placesIn(text: string, file: string, wanted: Parameters<typeof locateFields>[0]): FilePlace[] {
  return (openYaml(text) ?? []).flatMap((document) =>
    wanted.flatMap(({ object: { kind, name, namespace }, path }) => {
      const own: unknown = document.getIn(['metadata', 'namespace']);
      if (
        document.get('kind') !== kind ||
        document.getIn(['metadata', 'name']) !== name ||
        (own !== undefined && namespace !== '' && own !== namespace)
      )
        return [];
      const offset = offsetOf(document.contents, path);
      return offset === undefined ? [] : [{ file, line: text.slice(0, offset).split('\n').length }];
    }),
  );
}

/** Where the last known step of a path begins: its key, for who reads a line sees the key first. */
function offsetOf(contents: unknown, path: readonly (string | number)[]): number | undefined {
  let here: unknown = contents;
  let offset = isNode(contents) ? contents.range?.[0] : undefined;
  for (const step of path) {
    if (!isCollection(here)) break;
    const next: unknown = here.get(step, true);
    if (!isNode(next)) break;
    const pair = here.items.find((item) => {
      const { key } = item as { readonly key?: unknown };
      return typeof step === 'string' && isNode(key) && String(key) === step;
    }) as { readonly key?: unknown } | undefined;
    offset = (isNode(pair?.key) ? pair.key.range?.[0] : undefined) ?? next.range?.[0] ?? offset;
    here = next;
  }
  return offset;
}
