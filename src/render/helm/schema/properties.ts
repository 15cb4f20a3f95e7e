import { compareText } from '../../../model/go/index.js';
import { entryOf, type GoObject } from '../template/value/go-value.js';
import { has } from '../values/table.js';
import type { Check } from './check.js';
import { checkCount } from './limits.js';
import { quote } from './validation-error.js';

/** Properties in the order of their names; the library takes any order. */
export function checkProperties(check: Check, value: GoObject): void {
  const { schema } = check;
  const names = Object.keys(value).sort(compareText);
  checkCount(check, 'Properties', names.length);
  const missing = schema.required.filter((name) => !has(value, name));
  if (missing.length > 0)
    check.add(`missing ${missing.length === 1 ? 'property' : 'properties'} ${missing.map(quote).join(', ')}`);
  checkDependencies(check, value);
  const additional: string[] = [];
  for (const name of names) if (!checkProperty(check, value, name)) additional.push(name);
  if (additional.length > 0) check.add(`additional properties ${additional.map(quote).join(', ')} not allowed`);
  if (schema.propertyNames !== undefined) {
    for (const name of names) {
      const problems = check.apart(schema.propertyNames, name);
      if (problems.length > 0)
        check.problems.push({ at: [], text: `invalid propertyName ${quote(name)}`, kind: 'fact', causes: problems });
    }
  }
  checkDependents(check, value);
}

/** False for a property that nothing allows. */
function checkProperty(check: Check, value: GoObject, name: string): boolean {
  const { schema } = check;
  const part = entryOf(value, name) ?? null;
  let isKnown = false;
  const own = schema.properties.get(name);
  if (own !== undefined) {
    isKnown = true;
    check.addAll(check.part(own, part, name));
  }
  for (const { pattern, schema: one } of schema.patternProperties) {
    if (!pattern.test(name)) continue;
    isKnown = true;
    check.addAll(check.part(one, part, name));
  }
  if (!isKnown && schema.additionalProperties === false) return false;
  if (!isKnown && typeof schema.additionalProperties === 'object')
    check.addAll(check.part(schema.additionalProperties, part, name));
  if (isKnown || schema.additionalProperties !== undefined) check.left.properties.delete(name);
  return true;
}

function checkDependencies(check: Check, value: GoObject): void {
  for (const [name, dependency] of check.schema.dependencies) {
    if (!has(value, name)) continue;
    if ('pointer' in dependency) check.addAll(check.self(dependency));
    else checkRequired(check, value, name, dependency);
  }
}

function checkDependents(check: Check, value: GoObject): void {
  const { dependentSchemas, dependentRequired } = check.schema;
  for (const [name, one] of dependentSchemas) if (has(value, name)) check.addAll(check.self(one));
  for (const [name, names] of dependentRequired) if (has(value, name)) checkRequired(check, value, name, names);
}

function checkRequired(check: Check, value: GoObject, name: string, names: readonly string[]): void {
  const missing = names.filter((one) => !has(value, one));
  if (missing.length > 0) check.add(`properties ${missing.map(quote).join(', ')} required, if ${quote(name)} exists`);
}
