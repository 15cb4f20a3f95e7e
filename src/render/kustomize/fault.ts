import { Fault, type FaultCode } from '../../model/faults/index.js';

/** A fault of a kustomization, in the words that `kustomize build` uses. */
export function invalid(message: string, where = ''): Fault {
  return new Fault('KUSTOMIZATION_INVALID', message, { where });
}

/** Runs a step; a fault in it says first what was being done. What a render still needs passes through untouched. */
export function during<T>(doing: string | (() => string), step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw prefixed(error, typeof doing === 'string' ? doing : doing());
  }
}

function prefixed(error: unknown, doing: string): unknown {
  if (!(error instanceof Fault)) return error;
  return refault(error, `${doing}: ${error.message}`);
}

/** The same fault with another text. */
export function refault(error: Fault, message: string, where = error.where): Fault {
  const code: FaultCode = error.code;
  return new Fault(code, message, { where, cause: error });
}
