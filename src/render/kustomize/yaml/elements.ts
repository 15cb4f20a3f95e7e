import { checkKind, field, getField } from './fields.js';
import { isEmptyMap, isNull, isPresent, type YamlNode } from './node.js';

/** Which elements are meant: those whose fields have these texts; the key '' stands for the element's own text. */
export interface ElementKeys {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

/**
 * Replaces the elements that match, or appends the element where none does; without an element it removes them. Null
 * and empty elements go, as Kustomize lets them go.
 */
export function setElement(list: YamlNode, element: YamlNode | undefined, { keys, values }: ElementKeys): void {
  checkKind(list, 'seq');
  const wantsMapping = (keys[0] ?? '') !== '' && (values[0] ?? '') !== '';
  const kept: YamlNode[] = [];
  let found = false;
  for (const item of list.items) {
    if (isNull(item) || isEmptyMap(item)) continue;
    if (item.kind !== 'map' && wantsMapping) {
      kept.push(item);
    } else if (!matches(item, keys.length === 0 ? [''] : keys, values)) {
      if (values.length > 0) kept.push(item);
    } else {
      found = true;
      if (element !== undefined) kept.push(element);
    }
  }
  list.items = kept;
  if (isPresent(element) && !found) list.addItem(element);
}

function matches(item: YamlNode, keys: readonly string[], values: readonly string[]): boolean {
  let last: boolean | undefined;
  for (const [index, key] of keys.entries()) {
    const value = values[index];
    // A key without a value is judged as the one before it.
    if (value !== undefined) last = fieldMatches(item, key, value);
    if (last !== true) return false;
  }
  return true;
}

function fieldMatches(item: YamlNode, key: string, value: string): boolean {
  if (key === '') {
    checkKind(item, 'scalar');
    return item.value === value;
  }
  const found = getField(item, key);
  if (found === undefined) return false;
  // An empty text asks only whether the field is there.
  return value === '' || found.value === value;
}

/** The first element whose fields all have these texts. */
export function findElement(list: YamlNode | undefined, { keys, values }: ElementKeys): YamlNode | undefined {
  if (list?.kind !== 'seq') return undefined;
  if ((keys[0] ?? '') === '') return list.items.find((item) => item.value === (values[0] ?? ''));
  return list.items.find(
    (item) => item.kind === 'map' && keys.every((key, index) => field(item, key)?.value === values[index]),
  );
}
