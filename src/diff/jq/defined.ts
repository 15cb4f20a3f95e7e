import { parseJq } from './parser.js';
import { functionKey } from './scope.js';
import type { Definition } from './syntax.js';

/** Functions that are short in jq itself. */
const DEFINED: readonly string[] = [
  'def map(f): [.[] | f];',
  'def map_values(f): .[] |= f;',
  'def select(f): if f then . else empty end;',
  'def values: select(. != null);',
  'def nulls: select(. == null);',
  'def booleans: select(type == "boolean");',
  'def numbers: select(type == "number");',
  'def strings: select(type == "string");',
  'def arrays: select(type == "array");',
  'def objects: select(type == "object");',
  'def iterables: select(type == "array" or type == "object");',
  'def scalars: select(type != "array" and type != "object");',
  'def in(xs): . as $key | xs | has($key);',
  'def IN(s): any(s == .; .);',
  'def IN(src; s): any(src == s; .);',
  'def any: any(.[]; .);',
  'def any(f): any(.[]; f);',
  'def all: all(.[]; .);',
  'def all(f): all(.[]; f);',
  'def add(f): [f] | add;',
  'def first: .[0];',
  'def last: .[-1];',
  'def nth($n): .[$n];',
  'def nth($n; f): if $n < 0 then error("nth doesn\'t support negative index") else first(skip($n; f)) end;',
  'def recurse(f; condition): recurse(f | select(condition));',
  'def paths(f): path(.. | select(f)) | select(length > 0);',
  'def del(f): delpaths([path(f)]);',
  'def pick(f): . as $whole | reduce path(f) as $path (null; setpath($path; $whole | getpath($path)));',
  'def with_entries(f): to_entries | map(f) | from_entries;',
  'def walk(f): def inner: if type == "array" then map(inner) elif type == "object" then map_values(inner) ' +
    'else . end | f; inner;',
  'def scan($re): match($re; "g") | if .captures == [] then .string else [.captures[].string] end;',
  'def splits($re): splits($re; null);',
  'def splits($re; $flags): . as $text | [match($re; $flags + "g") | {from: .offset, to: (.offset + ' +
    '.length)}] as $cuts | range($cuts | length + 1) as $at' +
    (' | $text[(if $at == 0 then 0 else $cuts[$at - 1].to end):(if $at == ($cuts | length) then null else ' +
      '$cuts[$at].from end)];'),
  'def split($re; $flags): [splits($re; $flags)];',
  'def sub($re; text): sub($re; text; "");',
  'def gsub($re; text): sub($re; text; "g");',
  'def gsub($re; text; $flags): sub($re; text; $flags + "g");',
  'def sub($re; text; $flags): . as $whole | [match($re; $flags)] as $found | reduce $found[] as $m ({done: ' +
    '"", at: 0};' +
    (' .done += $whole[.at:$m.offset] + ($m | [.captures[] | select(.name != null) | {key: .name, value: ' +
      '.string}] | from_entries | text) | .at = $m.offset + $m.length)') +
    ' | .done + $whole[.at:];',
];

let parsed: ReadonlyMap<string, Definition> | undefined;

/** A function that is defined in jq, by name and number of arguments. */
export function findDefined(key: string): Definition | undefined {
  parsed ??= new Map(
    DEFINED.map((text) => {
      const node = parseJq(`${text} .`);
      if (node.kind !== 'define') throw new TypeError(`no definition: ${text}`);
      return [functionKey(node.definition.name, node.definition.params.length), node.definition];
    }),
  );
  return parsed.get(key);
}
