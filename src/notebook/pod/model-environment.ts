import type { NotebookJob } from '../job/index.js';
import { flagAt, objectAt, textAt, textsAt } from '../../model/json/index.js';

/** Environment variables for notebooks that validate models. */
export function modelEnvironment({ model, namespace }: NotebookJob): Record<string, string> {
  if (model === undefined) return {};
  const models = textsAt(model, 'targetModels');
  const plain = models.map((text) => text.split('/').at(-1) ?? text);
  const prediction = objectAt(model, 'predictionValidation');
  const custom = objectAt(model, 'customPlatform');
  return {
    MODEL_VALIDATION_ENABLED: 'true',
    MODEL_VALIDATION_PLATFORM: textAt(model, 'platform') || 'kserve',
    MODEL_VALIDATION_NAMESPACE: namespace,
    MODEL_VALIDATION_PHASE: textAt(model, 'phase') || 'both',
    MODEL_VALIDATION_TIMEOUT: textAt(model, 'timeout') || '5m',
    ...(models.length === 0
      ? {}
      : {
          MODEL_VALIDATION_TARGET_MODELS: plain.join(','),
          MODEL_VALIDATION_TARGET_MODELS_ORIGINAL: models.join(','),
          MODEL_VALIDATION_TARGET_NAMESPACES: models.map(() => namespace).join(','),
        }),
    ...(prediction === undefined || flagAt(prediction, 'enabled') === false
      ? {}
      : {
          MODEL_VALIDATION_PREDICTION_ENABLED: 'true',
          MODEL_VALIDATION_PREDICTION_TEST_DATA: textAt(prediction, 'testData'),
          MODEL_VALIDATION_PREDICTION_EXPECTED_OUTPUT: textAt(prediction, 'expectedOutput'),
          MODEL_VALIDATION_PREDICTION_TOLERANCE: textAt(prediction, 'tolerance') || '0.01',
        }),
    ...(custom === undefined
      ? {}
      : {
          MODEL_VALIDATION_CUSTOM_API_GROUP: textAt(custom, 'apiGroup'),
          MODEL_VALIDATION_CUSTOM_RESOURCE_TYPE: textAt(custom, 'resourceType'),
          MODEL_VALIDATION_CUSTOM_HEALTH_ENDPOINT: textAt(custom, 'healthCheckEndpoint'),
          MODEL_VALIDATION_CUSTOM_PREDICTION_ENDPOINT: textAt(custom, 'predictionEndpoint'),
        }),
  };
}
