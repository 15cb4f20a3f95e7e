/**
 * chart: charts from chart repositories and OCI registries. Takes a repository, a name and a version range; gives the
 * archive, verified by digest and cached. Credentials go to the repository's own server only.
 */
export { ChartFetcher, type Chart, type ChartRequest } from './chart-fetcher.js';
export type { ListedChart } from './chart-index.js';
export { ociName } from './oci-name.js';
export { OciRegistry } from './oci-registry.js';
