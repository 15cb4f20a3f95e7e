import { type JsonObject, objectAt, own, put } from '../../model/json/index.js';
import type { TemplateFiller } from './template-filler.js';
import type { Params } from './params.js';

/** The parameters with `values` of the generator; those are filled with the parameters, and never with one another. */
export function withValues(generator: JsonObject, params: Params, filling: TemplateFiller): Params {
  const values = objectAt(generator, 'values') ?? {};
  const filled: JsonObject = {};
  for (const key of Object.keys(values)) {
    const text = own(values, key);
    put(filled, filling.isGo ? key : `values.${key}`, filling.text(typeof text === 'string' ? text : '', params));
  }
  if (Object.keys(filled).length === 0) return params;
  return filling.isGo ? { ...params, values: filled } : { ...params, ...filled };
}
