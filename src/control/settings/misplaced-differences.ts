import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { ignored } from './customization-entries.js';

/** The replacement for `spec.ignoreDifferences`, a field of Applications; undefined if it is not set. */
export function misplacedDifferences(spec: JsonObject): string | undefined {
  const { ignoreDifferences } = spec;
  if (ignoreDifferences === undefined || ignoreDifferences === null) return undefined;
  const names =
    `spec.ignoreDifferences is a field of Applications and has no effect in an ArgoCD. Use ` +
    `spec.resourceIgnoreDifferences instead`;
  const instead = translated(ignoreDifferences);
  return instead === undefined
    ? `${names}, with resourceIdentifiers of group, kind and customization`
    : `${names}:\n${writeYaml({ resourceIgnoreDifferences: instead })}`;
}

function translated(value: Json): JsonObject | undefined {
  if (!isArray(value))
    return isObject(value) && (value.all !== undefined || value.resourceIdentifiers !== undefined) ? value : undefined;
  const items = value.filter(isObject);
  const all = items.find((item) => item.group === '*' && item.kind === '*');
  const others = items.filter((item) => item !== all && typeof item.kind === 'string');
  if (items.length === 0) return undefined;
  return {
    ...(all === undefined ? {} : { all: ignored(all) }),
    ...(others.length === 0
      ? {}
      : {
          resourceIdentifiers: others.map((item) => ({
            group: item.group ?? '',
            kind: item.kind ?? '',
            customization: ignored(item),
          })),
        }),
  };
}
