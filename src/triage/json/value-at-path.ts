import { isArray, isObject, own, type Json } from '../../model/json/index.js';

const STEP = /\[\]|\['([^'[\]]*)'\]|\[([^'[\]]+)\]|([^.[\]]+)/g;

/**
 * What a path of a report means in an object: `spec.replicas`, `data['a.b']`, `spec.containers[0].image`,
 * `status.conditions[Ready]` (the condition of that type) and `spec.data[].key` (of all of them).
 */
export function valueAtPath(object: Json | undefined, path: string): Json | undefined {
  let here: Json | undefined = object;
  for (const [step, quoted, inBrackets, plain] of path.matchAll(STEP)) {
    if (here === undefined || here === null) return undefined;
    if (step === '[]') {
      const rest = path.slice(path.indexOf('[]') + 2);
      return isArray(here) ? here.map((each) => valueAtPath(each, rest) ?? null) : undefined;
    }
    here = child(here, quoted ?? inBrackets ?? plain ?? '', inBrackets !== undefined);
  }
  return here;
}

function child(value: Json, name: string, inBrackets: boolean): Json | undefined {
  if (isObject(value)) return own(value, name);
  if (!isArray(value)) return undefined;
  if (/^\d+$/.test(name)) return value[Number(name)];
  return inBrackets ? value.find((each) => isObject(each) && (each.type === name || each.name === name)) : undefined;
}
