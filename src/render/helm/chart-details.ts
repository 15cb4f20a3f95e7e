import { loadArchive } from './chart/load-files.js';

/** What the author of a chart says of it. */
export interface ChartDetails {
  readonly description: string;
  readonly home: string;
  /** `Name <mail>`. */
  readonly maintainers: readonly string[];
}

/** Out of the Chart.yaml of a packed chart; `path` names it in faults. */
export function readChartDetails(archive: Uint8Array, digest: string, path: string): ChartDetails {
  const { description, home, maintainers } = loadArchive(archive, digest, path).metadata;
  return { description, home, maintainers: maintainers.map(({ name, email }) => `${name} <${email}>`) };
}
