import { Fault } from '../../model/faults/index.js';
import {
  type Json,
  type JsonObject,
  flagAt,
  isArray,
  isObject,
  objectAt,
  objectsAt,
  own,
  parseJson,
  textAt,
} from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { compareResponse } from './compare-response.js';
import type { NotebookJob } from '../job/index.js';

/** A request to a model, through the API server's Service proxy. */
export interface PredictionRequest {
  /** `name`, `name:port` or `https:name:port`, of the job's namespace. */
  readonly service: string;
  readonly path: string;
  readonly body: string;
}

/** The response of a model, or why there is none. */
export type ModelResponse =
  | { readonly kind: 'responded'; readonly text: string }
  | { readonly kind: 'silent'; readonly why: string };

export interface PredictionCheck {
  readonly success: boolean;
  readonly message: string;
  readonly actual: string;
  readonly difference: string;
  /** Of the model, if it reports one. */
  readonly version: string;
}

const MAX_OUTPUT_LENGTH = 500;
const TOLERANCE = 0.01;
const FIELD = 'spec.modelValidation.predictionValidation';

/** Whether a job has predictions to check. */
export function queriesModels({ model }: NotebookJob): boolean {
  const validation = objectAt(model, 'predictionValidation');
  return validation !== undefined && flagAt(validation, 'enabled') !== false && textAt(model, 'phase') !== 'clean';
}

/** The request for a model; a text says why it cannot be queried. */
export function requestTo(job: NotebookJob, name: string, object: KubeObject): PredictionRequest | string {
  const data = textAt(objectAt(job.model, 'predictionValidation'), 'testData').trim();
  if (data === '') return `${FIELD}.testData is empty: there is nothing to predict`;
  const input = parse(data);
  if (input === undefined) return `${FIELD}.testData is not valid JSON: ${JSON.stringify(data.slice(0, 60))}`;
  const platform = textAt(job.model, 'platform') || 'kserve';
  const path = pathOf(platform, job, encodeURIComponent(name), input);
  if (!path.startsWith('/')) return path;
  const service = serviceOf(platform, job, name, object);
  if ('problem' in service) return service.problem;
  const body =
    isArray(input) && ['kserve', 'openshift-ai', 'tensorflow-serving'].includes(platform)
      ? { instances: input }
      : input;
  return { service: service.name, path, body: JSON.stringify(body) };
}

function pathOf(platform: string, { model }: NotebookJob, name: string, input: Json): string {
  switch (platform) {
    case 'vllm':
      return '/v1/completions';
    case 'torchserve':
      return `/predictions/${name}`;
    case 'triton':
      return `/v2/models/${name}/infer`;
    case 'seldon':
      return '/api/v1.0/predictions';
    case 'bentoml':
      return '/predict';
    case 'ray-serve':
      return '/';
    case 'custom': {
      const path = textAt(objectAt(model, 'customPlatform'), 'predictionEndpoint');
      // It must not lead to anywhere but the Service.
      return /^\/[\w./:?=&-]*$/.test(path) && !path.split('/').includes('..')
        ? path
        : `spec.modelValidation.customPlatform.predictionEndpoint ${JSON.stringify(path)} must be a path of ` +
            `the model's Service, such as /predict`;
    }
    // The second protocol names tensors with their type.
    default:
      return isObject(input) && objectsAt(input, 'inputs').some((tensor) => own(tensor, 'datatype') !== undefined)
        ? `/v2/models/${name}/infer`
        : `/v1/models/${name}:predict`;
  }
}

function serviceOf(
  platform: string,
  { namespace }: NotebookJob,
  name: string,
  object: KubeObject,
): { readonly name: string } | { readonly problem: string } {
  if (platform === 'ray-serve') return { name: `${name}-serve-svc:8000` };
  if (platform === 'seldon')
    return {
      name: `${name}-${textAt(objectsAt(objectAt(object, 'spec'), 'predictors')[0], 'name') || 'default'}:8000`,
    };
  if (platform !== 'kserve' && platform !== 'openshift-ai') return { name };
  const status = objectAt(object, 'status');
  const url =
    [objectAt(status, 'address'), objectAt(objectAt(objectAt(status, 'components'), 'predictor'), 'address'), status]
      .map((each) => textAt(each, 'url'))
      .find((each) => each !== '') ?? '';
  if (url === '') return { problem: `InferenceService ${name} has no address in its status` };
  if (!URL.canParse(url))
    return { problem: `the address ${JSON.stringify(url)} of InferenceService ${name} is not a URL` };
  const { protocol, hostname, port } = new URL(url);
  const [service = '', place = '', kind = ''] = hostname.split('.');
  if (kind !== 'svc')
    return { problem: `the address ${url} of InferenceService ${name} is not a Service of the cluster` };
  if (place !== namespace) return { problem: `the address ${url} of InferenceService ${name} is in another namespace` };
  return { name: protocol === 'https:' ? `https:${service}:${port || '443'}` : `${service}:${port || '80'}` };
}

/** Whether a response matches the expectation of the job; without one any response does. */
export function checkResponse(job: NotebookJob, name: string, answer: ModelResponse): PredictionCheck {
  const validation = objectAt(job.model, 'predictionValidation');
  if (answer.kind === 'silent')
    return {
      success: false,
      message: `model ${name}: ${answer.why}`.slice(0, 2 * MAX_OUTPUT_LENGTH),
      actual: '',
      difference: '',
      version: '',
    };
  const response = parse(answer.text);
  const version = isObject(response) ? textAt(response, 'model_version') : '';
  const wanted = textAt(validation, 'expectedOutput').trim();
  const tolerance = Number(textAt(validation, 'tolerance') || TOLERANCE);
  const expected = parse(wanted);
  if (wanted === '') return { success: true, message: '', actual: cut(answer.text.trim()), difference: '', version };
  if (expected === undefined || response === undefined) {
    const isSame = wanted === answer.text.trim();
    return {
      success: isSame,
      message: isSame ? '' : `model ${name} returned ${cut(answer.text.trim())}, expected ${cut(wanted)}`,
      actual: cut(answer.text.trim()),
      difference: '',
      version,
    };
  }
  const { where, difference, actual } = compareResponse(expected, response, tolerance);
  const actualText = cut(JSON.stringify(actual));
  return {
    success: where === undefined,
    message:
      where === undefined
        ? ''
        : `model ${name} returned ${actualText}, expected ${cut(wanted)} within ${tolerance}: ${where}`,
    actual: actualText,
    difference,
    version,
  };
}

function cut(text: string): string {
  return text.length <= MAX_OUTPUT_LENGTH ? text : `${text.slice(0, MAX_OUTPUT_LENGTH)}...`;
}

function parse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** For the status of the job: the result of the first mismatching model, otherwise of the first. */
export function predictionResult(job: NotebookJob, checks: readonly PredictionCheck[]): JsonObject {
  const chosen = checks.find(({ success }) => !success) ?? checks[0];
  const expectedOutput = cut(textAt(objectAt(job.model, 'predictionValidation'), 'expectedOutput').trim());
  if (chosen === undefined)
    return {
      success: false,
      message: 'spec.modelValidation.targetModels is empty: there is no model to query',
      expectedOutput,
      actualOutput: '',
      difference: '',
    };
  return {
    success: chosen.success,
    message: chosen.message,
    expectedOutput,
    actualOutput: chosen.actual,
    difference: chosen.difference,
  };
}
