import type { Call, Want } from './calls.js';
import { call } from './calls.js';

/** The functions of sprig whose result does not change from call to call, with arguments they can mostly use. */

const all = (names: string, args: readonly Want[], gives: Want, rest?: Want): Call[] =>
  names.split(' ').map((name) => call(name, args, gives, rest));

const STRINGS = [
  ...all(
    'upper lower title untitle trim swapcase snakecase camelcase kebabcase nospace initials quote squote ' +
      'toString sha1sum sha256sum sha512sum adler32sum',
    ['text'],
    'text',
  ),
  ...all('quote squote cat', [], 'text', 'any'),
  ...all('trimAll trimSuffix trimPrefix', ['text', 'text'], 'text'),
  ...all('contains hasPrefix hasSuffix', ['text', 'text'], 'flag'),
  ...all('trunc indent nindent', ['count', 'text'], 'text'),
  call('repeat', ['count', 'text'], 'text'),
  call('substr', ['count', 'count', 'text'], 'text'),
  call('abbrev', ['count', 'text'], 'text'),
  call('abbrevboth', ['count', 'count', 'text'], 'text'),
  call('wrap', ['count', 'text'], 'text'),
  call('wrapWith', ['count', 'text', 'text'], 'text'),
  call('replace', ['text', 'text', 'text'], 'text'),
  call('plural', ['text', 'text', 'count'], 'text'),
  call('splitList', ['text', 'text'], 'list'),
  call('split', ['text', 'text'], 'map'),
  call('splitn', ['text', 'count', 'text'], 'map'),
  call('join', ['text', 'list'], 'text'),
];

const NUMBERS = [
  ...all('int int64 float64 add1 ceil floor atoi toDecimal', ['any'], 'int'),
  ...all('int int64 add1', ['number'], 'int'),
  call('atoi', ['text'], 'int'),
  call('toDecimal', ['text'], 'int'),
  ...all('add mul max min biggest', ['number', 'number'], 'int', 'number'),
  ...all('sub', ['number', 'number'], 'int'),
  ...all('div mod', ['number', 'count'], 'int'),
  ...all('addf mulf subf divf maxf minf', ['number', 'number'], 'float', 'number'),
  call('add1f', ['number'], 'float'),
  ...all('ceil floor', ['number'], 'float'),
  call('round', ['number', 'count'], 'float'),
  call('until', ['count'], 'list'),
  call('untilStep', ['count', 'count', 'step'], 'list'),
  call('seq', [], 'text', 'count'),
];

const LISTS = [
  ...all('list tuple', [], 'list', 'any'),
  ...all('first last mustFirst mustLast', ['list'], 'any'),
  ...all(
    'rest initial reverse uniq compact toStrings mustRest mustInitial mustReverse mustUniq mustCompact',
    ['list'],
    'list',
  ),
  call('sortAlpha', ['list'], 'list'),
  ...all('append prepend push mustAppend mustPrepend', ['list', 'any'], 'list'),
  ...all('without mustWithout', ['list'], 'list', 'any'),
  ...all('has mustHas', ['any', 'list'], 'flag'),
  call('concat', ['list', 'list'], 'list', 'list'),
  call('chunk', ['step', 'list'], 'list'),
];

const MAPS = [
  call('dict', [], 'map'),
  call('dict', ['text', 'any'], 'map'),
  call('dict', ['text', 'any', 'text', 'any'], 'map'),
  call('get', ['map', 'key'], 'any'),
  call('hasKey', ['map', 'key'], 'flag'),
  call('set', ['newMap', 'key', 'any'], 'map'),
  call('unset', ['newMap', 'key'], 'map'),
  call('pluck', ['key', 'map'], 'list', 'map'),
  ...all('pick omit', ['map', 'key'], 'map', 'key'),
  ...all('merge mergeOverwrite mustMerge mustMergeOverwrite', ['newMap', 'map'], 'map', 'map'),
  call('dig', ['key', 'any', 'map'], 'any'),
  call('dig', ['key', 'key', 'any', 'map'], 'any'),
  ...all('deepCopy mustDeepCopy', ['any'], 'any'),
];

