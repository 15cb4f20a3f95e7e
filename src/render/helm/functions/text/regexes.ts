import type { CallContext, GoFunction, GoFunctions } from '../../template/value/go-function.js';
import { BOOL, INT, STRING, STRINGS, type GoType } from '../../template/value/go-type.js';
import { TemplateError } from '../../template/template-error.js';
import { GoSlice, type GoValue } from '../../template/value/go-value.js';
import { define, type Arguments } from '../define.js';
import { expander, mustCompileFailure, quoteMeta, RegularExpression } from './regular-expression.js';

type Use = (expression: RegularExpression, args: Arguments) => GoValue;

/** The function, and its `must` twin that reports a wrong pattern as an error instead of a panic. */
function both(name: string, parameters: readonly GoType[], result: GoType, use: Use): GoFunctions {
  const run = (args: Arguments, context: CallContext, failed: (error: TemplateError) => TemplateError): GoValue => {
    let expression: RegularExpression;
    try {
      expression = RegularExpression.compile(args.text(0));
    } catch (error) {
      throw error instanceof TemplateError ? failed(error) : error;
    }
    context.charge(expression.costOn(args.text(1)));
    return use(expression, args);
  };
  const plain = define(parameters, result, (args, context) =>
    run(args, context, (error) => mustCompileFailure(args.text(0), error)),
  );
  const must = define(parameters, result, (args, context) => run(args, context, (error) => error));
  return { [name]: plain, [`must${name.charAt(0).toUpperCase()}${name.slice(1)}`]: must };
}

/** No matches are a nil list to Go. */
function textsOrNil(texts: string[] | undefined): GoValue {
  return texts === undefined ? new GoSlice(STRINGS, [], true) : texts;
}

/** A pattern that is wrong matches nothing. */
const MATCH: GoFunction = define([STRING, STRING], BOOL, (args, context) => {
  try {
    const expression = RegularExpression.compile(args.text(0));
    context.charge(expression.costOn(args.text(1)));
    return expression.test(args.text(1));
  } catch (error) {
    if (error instanceof TemplateError && error.kind !== 'budget') return false;
    throw error;
  }
});

export const REGEXES: GoFunctions = {
  ...both('regexMatch', [STRING, STRING], BOOL, (expression, args) => expression.test(args.text(1))),
  regexMatch: MATCH,
  ...both('regexFind', [STRING, STRING], STRING, (expression, args) => expression.find(args.text(1))),
  ...both('regexFindAll', [STRING, STRING, INT], STRINGS, (expression, args) => {
    const found = expression.findAll(args.text(1), args.count(2));
    return textsOrNil(found.length === 0 ? undefined : found);
  }),
  ...both('regexReplaceAll', [STRING, STRING, STRING], STRING, (expression, args) =>
    expression.replaceAll(args.text(1), expander(expression, args.text(2), args.text(1))),
  ),
  ...both('regexReplaceAllLiteral', [STRING, STRING, STRING], STRING, (expression, args) =>
    expression.replaceAll(args.text(1), () => args.text(2)),
  ),
  ...both('regexSplit', [STRING, STRING, INT], STRINGS, (expression, args) =>
    textsOrNil(expression.split(args.text(1), args.count(2))),
  ),
  regexQuoteMeta: define([STRING], STRING, (args) => quoteMeta(args.text(0))),
};
