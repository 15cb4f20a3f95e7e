import { invalid } from '../fault.js';
import { setElement } from '../yaml/elements.js';
import { clearField, field } from '../yaml/fields.js';
import type { YamlNode } from '../yaml/node.js';

export type Directive = 'merge' | 'replace' | 'delete';
const KEY = '$patch';

/** What a patch says is to be done with the node it meets; the word is taken out of the patch. */
export function takeDirective(patch: YamlNode | undefined): Directive {
  if (patch === undefined) return 'merge';
  switch (patch.kind) {
    case 'map':
      return ofMapping(patch);
    case 'seq':
      return ofList(patch);
    case 'scalar':
      throw invalid(`no implemented strategic merge patch strategy for '${patch.tag}' ('${patch.value}\n')`);
    default:
      return patch.kind satisfies never;
  }
}

function ofMapping(patch: YamlNode): Directive {
  const value = field(patch, KEY);
  if (value === undefined) return 'merge';
  const directive = parse(value.value);
  clearField(patch, KEY);
  return directive;
}

/** An element that holds nothing but the word speaks for the whole list. */
function ofList(patch: YamlNode): Directive {
  const element = patch.items.find((item) => field(item, KEY) !== undefined);
  if (element === undefined || element.entries.length > 1) return 'merge';
  const text = field(element, KEY)?.value ?? '';
  const directive = parse(text);
  setElement(patch, undefined, { keys: [KEY], values: [text] });
  return directive;
}

function parse(text: string): Directive {
  if (text === 'merge' || text === 'replace' || text === 'delete') return text;
  throw invalid(`unknown patch strategy '${text}'`);
}
