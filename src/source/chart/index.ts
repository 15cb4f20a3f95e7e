/**
 * chart: CONTRACT.
 */
export { ChartFetcher, type Chart, type ChartRequest } from './chart-fetcher.js';
export type { ListedChart } from './chart-index.js';
export { ociName } from './oci-name.js';
export { OciRegistry } from './oci-registry.js';
