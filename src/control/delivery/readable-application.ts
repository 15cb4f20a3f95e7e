import { Fault } from '../../model/faults/index.js';
import { isObject, type JsonObject } from '../../model/json/index.js';
import { parseApplication, type Application } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/** As much of an Application as can be parsed: enough to write a status that says what is wrong with the rest. */
export function parseReadableParts(object: KubeObject): Application {
  try {
    return parseApplication(object);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { operation: _operation, ...rest } = object;
    const { status } = object;
    const readable = { ...rest, spec: { destination: {} } };
    // The operation stays as it is: a write must not look like a change of it.
    return {
      ...withReadableState(readable, isObject(status) ? status : {}),
      object: { ...object, spec: readable.spec },
    };
  }
}

/** The operation state may be readable even if the spec is not, or be the part that is not. */
function withReadableState(object: KubeObject, status: JsonObject): Application {
  try {
    return parseApplication({ ...object, status });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return parseApplication({ ...object, status: { ...status, operationState: null } });
  }
}
