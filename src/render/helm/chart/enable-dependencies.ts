import { entryOf, type GoObject } from '../template/value/go-value.js';
import { coalesceValues, type CoalesceOptions } from '../values/coalesce.js';
import { leafAt, tableAt } from '../values/table.js';
import type { ActiveChart } from './active-chart.js';
import { isInRange } from './is-in-range.js';
import type { Dependency } from './metadata.js';

/** What a condition or tag says: a traced value has to be asked what it holds. */
export interface EnableOptions extends CoalesceOptions {
  readonly flagOf: (value: unknown) => boolean | undefined;
}

/**
 * Keeps the subcharts that tags and conditions switch on, under their aliases. `path` is where the chart's values
 * stand.
 * A chart that declares nothing keeps all of its subcharts, and these are left as they are.
 */
export function enableDependencies(
  chart: ActiveChart,
  given: GoObject,
  options: EnableOptions,
  path: readonly string[] = [],
): void {
  const declared = chart.metadata.dependencies;
  if (declared === undefined) return;
  const renamed = placeDeclared(chart, declared);
  const values = coalesceValues(chart, given, { ...options, keepNulls: false });
  const off = new Set(
    renamed.filter((dependency) => !isEnabled(dependency, values, path, options)).map(({ name }) => name),
  );
  const kept = chart.dependencies.filter(({ name }) => !off.has(name));
  for (const dependency of kept) enableDependencies(dependency, values, options, [...path, dependency.name]);
  const left = renamed.filter(({ name }) => !off.has(name)).map((dependency) => ({ ...dependency, enabled: true }));
  chart.setDependencies(kept, left.length === 0 ? undefined : left);
}

/**
 * Puts declared subcharts in the order of their declaration, after those that nobody declared; gives the declarations
 * by alias.
 */
function placeDeclared(chart: ActiveChart, declared: readonly Dependency[]): Dependency[] {
  const fits = (one: ActiveChart, dependency: Dependency): boolean =>
    one.name === dependency.name && isInRange(one.metadata.version, dependency.version);
  const placed = chart.dependencies.filter((one) => !declared.some((dependency) => fits(one, dependency)));
  for (const dependency of declared) {
    const found = chart.dependencies.find((one) => fits(one, dependency));
    if (found !== undefined) placed.push(found.under(chart, dependency.alias));
  }
  const renamed = declared.map((dependency) =>
    dependency.alias === '' ? dependency : { ...dependency, name: dependency.alias },
  );
  chart.setDependencies(placed, renamed);
  return renamed;
}

function isEnabled(dependency: Dependency, values: GoObject, path: readonly string[], options: EnableOptions): boolean {
  return byCondition(dependency, values, path, options) ?? byTags(dependency, values, options);
}

/** The first condition that is set to true or false decides. */
function byCondition(
  { condition, name }: Dependency,
  values: GoObject,
  path: readonly string[],
  options: EnableOptions,
): boolean | undefined {
  for (const one of condition.trim().split(',')) {
    if (one === '') continue;
    const value = leafAt(values, [...path, ...one.split('.')]);
    const flag = options.flagOf(value);
    if (flag !== undefined) return flag;
    if (value !== undefined) options.warn(`returned non-bool value path=${one} chart=${name}`);
  }
  return undefined;
}

/** One tag that is true is enough; without any, one that is false switches it off. */
function byTags({ tags, name }: Dependency, values: GoObject, options: EnableOptions): boolean {
  const table = tableAt(values, ['tags']);
  if (table === undefined) return true;
  let isOff = false;
  for (const tag of tags) {
    const value = entryOf(table, tag);
    if (value === undefined) continue;
    const flag = options.flagOf(value);
    if (flag === true) return true;
    if (flag === false) isOff = true;
    else options.warn(`returned non-bool value tag=${tag} chart=${name}`);
  }
  return !isOff;
}
