import type { Kind } from './values.js';

/** What an expression is wanted for; `any` takes all. */
export type Want = Kind | 'any' | 'number' | 'count' | Form;

/** Texts and numbers of a certain form, which only a literal has. */
export type Form =
  | 'step'
  | 'key'
  | 'type'
  | 'encoded'
  | 'path'
  | 'version'
  | 'range'
  | 'url'
  | 'pattern'
  | 'replacement'
  | 'newMap';

export interface Call {
  readonly name: string;
  readonly args: readonly Want[];
  readonly rest?: Want | undefined;
  readonly gives: Want;
}

export const call = (name: string, args: readonly Want[], gives: Want, rest?: Want): Call => ({
  name,
  args,
  gives,
  rest,
});

export const BUILTIN_CALLS: readonly Call[] = [
  call('and', ['any'], 'any', 'any'),
  call('or', ['any'], 'any', 'any'),
  call('not', ['any'], 'flag'),
  call('len', ['list'], 'int'),
  call('len', ['map'], 'int'),
  call('len', ['text'], 'int'),
  call('index', ['list', 'int'], 'any'),
  call('index', ['map', 'text'], 'any'),
  call('index', ['text', 'int'], 'int'),
  call('index', ['any'], 'any', 'any'),
  call('slice', ['list', 'int'], 'list', 'int'),
  call('slice', ['any'], 'any', 'int'),
  call('print', [], 'text', 'any'),
  call('println', [], 'text', 'any'),
  call('html', [], 'text', 'any'),
  call('js', ['text'], 'text', 'any'),
  call('urlquery', ['text'], 'text', 'any'),
  call('eq', ['text', 'text'], 'flag', 'text'),
  call('eq', ['int', 'int'], 'flag'),
  call('eq', ['any'], 'flag', 'any'),
  call('ne', ['any', 'any'], 'flag'),
  call('ne', ['float', 'float'], 'flag'),
  ...['lt', 'le', 'gt', 'ge'].flatMap((name) => [
    call(name, ['int', 'int'], 'flag'),
    call(name, ['text', 'text'], 'flag'),
    call(name, ['float', 'float'], 'flag'),
  ]),
  call('lt', ['any', 'any'], 'flag'),
  call('ge', ['number', 'number'], 'flag'),
  call('call', ['any'], 'any', 'any'),
];

/** sprig has a `slice` of its own, which is not for strings. */
export const PLAIN_CALLS: readonly Call[] = [
  ...BUILTIN_CALLS,
  call('slice', ['text', 'int'], 'text', 'int'),
  call('slice', ['text', 'int', 'int'], 'text'),
  call('slice', ['list', 'int', 'int'], 'list', 'int'),
];

/** Functions of sprig that make values which no values file can hold, or ask for exact types. */
export const SPRIG_CALLS: readonly Call[] = [
  call('list', [], 'list', 'any'),
  call('dict', ['text', 'any'], 'map'),
  call('dict', ['text', 'any', 'text', 'any'], 'map'),
  call('int', ['number'], 'int'),
  call('int64', ['number'], 'int'),
  call('float64', ['number'], 'float'),
  call('add', ['number', 'number'], 'int', 'number'),
  call('splitList', ['text', 'text'], 'list'),
  call('upper', ['text'], 'text'),
  call('default', ['any', 'any'], 'any'),
  call('typeOf', ['any'], 'text'),
  call('kindOf', ['any'], 'text'),
  call('until', ['count'], 'list'),
  call('toString', ['any'], 'text'),
  call('ternary', ['any', 'any', 'flag'], 'any'),
  call('get', ['map', 'text'], 'any'),
  call('hasKey', ['map', 'text'], 'flag'),
  call('trunc', ['int', 'text'], 'text'),
  call('quote', [], 'text', 'any'),
  call('first', ['list'], 'any'),
  call('empty', ['any'], 'flag'),
  call('split', ['text', 'text'], 'map'),
];

/** Builtins that fail more often than not with what values give them. */
const HARD = new Set(['call', 'index', 'slice']);

export const MILD_CALLS: readonly Call[] = [
  ...BUILTIN_CALLS.filter(
    ({ name, args }) =>
      !HARD.has(name) && !(['eq', 'ne', 'lt', 'ge'].includes(name) && args.includes('any')) && !args.includes('number'),
  ),
  ...SPRIG_CALLS,
  call('index', ['map', 'text'], 'any'),
  call('eq', ['text', 'text'], 'flag'),
];