const CHOICES = [
  call('default', ['any', 'any'], 'any'),
  call('empty', ['any'], 'flag'),
  ...all('coalesce', [], 'any', 'any'),
  ...all('all any', [], 'flag', 'any'),
  call('ternary', ['any', 'any', 'flag'], 'any'),
  ...all('typeOf kindOf', ['any'], 'text'),
  ...all('typeIs typeIsLike kindIs', ['type', 'any'], 'flag'),
  call('deepEqual', ['any', 'any'], 'flag'),
];

const FORMS = [
  ...all('b64enc b32enc', ['text'], 'text'),
  ...all('b64dec b32dec', ['encoded'], 'text'),
  ...all('base dir clean ext isAbs osBase osDir osClean osExt osIsAbs', ['path'], 'text'),
  call('semverCompare', ['range', 'version'], 'flag'),
  call('semver', ['version'], 'text'),
  call('urlParse', ['url'], 'map'),
  call('regexQuoteMeta', ['text'], 'text'),
  ...all('regexMatch mustRegexMatch', ['pattern', 'text'], 'flag'),
  ...all('regexFind mustRegexFind', ['pattern', 'text'], 'text'),
  ...all('regexFindAll regexSplit mustRegexSplit', ['pattern', 'text', 'step'], 'list'),
  ...all('regexReplaceAll regexReplaceAllLiteral mustRegexReplaceAll', ['pattern', 'text', 'replacement'], 'text'),
  ...all('duration durationRound', ['any'], 'text'),
];

export const WIDE_SPRIG_CALLS: readonly Call[] = [...STRINGS, ...NUMBERS, ...LISTS, ...MAPS, ...CHOICES, ...FORMS];

/** Arguments that have a form of their own. */
export const FORM_LITERALS: Readonly<Record<string, readonly string[]>> = {
  step: ['1', '2', '3', '-1'],
  key: ['"a"', '"b"', '"c"', '"name"', '"map"', '"list"', '"nope"', '"__proto__"', '""'],
  type: [
    '"string"',
    '"float64"',
    '"map"',
    '"slice"',
    '"int"',
    '"int64"',
    '"bool"',
    '"map[string]interface {}"',
    '"[]interface {}"',
    '"ptr"',
  ],
  encoded: ['"aGVsbG8="', '"/w=="', '"NBSWY3DP"', '"!!"', '""', '"aGk"', '"w6k="'],
  path: ['"/a/b.txt"', '"a/../b"', '"."', '""', '"a//b/"', '"x.tar.gz"', '"/"', '"../.."'],
  version: ['"1.2.3"', '"v2.0.0"', '"1.2"', '"1.0.0-beta.1+build"', '"bad"', '"1.34.4"', '"0.0.1"'],
  range: [
    '">=1.2"',
    '"^1.0"',
    '"~1.2.0"',
    '"1.x"',
    '">1.0 <2.0"',
    '"1.2 - 3"',
    '"!=1.2.3"',
    '">=1.19-0"',
    '"oops"',
    '"<2 || >3"',
  ],
  url: ['"https://user:pw@host:8443/a/b?x=1&y=2#frag"', '"http://h"', '"/only/path"', '"%zz"', '"mailto:a@b.c"', '""'],
  pattern: ['"[a-z]+"', '"^a"', '"(\\\\w)(\\\\d)?"', '"o|l"', '"."', '""', '"[["', '"\\\\s+"', '"(?i)HELLO"', '"a{2}"'],
  /** A map of the values that is put into itself would make Go print for ever. */
  newMap: ['(dict)', '(dict "a" 1)', '(dict "b" (dict "c" "x") "name" "n")'],
  replacement: ['"x"', '"$1"', '"${1}y"', '"$0$0"', '""', '"$$"', '"$name"'],
};
