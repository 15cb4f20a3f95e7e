import { elementText, keyElement, type PathElement } from '../../model/kubernetes/index.js';
import { isArray, isObject, own, type Json } from '../../model/json/index.js';
import { quoteGo } from '../../model/go/index.js';
import type { ListShape } from './shape.js';

/** How ownership names one item of a set or list map, or why it cannot. */
export type ItemElement = { readonly element: PathElement; readonly text: string } | { readonly error: string };

export function itemElement(list: ListShape, item: Json): ItemElement {
  return list.kind === 'map' ? keyedElement(list, item) : valueElement(item);
}

function keyedElement(list: ListShape, item: Json): ItemElement {
  if (item === null) return { error: 'associative list with keys may not have a null element' };
  if (!isObject(item)) return { error: 'associative list with keys may not have non-map elements' };
  const fields: [string, Json][] = [];
  for (const key of list.keys) {
    // A key that is left out and has no default is left out here too: such an item differs from one that sets it.
    const value = own(item, key) ?? list.keyDefaults.get(key);
    if (value !== undefined) fields.push([key, value]);
  }
  if (fields.length === 0) {
    const keys = list.keys.map(quoteGo).join(' ');
    return {
      error:
        `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have ` +
        'default values for any key fields)',
    };
  }
  return named(keyElement(fields));
}

function valueElement(item: Json): ItemElement {
  if (isObject(item)) return { error: "associative list without keys has an element that's a map type" };
  if (isArray(item)) return { error: 'not supported: associative list with lists as elements' };
  if (item === null) return { error: "associative list without keys has an element that's an explicit null" };
  return named({ kind: 'value', value: item });
}

function named(element: PathElement): ItemElement {
  return { element, text: elementText(element) };
}
