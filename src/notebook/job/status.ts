import { formatTime, instantOf, millisecondsOf, parseTime } from '../../model/formats/index.js';
import { type JsonObject, objectAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

export const PHASES = [
  'Initializing',
  'Building',
  'BuildComplete',
  'ValidationRunning',
  'Succeeded',
  'Failed',
  'Pending',
  'Running',
] as const;

export interface CellResult extends JsonObject {
  cellIndex: number;
  status: string;
}

export interface TriggerState extends JsonObject {
  apiVersion: string;
  kind: string;
  name: string;
  namespace: string;
  action: string;
  state: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Skipped';
  attempts: number;
  message?: string;
  time?: string;
  targets?: string[];
  runId: string;
}

export interface BuildState extends JsonObject {
  phase: string;
  buildName: string;
  strategy: string;
  message?: string;
  imageReference?: string;
  startTime?: string;
  completionTime?: string;
  duration?: string;
}

/** The stored state of a run: everything needed to continue after a restart. */
export interface JobStatus extends JsonObject {
  phase?: string;
  message?: string;
  observedGeneration?: number;
  runId?: string;
  rerun?: string;
  /** That its ref meant when the run began, where commits run it again. */
  commit?: string;
  startTime?: string;
  completionTime?: string;
  retryCount?: number;
  lastRetryTime?: string;
  nextRetryTime?: string;
  kernel?: string;
  validationPodName?: string;
  validationPodUid?: string;
  attemptStartTime?: string;
  results?: CellResult[];
  statistics?: JsonObject;
  checks?: JsonObject[];
  comparisonResult?: JsonObject;
  modelValidationResult?: JsonObject;
  buildStatus?: BuildState;
  triggers?: TriggerState[];
  conditions?: JsonObject[];
}

export function statusOf(object: KubeObject): JobStatus {
  return objectAt(object, 'status') ?? {};
}

/** `status.kernel` of a run whose pod was only simulated. */
export const SIMULATED_KERNEL = 'simulated: nothing is executed';

/** Whether the run ended without its notebook having been executed. */
export function isSimulated({ kernel }: JobStatus): boolean {
  return kernel === SIMULATED_KERNEL;
}

export function isOver(status: JobStatus): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed';
}

export function timeText(milliseconds: number): string {
  return formatTime(instantOf(milliseconds));
}

/** Milliseconds since 1970; undefined if it is not a time. */
export function timeOf(text: string | null | undefined): number | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : millisecondsOf(parseTime(text));
}
