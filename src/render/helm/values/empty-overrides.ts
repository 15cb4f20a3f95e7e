import type { Json } from '../../../model/json/index.js';
import type { ValuePlace } from './traced.js';

interface Placed {
  readonly place: ValuePlace;
  readonly value: Json;
}

/**
 * An empty value that hides one with content, mostly by oversight: the settings everyone shares do not reach this
 * chart.
 */
export interface EmptyOverride {
  readonly rule: 'empty-override-shadows-inherited-value';
  readonly path: readonly string[];
  /** The empty one, and the one it hides. */
  readonly override: Placed;
  readonly hidden: Placed;
}

interface Origin {
  readonly path: readonly string[];
  readonly value: Json;
  readonly place: ValuePlace | undefined;
  readonly shadowed: readonly Placed[];
}

/** An empty map hides nothing where maps are merged, so it counts only over something that is no map. */
export function emptyOverrides(origins: readonly Origin[]): EmptyOverride[] {
  return origins.flatMap(({ path, value, place, shadowed }) => {
    // An empty value below an empty one hides nothing itself, but both hide what is below them.
    const hidden = shadowed.find((one) => !isEmpty(one.value));
    if (place === undefined || hidden === undefined || !isEmpty(value) || hidden.place.file === place.file) return [];
    return [{ rule: 'empty-override-shadows-inherited-value' as const, path, override: { place, value }, hidden }];
  });
}

function isEmpty(value: Json): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
