import { forbidden, type ApiError } from '../errors/api-error.js';
import { resourceOf } from '../rest/context.js';
import type { AdmissionRequest } from '../rest/admission.js';

/** 403 in the words of the real server's plugins: `pods "x" is forbidden: why`. */
export function admissionForbidden({ type, name }: AdmissionRequest, why: string): ApiError {
  return forbidden(resourceOf(type), name, why);
}
