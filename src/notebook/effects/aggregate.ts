import { type JsonObject, objectAt, objectsAt, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { statusOf } from '../job/index.js';

const STATUS_ANNOTATION = 'mlops.dev/notebook-status';
const SUMMARY_ANNOTATION = 'mlops.dev/notebook-summary';
const TRACKING = 'argocd.argoproj.io/tracking-id';
const RUNNING_PHASES = ['ValidationRunning', 'Building', 'BuildComplete', 'Initializing', 'Pending', 'Running'];
const MAX_NAMED = 20;

export interface ApplicationName {
  /** The namespace if set; empty if it must be searched. */
  readonly namespace: string;
  readonly name: string;
  /** A label may be set by anybody; a tracking id is what the delivery wrote. */
  readonly isTracked: boolean;
}

/** The Application that a job belongs to. */
export function applicationOf({
  metadata: { annotations = {}, labels = {} },
}: KubeObject): ApplicationName | undefined {
  const tracked = annotations[TRACKING]?.split(':')[0] ?? '';
  if (tracked !== '') {
    const [namespace = '', ...rest] = tracked.split('_');
    return rest.length === 0
      ? { namespace: '', name: tracked, isTracked: true }
      : { namespace, name: rest.join('_'), isTracked: true };
  }
  const name = labels['app.kubernetes.io/instance'] ?? labels['app.kubernetes.io/part-of'] ?? '';
  return name === '' ? undefined : { namespace: '', name, isTracked: false };
}

/** Whether a job may be summarized on an Application: its destination matches, or it lists the job. */
export function mayReportTo(application: KubeObject, { metadata }: KubeObject): boolean {
  const destination = objectAt(objectAt(application, 'spec'), 'destination');
  if (textAt(destination, 'namespace') === metadata.namespace) return true;
  return objectsAt(objectAt(application, 'status'), 'resources').some(
    (resource) =>
      resource.kind === 'NotebookValidationJob' &&
      textAt(resource, 'namespace') === metadata.namespace &&
      textAt(resource, 'name') === metadata.name,
  );
}

/** Whether an Application has a summary: only then it is updated when there are no jobs left. */
export function hasSummary({ metadata: { annotations = {} } }: KubeObject): boolean {
  return annotations[STATUS_ANNOTATION] !== undefined;
}

/** The two annotations of an application about its jobs; undefined where only the time would change. */
export function summaryOf(
  jobs: readonly KubeObject[],
  annotations: Readonly<Record<string, string>>,
  now: string,
): Readonly<Record<string, string>> | undefined {
  const phases = jobs.map((job) => statusOf(job).phase ?? '');
  const [total, succeeded] = [jobs.length, phases.filter((phase) => phase === 'Succeeded').length];
  const failedJobs = jobs
    .filter((_, index) => phases[index] === 'Failed')
    .map(({ metadata }) => metadata.name ?? '')
    .sort()
    .slice(0, MAX_NAMED);
  const status: JsonObject = {
    total,
    succeeded,
    failed: phases.filter((phase) => phase === 'Failed').length,
    running: phases.filter((phase) => RUNNING_PHASES.includes(phase)).length,
    lastUpdate: now,
    ...(failedJobs.length === 0 ? {} : { failedJobs }),
  };
  const summary =
    total === 0
      ? 'No notebook validation jobs'
      : `${succeeded}/${total} succeeded (${((succeeded / total) * 100).toFixed(1)}% success rate)`;
  const before = annotations[STATUS_ANNOTATION] ?? '';
  const isSame =
    withoutTime(before) === withoutTime(JSON.stringify(status)) && annotations[SUMMARY_ANNOTATION] === summary;
  return isSame ? undefined : { [STATUS_ANNOTATION]: JSON.stringify(status), [SUMMARY_ANNOTATION]: summary };
}

function withoutTime(status: string): string {
  return status.replace(/"lastUpdate":"[^"]*"/, '');
}
