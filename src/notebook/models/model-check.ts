import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type JobStatus, type NotebookJob, timeOf, timeText } from '../job/index.js';
import {
  queriesModels,
  checkResponse,
  predictionResult,
  type ModelResponse,
  type PredictionCheck,
} from './prediction.js';

/** How the models of a platform are kept; undefined: as Deployments, which every cluster has. */
interface PlatformKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const PLATFORMS: Readonly<Record<string, PlatformKind | undefined>> = {
  kserve: { group: 'serving.kserve.io', version: 'v1beta1', kind: 'InferenceService' },
  'openshift-ai': { group: 'serving.kserve.io', version: 'v1beta1', kind: 'InferenceService' },
  'ray-serve': { group: 'ray.io', version: 'v1', kind: 'RayService' },
  seldon: { group: 'machinelearning.seldon.io', version: 'v1', kind: 'SeldonDeployment' },
  bentoml: { group: 'serving.yatai.ai', version: 'v2alpha1', kind: 'BentoDeployment' },
};
const DEPLOYMENT: PlatformKind = { group: 'apps', version: 'v1', kind: 'Deployment' };

export function modelKind({ model }: NotebookJob): PlatformKind {
  return PLATFORMS[textAt(model, 'platform') || 'kserve'] ?? DEPLOYMENT;
}

/** Names of the models of a job, all in its own namespace. */
export function modelNames({ model }: NotebookJob): string[] {
  return textsAt(model, 'targetModels').map((text) => text.split('/').at(-1) ?? text);
}

/** What was seen of the models of a job. */
export interface ModelFacts {
  /** Whether the cluster serves the kind of the platform. */
  readonly isServed: boolean;
  readonly models: ReadonlyMap<string, KubeObject | undefined>;
  /** Of the queried models; undefined during a query. */
  readonly responses: ReadonlyMap<string, ModelResponse> | undefined;
}

/** When looking at models began: after the run, and after its triggers, which may replace what serves them. */
export function modelsSince({ completionTime, triggers = [] }: JobStatus): number | undefined {
  const times = [completionTime, ...triggers.map(({ time }) => time)]
    .map((time) => timeOf(time))
    .filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}

export function modelsUntil(job: NotebookJob, status: JobStatus): number {
  return (modelsSince(status) ?? 0) + job.modelMilliseconds;
}

/** Models that can be queried now: the ready ones of a job with predictions. */
export function modelsToQuery(job: NotebookJob, { isServed, models }: Omit<ModelFacts, 'responses'>): string[] {
  return isServed && queriesModels(job)
    ? modelNames(job).filter((name) => assessModel(name, models.get(name)).healthy === true)
    : [];
}

/**
 * The result of the model checks after a run: undefined without models, or while they may still become ready or respond
 * as expected. A succeeded notebook stays a success, whatever its models do.
 */
export function checkModels(
  job: NotebookJob,
  status: JobStatus,
  facts: ModelFacts,
  now: number,
): JsonObject | undefined {
  const { model } = job;
  const { isServed, models } = facts;
  if (model === undefined || status.modelValidationResult !== undefined || status.phase !== 'Succeeded')
    return undefined;
  const [platform, phase] = [textAt(model, 'platform') || 'kserve', textAt(model, 'phase') || 'both'];
  const checks = phase === 'clean' ? [] : checkPredictions(job, facts);
  const checked = modelNames(job).map((name) =>
    assessModel(name, models.get(name), checks.find((each) => each.name === name)?.version),
  );
  const prediction = queriesModels(job) && isServed ? predictionResult(job, checks) : undefined;
  const existing = formatFailures(checked, prediction);
  const success = isServed && (phase === 'clean' || existing === '');
  if (!success && isServed && now < modelsUntil(job, status)) return undefined;
  const { kind, group } = modelKind(job);
  const readiness = phase === 'clean' ? '' : existing;
  const message = isServed ? readiness : `the cluster does not serve ${kind} of ${group}`;
  return {
    phase,
    platform,
    platformDetected: isServed,
    success,
    message: success || !isServed ? message : `${message} (after ${job.modelMilliseconds / 1000} s)`,
    completionTime: timeText(now),
    ...(phase === 'existing' ? {} : { cleanEnvironmentCheck: cleanCheck(isServed, kind, message) }),
    ...(phase === 'clean' ? {} : { existingEnvironmentCheck: existingCheck(isServed, checked, prediction) }),
  };
}

function existingCheck(isServed: boolean, checked: JsonObject[], prediction: JsonObject | undefined): JsonObject {
  const message = formatFailures(checked, prediction);
  return {
    modelsChecked: checked,
    ...(prediction === undefined ? {} : { predictionValidation: prediction }),
    success: isServed && message === '',
    message,
  };
}

function cleanCheck(isServed: boolean, kind: string, message: string): JsonObject {
  return {
    platformAvailable: isServed,
    crdsInstalled: isServed ? [kind] : [],
    success: isServed,
    message: isServed ? '' : message,
  };
}

/** One for each model that a job wants to ask. */
function checkPredictions(
  job: NotebookJob,
  { isServed, models, responses }: ModelFacts,
): (PredictionCheck & { readonly name: string })[] {
  if (!queriesModels(job) || !isServed) return [];
  return modelNames(job).map((name) => {
    const answer =
      responses?.get(name) ??
      ({
        kind: 'silent',
        why:
          assessModel(name, models.get(name)).healthy === true ? 'no response' : 'not queried, because it is not ready',
      } as const);
    return { name, ...checkResponse(job, name, answer) };
  });
}

function formatFailures(checked: readonly JsonObject[], prediction: JsonObject | undefined): string {
  const bad = checked
    .filter(({ healthy }) => healthy !== true)
    .map(({ modelName, message }) => `${String(modelName)}${message === '' ? '' : ` (${String(message)})`}`);
  if (bad.length > 0) return `not ready: ${bad.join(', ')}`;
  return prediction === undefined || prediction.success === true ? '' : String(prediction.message);
}

function assessModel(modelName: string, object: KubeObject | undefined, version = ''): JsonObject {
  if (object === undefined) return { modelName, available: false, healthy: false, message: 'not found' };
  const conditions = objectsAt(objectAt(object, 'status'), 'conditions');
  const ready = conditions.find((each) => ['Ready', 'Available'].includes(textAt(each, 'type')));
  const healthy = textAt(ready, 'status') === 'True';
  return {
    modelName,
    available: true,
    healthy,
    ...(version === '' ? {} : { version }),
    resourceStatus: textAt(ready, 'reason') || (healthy ? 'Ready' : 'NotReady'),
    message: textAt(ready, 'message'),
  };
}
