/** Why a metric gives no number of replicas, in the words of the real controller. */
export class MetricError extends Error {}
