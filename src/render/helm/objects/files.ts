import { compareText } from '../../../model/go/index.js';
import { matchesGlob } from '../../../model/formats/index.js';
import type { ChartFile } from '../chart/chart-file.js';
import { toYaml } from '../functions/serialization/yaml-writer.js';
import { fromBytes } from '../template/value/go-text.js';
import {
  BYTES,
  mapOf,
  namedType,
  STRING,
  STRING_MAP,
  STRINGS,
  type GoMethod,
  type GoType,
} from '../template/value/go-type.js';
import { functionError } from '../template/template-error.js';
import { entryOf, GoBytes, GoMap, setEntry, type GoObject, type GoValue } from '../template/value/go-value.js';

const texts = new WeakMap<Uint8Array, string>();

function textOf(bytes: Uint8Array): string {
  let text = texts.get(bytes);
  if (text === undefined) {
    text = fromBytes(bytes);
    texts.set(bytes, text);
  }
  return text;
}

/** The bytes of a file; undefined where the chart has none of that name. Paths cannot lead anywhere else. */
function bytesAt(receiver: GoValue, name: GoValue): Uint8Array | undefined {
  const value = receiver instanceof GoMap && typeof name === 'string' ? entryOf(receiver.entries, name) : undefined;
  return value instanceof GoBytes ? value.bytes : undefined;
}

const getBytes: GoMethod = {
  parameters: [STRING],
  result: BYTES,
  call: (receiver, [name = null]) => new GoBytes(bytesAt(receiver, name) ?? new Uint8Array()),
};

const get: GoMethod = {
  parameters: [STRING],
  result: STRING,
  call: (receiver, [name = null]) => textOf(bytesAt(receiver, name) ?? new Uint8Array()),
};

const lines: GoMethod = {
  parameters: [STRING],
  result: STRINGS,
  call(receiver, [name = null]) {
    const bytes = bytesAt(receiver, name);
    if (bytes === undefined) return [];
    // Helm looks at the last byte before it looks whether there is one.
    if (bytes.length === 0) throw functionError('runtime error: index out of range [-1]');
    return textOf(bytes).replace(/\n$/, '').split('\n');
  },
};

const asConfig: GoMethod = { parameters: [], result: STRING, call: (receiver) => flat(receiver, textOf) };
const asSecrets: GoMethod = {
  parameters: [],
  result: STRING,
  call: (receiver) => flat(receiver, (bytes) => Buffer.from(bytes).toString('base64')),
};

function flat(receiver: GoValue, write: (bytes: Uint8Array) => string): string {
  const entries: GoObject = {};
  if (receiver instanceof GoMap) {
    for (const path of Object.keys(receiver.entries).sort(compareText)) {
      setEntry(entries, path.slice(path.lastIndexOf('/') + 1), write(bytesAt(receiver, path) ?? new Uint8Array()));
    }
  }
  return toYaml(new GoMap(STRING_MAP, entries));
}

const methods = new Map<string, GoMethod>([
  ['Get', get],
  ['GetBytes', getBytes],
  ['Lines', lines],
  ['AsConfig', asConfig],
  ['AsSecrets', asSecrets],
]);
const FILES: GoType = namedType('engine.files', mapOf(BYTES), methods);
methods.set('Glob', {
  parameters: [STRING],
  result: FILES,
  call(receiver, [pattern = null]) {
    const found: GoObject = {};
    if (receiver instanceof GoMap && typeof pattern === 'string') {
      for (const path of Object.keys(receiver.entries)) {
        if (matchesGlob(pattern, path, '/')) setEntry(found, path, entryOf(receiver.entries, path) ?? null);
      }
    }
    return new GoMap(FILES, found);
  },
});

/** `.Files`: the files of a chart that are no templates. */
export function filesOf(files: readonly ChartFile[]): GoMap {
  const entries: GoObject = {};
  for (const { name, bytes } of files) setEntry(entries, name, new GoBytes(bytes));
  return new GoMap(FILES, entries);
}
