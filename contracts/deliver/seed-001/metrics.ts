import { isArray, isObject, type Json, type JsonObject } from '../../../src/model/json/index.js';
import { valueIn } from '../compare-with-expectation.js';

/** Applications counted as the document counts them. */
export interface Metrics {
  readonly all: number;
  readonly synced: number;
  readonly healthy: number;
  /** Types of the conditions that are errors. */
  readonly errors: readonly string[];
}

export function countApplications(applications: readonly JsonObject[]): Metrics {
  const having = (status: string, ...path: string[]): number =>
    applications.filter((app) => valueIn(app, 'status', ...path) === status).length;
  return {
    all: applications.length,
    synced: having('Synced', 'sync', 'status'),
    healthy: having('Healthy', 'health', 'status'),
    errors: applications.flatMap((app) => errorsOf(valueIn(app, 'status', 'conditions'))).sort(),
  };
}

function errorsOf(conditions: Json | undefined): string[] {
  const types = isArray(conditions)
    ? conditions.map((condition) => (isObject(condition) ? String(condition.type) : ''))
    : [];
  return types.filter((type) => type.endsWith('Error'));
}

/** The block of the document: three lines. */
export function metricsBlock({ all, synced, healthy, errors }: Metrics): string[] {
  const share = (count: number): string => `${count}/${all} (${(count * 100) / all}%)`;
  return [
    `- **Synced Apps:** ${share(synced)}`,
    `- **Healthy Apps:** ${share(healthy)}`,
    `- **Errors:** ${errors.length}${errors.length === 0 ? '' : ` (${errors.join(', ')})`}`,
  ];
}
