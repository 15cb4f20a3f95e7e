import { checkDns1035Label, type Schema } from '../../model/kubernetes/index.js';
import { isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { invalidField, requiredField, type FieldError } from '../errors/index.js';

/** Objects inside of objects (x-kubernetes-embedded-resource) must say what they are. */
export function validateEmbedded(value: Json | undefined, schema: Schema | undefined, path = ''): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => validateEmbedded(item, schema.items, `${path}[${index}]`));
  if (!isObject(value)) return [];
  const errors = schema.embeddedResource === true && path !== '' ? validateTypeMeta(value, path) : [];
  const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  return [
    ...errors,
    ...Object.keys(value).flatMap((name) => {
      const property = schema.properties?.get(name);
      if (property !== undefined)
        return validateEmbedded(own(value, name), property, path === '' ? name : `${path}.${name}`);
      return validateEmbedded(own(value, name), additional, `${path}[${name}]`);
    }),
  ];
}

function validateTypeMeta(value: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['apiVersion', 'kind'] as const) {
    const text = own(value, name);
    if (text === undefined) errors.push(requiredField(`${path}.${name}`));
    else if (typeof text !== 'string') errors.push(invalidField(`${path}.${name}`, text, 'must be a string'));
    else if (text === '') errors.push(invalidField(`${path}.${name}`, text, 'must not be empty'));
    else if (name === 'apiVersion' && text.split('/').length > 2)
      errors.push(invalidField(`${path}.${name}`, text, `unexpected GroupVersion string: ${text}`));
    else if (name === 'kind') {
      const wrong = checkDns1035Label(text.toLowerCase());
      if (wrong.length > 0)
        errors.push(
          invalidField(`${path}.${name}`, text, `may have mixed case, but should otherwise match: ${wrong.join(',')}`),
        );
    }
  }
  return errors;
}
