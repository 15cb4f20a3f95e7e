import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { ApplicationSetTemplates } from '../../render/index.js';
import type { Params } from './params.js';

const ERROR_ON_MISSING = 'missingkey=error';
/** Generators that fill `values` of their own. */
const WITH_VALUES: ReadonlySet<string> = new Set([
  'clusters',
  'git',
  'clusterDecisionResource',
  'scmProvider',
  'pullRequest',
  'plugin',
]);

/** Texts of a set with parameters in their places: Go templates, or the older `{{name}}` alone. */
export class TemplateFiller {
  constructor(
    readonly isGo: boolean,
    private readonly options: readonly string[],
    private readonly templates: ApplicationSetTemplates,
  ) {}

  text(text: string, params: Params): string {
    return this.isGo ? this.templates.fill(text, params, this.options) : fillNames(text, params);
  }

  /** Every text in it, names of fields included. */
  deep(value: Json, params: Params, where = ''): Json {
    return this.#deep(value, params, where, '', false);
  }

  /**
   * The same for the second generator of a matrix: of `values`, those that wait for parameters of their own generator
   * stay as they are.
   */
  generator(generator: JsonObject, params: Params): JsonObject {
    const filled = this.#deep(generator, params, '', '', true);
    return isObject(filled) ? filled : {};
  }

  #deep(value: Json, params: Params, where: string, name: string, isGenerator: boolean): Json {
    if (typeof value === 'string') return this.#at(where, () => this.text(value, params));
    if (isArray(value))
      return value.map((item, index) => this.#deep(item, params, `${where}[${index}]`, '', isGenerator));
    if (!isObject(value)) return value;
    const result: JsonObject = {};
    for (const key of Object.keys(value)) {
      const place = where === '' ? key : `${where}.${key}`;
      const inner = own(value, key) ?? null;
      const filled =
        isGenerator && key === 'values' && WITH_VALUES.has(name) && isObject(inner)
          ? this.#known(inner, params)
          : this.#deep(inner, params, place, key, isGenerator);
      put(
        result,
        this.#at(place, () => this.text(key, params)),
        filled,
      );
    }
    return result;
  }

  #known(values: JsonObject, params: Params): JsonObject {
    const result: JsonObject = {};
    for (const key of Object.keys(values)) {
      const text = own(values, key) ?? null;
      put(result, key, typeof text === 'string' ? this.#whereKnown(text, params) : text);
    }
    return result;
  }

  #whereKnown(text: string, params: Params): string {
    if (!this.isGo) return fillNames(text, params);
    try {
      return this.templates.fill(text, params, [...this.options, ERROR_ON_MISSING]);
    } catch (error) {
      if (
        error instanceof Fault &&
        /map has no entry for key|can't evaluate field|nil pointer evaluating/.test(error.message)
      )
        return text;
      throw error;
    }
  }

  #at<T>(where: string, act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (error instanceof Fault && error.where === '' && where !== '')
        throw new Fault(error.code, `${where}: ${error.message}`, { where, cause: error });
      throw error;
    }
  }
}

/** Names that nobody knows stay as they are written. */
function fillNames(text: string, params: Params): string {
  // As Argo CD decides whether a text is a template at all: both marks in one line.
  if (!text.split('\n').some((line) => line.includes('{{') && line.includes('}}', line.indexOf('{{') + 2))) return text;
  let filled = '';
  for (let at = 0; ; ) {
    const start = text.indexOf('{{', at);
    if (start < 0) return filled + text.slice(at);
    const end = text.indexOf('}}', start + 2);
    if (end < 0) throw new Fault('TEMPLATE_FAILED', `invalid template: "{{" without "}}" in ${text}`);
    const value = own(params, text.slice(start + 2, end).trim());
    filled += text.slice(at, start) + (typeof value === 'string' ? value : text.slice(start, end + 2));
    at = end + 2;
  }
}
