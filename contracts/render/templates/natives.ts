import type { GoMethod } from '../../../src/render/helm/template/value/go-function.js';
import { quoteText, toBytes } from '../../../src/render/helm/template/value/go-text.js';
import {
  ANY,
  BOOL,
  BYTES,
  INT,
  INT64,
  STRING,
  STRINGS,
  STRING_MAP,
  UINT8,
  mapOf,
  namedType,
  pointerTo,
  type GoType,
} from '../../../src/render/helm/template/value/go-type.js';
import { functionError } from '../../../src/render/helm/template/template-error.js';
import {
  GoBytes,
  GoMap,
  GoScalar,
  GoSlice,
  GoStruct,
  type GoValue,
} from '../../../src/render/helm/template/value/go-value.js';

/** What the Go program puts under .Native: structs, pointers, and types with methods. */

const method = (
  parameters: readonly GoType[],
  result: GoType,
  call: (receiver: GoValue, args: readonly GoValue[]) => GoValue,
  variadic?: GoType,
): GoMethod => ({
  parameters,
  result,
  call,
  ...(variadic === undefined ? {} : { variadic }),
});

const struct = (
  name: string,
  fields: readonly (readonly [string, GoType])[],
  methods: readonly (readonly [string, GoMethod])[] = [],
): GoType => ({
  name,
  kind: 'struct',
  fields: fields.map(([field, type]) => ({ name: field, type })),
  methods: new Map(methods),
});

const VERSION = struct(
  'main.version',
  [
    ['Version', STRING],
    ['Major', STRING],
    ['number', INT],
  ],
  [
    ['Greater', method([INT], BOOL, (_, [major]) => typeof major === 'bigint' && 1n > major)],
    ['String', method([], STRING, () => 'v1.34')],
  ],
);
const NAMES = namedType(
  'main.names',
  STRINGS,
  new Map([
    [
      'Has',
      method(
        [STRING],
        BOOL,
        (receiver, [name]) => receiver instanceof GoSlice && name !== undefined && receiver.items.includes(name),
      ),
    ],
  ]),
);
const TABLE = namedType(
  'main.table',
  mapOf(ANY),
  new Map([
    ['Lookup', method([STRING], ANY, lookup)],
    [
      'Names',
      method(
        [],
        STRINGS,
        (receiver, more) => [...(receiver instanceof GoMap ? Object.keys(receiver.entries).sort() : []), ...more],
        STRING,
      ),
    ],
  ]),
);
const FILES = namedType('main.files', mapOf(BYTES), new Map([['Get', method([STRING], STRING, getFile)]]));
const CAPABILITIES = struct('main.capabilities', [
  ['Version', VERSION],
  ['Names', NAMES],
  ['Any', ANY],
  ['Nothing', ANY],
  ['Count', INT64],
  ['hidden', BOOL],
]);
const RECORD = struct('main.record', [
  ['Capabilities', pointerTo(CAPABILITIES)],
  ['Table', TABLE],
  ['Files', FILES],
  ['Labels', STRING_MAP],
  ['NoLabels', STRING_MAP],
  ['Bytes', BYTES],
  ['Small', UINT8],
]);

function lookup(receiver: GoValue, [path]: readonly GoValue[]): GoValue {
  const found = receiver instanceof GoMap && typeof path === 'string' ? receiver.entries[path] : undefined;
  if (found === undefined) throw functionError(`${quoteText(String(path))} is not there`);
  return found;
}

function getFile(receiver: GoValue, [name]: readonly GoValue[]): GoValue {
  const found = receiver instanceof GoMap && typeof name === 'string' ? receiver.entries[name] : undefined;
  return found instanceof GoBytes ? Buffer.from(found.bytes).toString('utf8') : '';
}

export function natives(): GoValue {
  const version = new GoStruct(VERSION, { Version: 'v1.34', Major: '1', number: 1n }, 'v1.34');
  return new GoStruct(pointerTo(RECORD), {
    Capabilities: new GoStruct(pointerTo(CAPABILITIES), {
      Version: version,
      Names: new GoSlice(NAMES, ['v1', 'apps/v1']),
      Any: { a: 'b' },
      Nothing: null,
      Count: new GoScalar(INT64, 7n),
      hidden: false,
    }),
    Table: new GoMap(TABLE, { a: 1.5, b: { c: 'd' }, Names: 'hidden by the method' }),
    Files: new GoMap(FILES, { 'a.txt': new GoBytes(toBytes('héllo')), empty: new GoBytes(new Uint8Array()) }),
    Labels: new GoMap(STRING_MAP, { x: 'y' }),
    NoLabels: new GoMap(STRING_MAP, {}, true),
    Bytes: new GoBytes(Uint8Array.of(1, 2, 255)),
    Small: new GoScalar(UINT8, 3n),
  });
}

/** Paths that lead there, some of them wrong. */
export const NATIVE_PATHS: readonly string[] = [
  '.Capabilities',
  '.Capabilities.Version',
  '.Capabilities.Version.Major',
  '.Capabilities.Version.String',
  '.Capabilities.Version.number',
  '.Capabilities.Version.Nope',
  '.Capabilities.Names',
  '.Capabilities.Any',
  '.Capabilities.Any.a',
  '.Capabilities.Any.a.b',
  '.Capabilities.Nothing',
  '.Capabilities.Nothing.x',
  '.Capabilities.Count',
  '.Capabilities.hidden',
  '.Capabilities.Zilch',
  '.Table',
  '.Table.a',
  '.Table.b.c',
  '.Table.Names',
  '.Table.zz',
  '.Table.zz.y',
  '.Table.a.x',
  '.Table.Lookup',
  '.Files',
  '.Files.Get',
  '.Files.empty',
  '.Labels',
  '.Labels.x',
  '.Labels.x.y',
  '.Labels.nope',
  '.NoLabels',
  '.NoLabels.x',
  '.Bytes',
  '.Bytes.x',
  '.Small',
  '.Small.x',
  '.Zilch',
];
export const NATIVE_CALLS: readonly string[] = [
  '.Capabilities.Version.Greater 0',
  '.Capabilities.Version.Greater 5',
  '.Capabilities.Version.Greater "x"',
  '.Capabilities.Version.Greater',
  '.Capabilities.Version.Greater 1 2',
  '.Capabilities.Names.Has "v1"',
  '.Capabilities.Names.Has "v2"',
  '.Capabilities.Names.Has .a',
  '.Table.Lookup "a"',
  '.Table.Lookup "q"',
  '.Table.Names "x" "y"',
  '.Table.Names 1',
  '.Files.Get "a.txt"',
  '.Files.Get "none"',
  '.Table.a 1',
  '.Capabilities.Count 1',
  '.Labels.x "y"',
  '.Capabilities.Version.Major "z"',
];
