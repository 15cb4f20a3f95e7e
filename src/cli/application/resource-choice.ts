import { Fault } from '../../model/faults/index.js';
import type { Key } from '../../model/kubernetes/index.js';

/** What `--resource` names; `*` for any, an empty namespace for any. */
export interface Choice extends Key {
  readonly isExcluded: boolean;
}

/** `[!]GROUP:KIND:[NAMESPACE/]NAME`. */
export function parseChoices(texts: readonly string[]): Choice[] {
  return texts.map((text) => {
    const isExcluded = text.startsWith('!');
    const written = isExcluded ? text.slice(1) : text;
    const fields = written.split(':');
    const [group = '', kind = '', place = ''] = fields;
    if (fields.length !== 3)
      throw new Fault('USAGE', `resource should have GROUP:KIND:NAME, but instead got: ${written}`);
    const parts = place.split('/');
    if (parts.length > 2)
      throw new Fault(
        'USAGE',
        `resource with namespace should have GROUP:KIND:NAMESPACE/NAME, but instead got: ${written}`,
      );
    const [first = '', second] = parts;
    return { group, kind, namespace: second === undefined ? '' : first, name: second ?? first, isExcluded };
  });
}

/** Chosen by one that includes (or by none that excludes, where none includes), and by none that excludes. */
export function isChosen(key: Key, choices: readonly Choice[]): boolean {
  const including = choices.filter(({ isExcluded }) => !isExcluded);
  if (including.length > 0 && !including.some((choice) => fits(choice, key))) return false;
  return !choices.some((choice) => choice.isExcluded && fits(choice, key));
}

function fits(choice: Choice, key: Key): boolean {
  const any = (wanted: string, has: string): boolean => wanted === '*' || wanted === has;
  return (
    any(choice.group, key.group) &&
    any(choice.kind, key.kind) &&
    any(choice.name, key.name) &&
    (choice.namespace === '' || any(choice.namespace, key.namespace))
  );
}
