import { isEqual, isLess, isLessOrEqual } from './compare.js';
import { indexOf, lengthOf, sliceOfValue } from './elements.js';
import { escapeHtml, escapeQuery, escapeScript } from '../value/escape.js';
import { sprint, sprintf, sprintln } from '../value/go-print.js';
import { ANY, BOOL, INT, REFLECT, STRING, type GoType, type GoValue } from '../value/go-type.js';
import type { Runner, Val } from './state.js';
import { functionError } from '../template-error.js';
import { isTrue } from './truth.js';
import { typeOf } from '../value/go-value.js';

/** What can be called; Go's own functions also see values that are not there. */
export interface Callable {
  readonly parameters: readonly GoType[];
  readonly variadic?: GoType;
  readonly result: GoType;
  call(args: readonly Val[], run: Runner): Val;
}

const present = (args: readonly Val[]): GoValue[] => args.map((arg) => arg ?? null);

const printing = (print: (args: readonly GoValue[]) => string): Callable => ({
  parameters: [],
  variadic: ANY,
  result: STRING,
  call: (args) => print(present(args)),
});

const ordering = (compare: (a: Val, b: Val) => boolean): Callable => ({
  parameters: [REFLECT, REFLECT],
  result: BOOL,
  call: ([a, b]) => compare(a, b),
});

const looking = (look: (args: readonly Val[]) => Val): Callable => ({
  parameters: [REFLECT],
  variadic: REFLECT,
  result: REFLECT,
  call: look,
});

/** `and`, `or` and `call` have no code here: the compiler knows them. */
const special = looking(() => undefined);

export const BUILTINS: ReadonlyMap<string, Callable> = new Map(
  Object.entries<Callable>({
    and: special,
    or: special,
    call: special,
    not: { parameters: [REFLECT], result: BOOL, call: ([value]) => !isTrue(value) },
    len: { parameters: [REFLECT], result: INT, call: ([value]) => lengthOf(value) },
    index: looking(indexOf),
    slice: looking(sliceOfValue),
    print: printing(sprint),
    println: printing(sprintln),
    printf: {
      parameters: [STRING],
      variadic: ANY,
      result: STRING,
      call: ([format, ...args], run) =>
        sprintf(typeof format === 'string' ? format : '', present(args), (length) => run.charge(length)),
    },
    html: printing(escapeHtml),
    js: printing(escapeScript),
    urlquery: printing(escapeQuery),
    eq: { parameters: [REFLECT], variadic: REFLECT, result: BOOL, call: isEqual },
    ne: ordering((a, b) => !isEqual([a, b])),
    lt: ordering(isLess),
    le: ordering(isLessOrEqual),
    gt: ordering((a, b) => !isLessOrEqual(a, b)),
    ge: ordering((a, b) => !isLess(a, b)),
  }),
);

/** The builtin `call`: no value of a chart is a function, so it can only say what it was given. */
export function callValue(name: string, callee: Val): never {
  if (callee === null || callee === undefined) throw functionError('call of nil');
  throw functionError(`non-function ${name} of type ${typeOf(callee).name}`);
}
