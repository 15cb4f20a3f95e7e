import { invalid } from '../fault.js';
import { decodeWhole, struct, text } from '../kustomization/decode.js';
import { unmarshalText } from '../kustomization/parse-kustomization.js';
import { addTargets } from '../kustomization/types.js';
import type { Resource } from '../resource/resource.js';
import { select } from '../resource/selector.js';
import { checkKind, setScalar } from '../yaml/fields.js';
import { scalar } from '../yaml/node.js';
import { lookupCreate } from '../yaml/path.js';
import { setNamespace } from './namespace.js';
import type { TransformerFactory } from '../plugin/transformer.js';

const type = struct('ValueAddTransformerPlugin', { value: text, targets: addTargets, targetFilePath: text });
const fileType = struct('', { targets: addTargets });

/** Writes a text into fields, or into a path that stands there. */
export const valueAddTransformer: TransformerFactory = (config, { loader }) => {
  const read = decodeWhole(type, config, false);
  const value = read.value.trim() || (loader.root.split('/').at(-1) ?? '');
  const more =
    read.targetFilePath === ''
      ? []
      : decodeWhole(fileType, unmarshalText(loader.text(read.targetFilePath)), false).targets;
  const targets = [...read.targets, ...more];
  if (targets.length === 0) throw invalid('must specify at least one target');
  for (const { fieldPath, filePathPosition } of targets) {
    if (fieldPath === '') throw invalid('fieldPath cannot be empty');
    if (filePathPosition < 0) throw invalid(`value of FilePathPosition (${filePathPosition}) cannot be negative`);
  }
  return {
    transform(resources) {
      for (const { selector, fieldPath, filePathPosition } of targets) {
        for (const resource of selector === undefined ? resources.resources : select(resources.resources, selector)) {
          if (fieldPath === 'metadata/namespace')
            setNamespace(resource, { namespace: value, specs: [], unsetOnly: false, subjects: '' });
          else addValue(resource, fieldPath, value, filePathPosition);
        }
      }
    },
  };
};

function addValue(resource: Resource, fieldPath: string, value: string, position: number): void {
  const node = lookupCreate(resource.node, 'scalar', splitSlashes(fieldPath));
  if (node === undefined) return;
  checkKind(node, 'scalar');
  const text = position > 0 ? insertPart(node.value, position - 1, value) : value;
  if (text !== '') setScalar(node, scalar(text));
}

/** Splits at slashes that no backslash stands before. */
function splitSlashes(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    const last = parts.at(-1);
    if (last?.endsWith('\\') === true) parts[parts.length - 1] = `${last.slice(0, -1)}/${part}`;
    else parts.push(part);
  }
  return parts;
}

/** Puts a name into a path at a position; an absolute path stays one. */
function insertPart(path: string, position: number, part: string): string {
  const isAbsolute = path.startsWith('/');
  const parts = path.split('/').filter((name) => name !== '');
  parts.splice(Math.min(position, parts.length), 0, part);
  return (isAbsolute ? '/' : '') + parts.join('/');
}
