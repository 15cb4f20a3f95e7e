import type { JsonObject, KubeObject } from '../model/index.js';
import type { NotebookJob } from './job.js';
import { objectAt, objectsAt, textAt, textsAt } from './read-fields.js';
import { timeOf, type JobStatus } from './status.js';

/** How the models of a platform are kept; undefined: as Deployments, which every cluster has. */
interface PlatformKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const PLATFORMS: Readonly<Record<string, PlatformKind | undefined>> = {
  kserve: { group: 'serving.kserve.io', version: 'v1beta1', kind: 'InferenceService' }, 'openshift-ai': { group: 'serving.kserve.io', version: 'v1beta1', kind: 'InferenceService' },
  'ray-serve': { group: 'ray.io', version: 'v1', kind: 'RayService' }, seldon: { group: 'machinelearning.seldon.io', version: 'v1', kind: 'SeldonDeployment' },
  bentoml: { group: 'serving.yatai.ai', version: 'v2alpha1', kind: 'BentoDeployment' },
};
const DEPLOYMENT: PlatformKind = { group: 'apps', version: 'v1', kind: 'Deployment' };

export function modelKind({ model }: NotebookJob): PlatformKind {
  return PLATFORMS[textAt(model, 'platform') || 'kserve'] ?? DEPLOYMENT;
}

/** Names of the models that a job asks about, all of its own namespace. */
export function modelNames({ model }: NotebookJob): string[] {
  return textsAt(model, 'targetModels').map((text) => text.split('/').at(-1) ?? text);
}

const WITHIN = 5 * 60_000;

/**
 * What became of the models after a run: undefined where nobody asked, or where they may still get ready. A notebook that
 * succeeded stays a success, whatever its models do.
 */
export function checkModels(job: NotebookJob, status: JobStatus, isServed: boolean, models: ReadonlyMap<string, KubeObject | undefined>, now: number): JsonObject | undefined {
  const { model } = job;
  if (model === undefined || status.modelValidationResult !== undefined || status.phase !== 'Succeeded') return undefined;
  const [platform, phase] = [textAt(model, 'platform') || 'kserve', textAt(model, 'phase') || 'both'];
  const checked = modelNames(job).map((name) => judgeModel(name, models.get(name)));
  const bad = checked.filter(({ healthy }) => healthy !== true);
  const isPatient = isServed && bad.length > 0 && phase !== 'clean' && now < (timeOf(status.completionTime) ?? now) + WITHIN;
  if (isPatient) return undefined;
  const success = isServed && (phase === 'clean' || bad.length === 0);
  const message = !isServed ? `the cluster does not serve ${modelKind(job).kind} of ${modelKind(job).group}` : bad.length === 0 || phase === 'clean' ? '' : `not ready: ${bad.map(({ modelName }) => String(modelName)).join(', ')}`;
  return {
    phase, platform, platformDetected: isServed, success, message,
    ...(phase === 'existing' ? {} : { cleanEnvironmentCheck: { platformAvailable: isServed, crdsInstalled: isServed ? [modelKind(job).kind] : [], success: isServed, message: isServed ? '' : message } }),
    ...(phase === 'clean' ? {} : { existingEnvironmentCheck: { modelsChecked: checked, success: bad.length === 0, message: bad.length === 0 ? '' : message } }),
  };
}

function judgeModel(modelName: string, object: KubeObject | undefined): JsonObject {
  if (object === undefined) return { modelName, available: false, healthy: false, message: 'not found' };
  const conditions = objectsAt(objectAt(object, 'status'), 'conditions');
  const ready = conditions.find((each) => ['Ready', 'Available'].includes(textAt(each, 'type')));
  const healthy = textAt(ready, 'status') === 'True';
  return { modelName, available: true, healthy, resourceStatus: textAt(ready, 'reason') || (healthy ? 'Ready' : 'NotReady'), message: textAt(ready, 'message') };
}
