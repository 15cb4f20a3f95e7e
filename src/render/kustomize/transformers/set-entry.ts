import { isPresent, isEmpty, scalar, YamlNode } from '../yaml/node.js';
import { field, setField, setScalar } from '../yaml/fields.js';

/**
 * Sets an entry, or the node itself where the name is ''. One node serves all fields that are set: Kustomize shares it
 * between them, so that a later patch of one changes the others too.
 */
export function entrySetter(name: string, value: string, tag: string): (node: YamlNode) => void {
  const shared = scalar(value, tag);
  return (node) => {
    if (name === '') setScalar(node, shared);
    else setField(node, name, shared);
  };
}

/** The same for fields that have no text yet. */
export function emptyEntrySetter(name: string, value: string, tag: string): (node: YamlNode) => void {
  const set = entrySetter(name, value, tag);
  return (node) => {
    if (!hasText(node, name)) set(node);
  };
}

function hasText(node: YamlNode, name: string): boolean {
  if (isEmpty(node)) return false;
  if (node.kind === 'scalar') return node.value !== '';
  const entry = field(node, name);
  return isPresent(entry) && !isEmpty(entry) && entry.value !== '';
}
