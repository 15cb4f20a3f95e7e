import { humanDuration } from '../../model/formats/index.js';
import type { Json, JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Column } from './resource-type.js';
import { items, text } from './fields.js';

type Cell = (object: KubeObject, now: Date) => Json;

/** A column that is always printed. */
export function column(name: string, cell: Cell, type: Column['type'] = 'string'): Column {
  return { name, type, priority: 0, cell };
}

/** A column for `-o wide`. */
export function wide(name: string, cell: Cell, type: Column['type'] = 'string'): Column {
  return { name, type, priority: 1, cell };
}

export const NAME: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  priority: 0,
  cell: (object) => object.metadata.name ?? '',
};
export const AGE = column('Age', (object, now) => since(object.metadata.creationTimestamp, now));

/** Kinds without a printer of their own. */
export const DEFAULT_COLUMNS: readonly Column[] = [
  NAME,
  column('Created At', (object) => object.metadata.creationTimestamp ?? '', 'date'),
];

/** How long ago a time was, as tables show it. */
export function since(time: Json | undefined, now: Date): string {
  if (typeof time !== 'string' || time === '') return '<unknown>';
  return humanDuration(now.getTime() - Date.parse(time));
}

export function containerNames(podSpec: JsonObject): string {
  return items(podSpec, 'containers')
    .map((container) => text(container, 'name'))
    .join(',');
}

export function containerImages(podSpec: JsonObject): string {
  return items(podSpec, 'containers')
    .map((container) => text(container, 'image'))
    .join(',');
}

/** Up to `max` entries, then how many are left out. */
export function listed(entries: readonly string[], max: number, empty: string): string {
  if (entries.length === 0) return empty;
  const printed = entries.slice(0, max).join(',');
  return entries.length > max ? `${printed} + ${entries.length - max} more...` : printed;
}
