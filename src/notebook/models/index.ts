/**
 * models: CONTRACT.
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
