import { isArray, isObject, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ClusterError } from '../../cluster/index.js';
import { isPodOver, readJob, statusOf, timeOf, type JobStatus } from '../../notebook/index.js';
import type { Metrics } from '../telemetry/index.js';

const PREFIX = 'notebookvalidationjob_';
const SECONDS = [0.1, 0.5, 1, 2, 5, 10, 30, 60];

/** The numbers of the operator, by the names that alert rules of the original know. */
export class NotebookMetrics {
  constructor(
    readonly metrics: Metrics,
    pods: () => readonly KubeObject[],
  ) {
    metrics.read(`${PREFIX}active_pods`, 'gauge', 'Validation pods that are pending or running.', () =>
      activePods(pods()),
    );
  }

  reconciled(namespace: string, seconds: number, error?: unknown): void {
    this.metrics.observe(
      `${PREFIX}reconciliation_duration_seconds`,
      'Duration of a reconcile of a job.',
      { namespace, result: error === undefined ? 'success' : 'error' },
      seconds,
      SECONDS,
    );
    if (error !== undefined)
      this.metrics.count(`${PREFIX}reconciliation_errors_total`, 'Failed reconciles of jobs.', {
        namespace,
        error_type: errorType(error),
      });
  }

  podCreated(namespace: string, succeeded: boolean): void {
    this.metrics.count(`${PREFIX}pod_creations_total`, 'Validation pods that were created or rejected.', {
      namespace,
      result: succeeded ? 'success' : 'failed',
    });
  }

  triggered(action: string, succeeded: boolean): void {
    this.metrics.count(`${PREFIX}argocd_triggers_total`, 'Triggers run by succeeded jobs.', {
      action,
      status: succeeded ? 'success' : 'failed',
    });
  }

  modelsChecked(namespace: string, result: JsonObject, detection: number, seconds: number): void {
    const platform = String(result.platform);
    this.metrics.observe(
      `${PREFIX}platform_detection_duration_seconds`,
      'Duration of the check for a model serving platform.',
      { namespace, platform, detected: String(result.platformDetected) },
      detection,
      SECONDS,
    );
    this.metrics.observe(
      `${PREFIX}model_validation_duration_seconds`,
      'Duration of model checks.',
      { namespace, platform, result: outcomeOf(result) },
      seconds,
      SECONDS,
    );
    for (const model of modelsOf(result))
      this.metrics.count(`${PREFIX}model_health_checks_total`, 'Models that were checked.', {
        namespace,
        platform,
        status: model.healthy === true ? 'healthy' : 'unhealthy',
      });
    const prediction = predictionOf(result);
    if (prediction !== undefined)
      this.metrics.count(`${PREFIX}prediction_validations_total`, 'Jobs whose models were queried.', {
        namespace,
        platform,
        result: prediction.success === true ? 'success' : 'failed',
      });
  }

  /** A run is over: counted where its end was stored. */
  ended(job: KubeObject, { phase }: JobStatus, pod: KubeObject | undefined): void {
    const { namespace = '' } = job.metadata;
    this.metrics.count(`${PREFIX}validations_total`, 'Finished notebook runs.', {
      namespace,
      status: phase === 'Succeeded' ? 'succeeded' : 'failed',
    });
    const seconds = pod === undefined ? undefined : fetchSeconds(pod);
    if (seconds !== undefined)
      this.metrics.observe(
        `${PREFIX}git_clone_duration_seconds`,
        'Duration of fetching a repository.',
        { namespace, auth_type: readJob(job).notebook.secret === '' ? 'none' : 'secret' },
        seconds,
        SECONDS,
      );
  }
}

function modelsOf({ existingEnvironmentCheck: check }: JsonObject): JsonObject[] {
  return isObject(check) && isArray(check.modelsChecked) ? check.modelsChecked.filter((each) => isObject(each)) : [];
}

function predictionOf({ existingEnvironmentCheck: check }: JsonObject): JsonObject | undefined {
  return isObject(check) && isObject(check.predictionValidation) ? check.predictionValidation : undefined;
}

/** Outcomes as the original operator labels them; `error` if models are healthy but respond unexpectedly. */
function outcomeOf(result: JsonObject): string {
  if (result.success === true) return 'success';
  if (result.platformDetected !== true) return 'platform_unavailable';
  return modelsOf(result).every(({ healthy }) => healthy === true) ? 'error' : 'health_check_failed';
}

/** As the original classifies: what passes, what never will, and the rest. */
export function errorType(error: unknown): 'Transient' | 'Terminal' | 'Retriable' {
  if (!(error instanceof ClusterError)) return 'Retriable';
  if (error.isConflict || error.status === 429 || error.status >= 500 || error.status === 408) return 'Transient';
  return error.status === 422 || error.status === 400 || error.status === 403 ? 'Terminal' : 'Retriable';
}

function activePods(pods: readonly KubeObject[]): (readonly [Record<string, string>, number])[] {
  const counts = new Map<string, { readonly labels: Record<string, string>; count: number }>();
  for (const pod of pods) {
    if (isPodOver(pod)) continue;
    const namespace = pod.metadata.namespace ?? '';
    const phase = statusOf(pod).phase === 'Running' ? 'running' : 'pending';
    const entry = counts.get(`${namespace} ${phase}`) ?? { labels: { namespace, phase }, count: 0 };
    entry.count++;
    counts.set(`${namespace} ${phase}`, entry);
  }
  return [...counts.values()].map(({ labels, count }) => [labels, count] as const);
}

function fetchSeconds({ status }: KubeObject): number | undefined {
  const { initContainerStatuses } = (status ?? {}) as {
    initContainerStatuses?: { name: string; state?: { terminated?: { startedAt?: string; finishedAt?: string } } }[];
  };
  const { startedAt, finishedAt } =
    initContainerStatuses?.find(({ name }) => name === 'git-clone')?.state?.terminated ?? {};
  const [start, end] = [timeOf(startedAt), timeOf(finishedAt)];
  return start === undefined || end === undefined ? undefined : (end - start) / 1000;
}
