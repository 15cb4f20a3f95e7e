import { Fault } from '../../../model/faults/index.js';
import { readNode } from '../yaml/block-reader.js';
import { goJson } from '../yaml/go-json.js';
import { nodeJson } from '../yaml/node-json.js';
import type { NodeKind, YamlNode } from '../yaml/node.js';
import { lookup } from '../yaml/path.js';
import { matchPath } from '../resource/path-matcher.js';
import { writeNode } from '../yaml/write-node.js';

/**
 * Sets a value inside a text that holds YAML or JSON, such as an entry of a ConfigMap. False where the path does not
 * lead into one; then it is an ordinary path.
 */
export function setInStructuredText(
  node: YamlNode,
  value: YamlNode,
  path: readonly string[],
  create: NodeKind | undefined,
): boolean {
  try {
    const found = findText(node, path);
    if (found === undefined) return false;
    const { text, inner, rest } = found;
    const fields = matchPath(inner, rest, create);
    if (fields.length === 0) return false;
    for (const field of fields) {
      if (field.kind === 'scalar') field.value = value.value;
      else field.become(value);
    }
    text.value = /^\s*[{[]/.test(text.value) ? jsonText(inner, text.value) : writeNode(inner).trim();
    return true;
  } catch (error) {
    // Kustomize tries the path as an ordinary one after any failure here.
    if (error instanceof Fault) return false;
    throw error;
  }
}

interface FoundText {
  /** The scalar that holds the text. */
  readonly text: YamlNode;
  /** What it says. */
  readonly inner: YamlNode;
  readonly rest: readonly string[];
}

/** The first scalar on the way that is not the end of it and can be read as YAML. */
function findText(node: YamlNode, path: readonly string[]): FoundText | undefined {
  for (let length = 1; length < path.length; length++) {
    const text = quietly(() => lookup(node, path.slice(0, length)));
    if (text?.kind !== 'scalar') continue;
    const inner = quietly(() => readNode(text.value));
    if (inner !== undefined) return { text, inner, rest: path.slice(length) };
  }
  return undefined;
}

function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function jsonText(inner: YamlNode, original: string): string {
  const isPretty = original.includes('\n') && original.includes('  ');
  return goJson(nodeJson(inner), isPretty ? '  ' : undefined);
}
