import { findByJsonPath, parseJsonPath } from '../crd/index.js';
import type { Column } from '../resources/index.js';

const HOUR = 3600;
const DAY = 24;

/** A column such as "2 minutes ago". */
export function agoColumn(column: Column, jsonPath: string): Column {
  const steps = parseJsonPath(jsonPath) ?? [];
  return {
    ...column,
    type: 'string',
    cell(object, now) {
      const [value] = findByJsonPath(object, steps);
      return typeof value === 'string' ? `${inWords((now.getTime() - Date.parse(value)) / 1000)} ago` : '';
    },
  };
}

/** Durations as OpenShift's tables write them (go-units): whole, and rougher the longer. */
function inWords(seconds: number): string {
  const whole = Math.trunc(seconds);
  const minutes = Math.trunc(seconds / 60);
  const hours = Math.trunc(seconds / HOUR + 0.5);
  if (whole < 1) return 'Less than a second';
  if (whole === 1) return '1 second';
  if (whole < 60) return `${whole} seconds`;
  if (minutes === 1) return 'About a minute';
  if (minutes < 60) return `${minutes} minutes`;
  if (hours === 1) return 'About an hour';
  if (hours < DAY * 2) return `${hours} hours`;
  if (hours < DAY * 14) return `${Math.trunc(hours / DAY)} days`;
  if (hours < DAY * 60) return `${Math.trunc(hours / DAY / 7)} weeks`;
  if (hours < DAY * 730) return `${Math.trunc(hours / DAY / 30)} months`;
  return `${Math.trunc(seconds / HOUR / DAY / 365)} years`;
}
