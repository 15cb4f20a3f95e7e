import { writeJson, isArray, isObject, type Json } from '../../model/json/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import {
  ChartValues,
  emptyOverrideText,
  NeedsContent,
  parsePath,
  pathText,
  shortText,
  valuePlaceText,
  type ValueOrigin,
} from '../../render/index.js';
import { prettyJson, formatTable } from '../output/index.js';
import { chartInput, openLocalSource, withDisplayPaths, missingContent } from '../local/index.js';
import { originOfValue, placeJson } from './print-manifests.js';
import type { ValuesFlags } from '../command/index.js';

export interface ValuesCommandFlags extends ValuesFlags {
  readonly output?: string;
}

export interface PrintedValues {
  readonly text: string;
  readonly warnings: readonly string[];
  /** Whether the key that was asked for has a value. */
  readonly isFound: boolean;
}

/** The effective values of a chart, or those of one key, with who set them. */
export function printValues(named: string, key: string | undefined, flags: ValuesCommandFlags): Promise<PrintedValues> {
  const source = openLocalSource(named, flags.root);
  return withDisplayPaths(source, () => {
    const values = open(() => new ChartValues(chartInput(source, flags), { nameOf: source.shown }));
    const path = key === undefined ? [] : parsePath(key.replace(/^\.?Values\./, ''));
    const origins = originsFor(values, path);
    const isFound = values.valueAt(path) !== undefined;
    const overrides = values.emptyOverrides.filter(({ path: other }) => isAlong(other, path));
    const warnings = flags.output === undefined ? overrides.map(emptyOverrideText) : [];
    if (flags.output === undefined)
      return { text: key === undefined ? table(origins) : details(values, { key, path }, origins), warnings, isFound };
    const data: Json = {
      values: values.valueAt(path) ?? null,
      origins: origins.map(originOfValue),
      findings: overrides.map((one) => ({
        rule: one.rule,
        key: pathText(one.path),
        ...placeJson(one.override.place),
        value: one.override.value,
        hides: { ...placeJson(one.hidden.place), value: one.hidden.value },
        message: emptyOverrideText(one),
      })),
    };
    return { text: flags.output === 'yaml' ? writeYaml(data) : prettyJson(data), warnings, isFound };
  });
}

function open(read: () => ChartValues): ChartValues {
  try {
    return read();
  } catch (error) {
    throw error instanceof NeedsContent ? missingContent(error.needs) : error;
  }
}

/** Those below the path; for one inside a list, or inside something that was removed, that of the list. */
function originsFor(values: ChartValues, path: readonly string[]): ValueOrigin[] {
  const below = values.originsBelow(path);
  if (below.length > 0) return below;
  return path.flatMap((_, index) => values.originOf(path.slice(0, path.length - index)) ?? []).slice(0, 1);
}

function isAlong(one: readonly string[], other: readonly string[]): boolean {
  return other.every((name, index) => one[index] === undefined || one[index] === name);
}

function table(origins: readonly ValueOrigin[]): string {
  return formatTable(
    ['KEY', 'VALUE', 'SET AT', 'OVER'],
    origins.map(({ path, value, removed, place, shadowed }) => [
      pathText(path),
      removed ? '(removed)' : shortText(value),
      place === undefined ? '' : valuePlaceText(place),
      shadowed.map((one) => valuePlaceText(one.place)).join(', '),
    ]),
  );
}

/** For each value: what it is, who set it, and who lost, one below the other. */
function details(
  values: ChartValues,
  { key, path }: { readonly key: string; readonly path: readonly string[] },
  origins: readonly ValueOrigin[],
): string {
  const whole = values.valueAt(path);
  const parts = origins.map((origin) => detail(origin));
  if (whole === undefined) {
    const files = values
      .filesFor(path)
      .map(
        ({ file, key: inside }) =>
          `  could be set at  ${file}${inside.length === path.length ? '' : ` as ${pathText(inside)}`}\n`,
      );
    return `${key} is not set\n${files.join('')}${parts.join('')}`;
  }
  const [first] = origins;
  const isInside = first !== undefined && first.path.length < path.length;
  return `${isInside ? `${key} = ${writeJson(whole)}, part of\n` : ''}${parts.join('')}`;
}

function detail({ path, value, removed, place, shadowed }: ValueOrigin): string {
  const rows = [
    ...(place === undefined ? [] : [['set at', valuePlaceText(place), removed ? 'null' : shortText(value)]]),
    ...shadowed.map((one) => ['over', valuePlaceText(one.place), shortText(one.value)]),
  ];
  const width = Math.max(0, ...rows.map(([, at = '']) => at.length));
  const lines = rows.map(([word = '', at = '', text = '']) => `  ${word.padEnd(6)}  ${at.padEnd(width)}  ${text}\n`);
  return `${pathText(path)} ${removed ? 'is removed' : `= ${full(value)}`}\n${lines.join('')}`;
}

/** The whole value; only what is set there is shortened. */
function full(value: Json): string {
  return isArray(value) || isObject(value) ? writeJson(value) : shortText(value);
}
