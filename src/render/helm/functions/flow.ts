import type { GoFunctions } from '../template/value/go-function.js';
import { ANY, MAP, STRING } from '../template/value/go-type.js';
import { functionError, type TemplateError } from '../template/template-error.js';
import { define } from './define.js';

/** Helm finds its own message between these marks and shows nothing else of the error. */
function warning(message: string): TemplateError {
  return functionError(`HELM_ERR_START${message}HELM_ERR_END`);
}

export const FLOW: GoFunctions = {
  include: define([STRING, ANY], STRING, (args, context) => context.include(args.text(0), args.any(1))),
  tpl: define([STRING, ANY], STRING, (args, context) => context.tpl(args.text(0), args.any(1))),
  required: define([STRING, ANY], ANY, (args) => {
    const value = args.any(1);
    if (value === null || value === '') throw warning(args.text(0));
    return value;
  }),
  fail: define([STRING], STRING, (args) => {
    throw warning(args.text(0));
  }),
  /** `helm template` asks no cluster. */
  lookup: define([STRING, STRING, STRING, STRING], MAP, () => ({})),
  /** Helm answers so unless it is told to use DNS. */
  getHostByName: define([STRING], STRING, () => ''),
};
