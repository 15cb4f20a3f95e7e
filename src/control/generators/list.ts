import { Fault } from '../../model/faults/index.js';
import { type Json, type JsonObject, isArray, isObject, own, put, textAt } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { Params } from './params.js';

/** The elements of `list`, and those that `elementsYaml` holds. */
export function listParams(list: JsonObject, isGo: boolean): Params[] {
  const elements = own(list, 'elements') ?? [];
  if (!isArray(elements)) throw new Fault('VALUE_INVALID', 'list.elements must be a list', { where: 'list.elements' });
  const params = elements.map((element, index) => {
    const where = `list.elements[${index}]`;
    if (!isObject(element)) throw new Fault('VALUE_INVALID', `${where} must be an object`, { where });
    return isGo ? element : textsOf(element, where);
  });
  return [...params, ...yamlElements(textAt(list, 'elementsYaml'))];
}

/** Without Go templates only texts have a meaning, and those of `values`. */
function textsOf(element: JsonObject, where: string): Params {
  const params: Params = {};
  const keep = (name: string, value: Json | undefined): void => {
    if (typeof value !== 'string')
      throw new Fault('VALUE_INVALID', `${where}.${name} must be a string unless goTemplate is true`, { where });
    put(params, name, value);
  };
  for (const key of Object.keys(element)) {
    const value = own(element, key);
    if (key !== 'values') keep(key, value);
    else if (isObject(value)) for (const name of Object.keys(value)) keep(`values.${name}`, own(value, name));
    else throw new Fault('VALUE_INVALID', `${where}.values must be an object`, { where });
  }
  return params;
}

function yamlElements(text: string): Params[] {
  if (text.trim() === '') return [];
  const value = readOneYaml(text, { dialect: 'kubernetes', file: 'list.elementsYaml' });
  if (value === null) return [];
  if (!isArray(value) || !value.every(isObject))
    throw new Fault('VALUE_INVALID', 'list.elementsYaml must be a list of objects', { where: 'list.elementsYaml' });
  return value;
}
