import type { GoFunctions } from '../template/value/go-function.js';
import { ANY, BOOL, STRING } from '../template/value/go-type.js';
import { typeName, typeOf, type GoValue } from '../template/value/go-value.js';
import { deepEqual } from './deep-equal.js';
import { PartCount } from '../template/value/weight.js';
import { define, defineVariadic } from './define.js';
import { isEmpty } from './truth.js';

function kindOf(value: GoValue): string {
  return value === null ? 'invalid' : typeOf(value).kind;
}

export const KINDS: GoFunctions = {
  typeOf: define([ANY], STRING, (args) => typeName(args.any(0))),
  typeIs: define([STRING, ANY], BOOL, (args) => args.text(0) === typeName(args.any(1))),
  typeIsLike: define([STRING, ANY], BOOL, (args) => [args.text(0), `*${args.text(0)}`].includes(typeName(args.any(1)))),
  kindOf: define([ANY], STRING, (args) => kindOf(args.any(0))),
  kindIs: define([STRING, ANY], BOOL, (args) => args.text(0) === kindOf(args.any(1))),
  deepEqual: define([ANY, ANY], BOOL, (args) => deepEqual(args.any(0), args.any(1), new PartCount())),
};

export const DEFAULTS: GoFunctions = {
  default: defineVariadic([ANY], ANY, ANY, (args) => (isEmpty(args.any(1)) ? args.any(0) : args.any(1))),
  empty: define([ANY], BOOL, (args) => isEmpty(args.any(0))),
  coalesce: defineVariadic([], ANY, ANY, (args) => args.all.find((value) => !isEmpty(value)) ?? null),
  all: defineVariadic([], ANY, BOOL, (args) => !args.all.some(isEmpty)),
  any: defineVariadic([], ANY, BOOL, (args) => args.all.some((value) => !isEmpty(value))),
  ternary: define([ANY, ANY, BOOL], ANY, (args) => args.any(args.flag(2) ? 0 : 1)),
};
