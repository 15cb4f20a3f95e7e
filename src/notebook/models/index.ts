/**
 * models: the InferenceServices that a notebook validates. Takes their objects and responses; gives which ones to query
 * and the result. Sends no request.
 */
export {
  checkModels,
  modelKind,
  modelNames,
  modelsSince,
  modelsToQuery,
  modelsUntil,
  type ModelFacts,
} from './model-check.js';
export { requestTo, type ModelResponse, type PredictionRequest } from './prediction.js';
