import { forbidden, type ApiError } from '../errors/index.js';
import { resourceOf, type AdmissionRequest } from '../rest/index.js';

/** 403 in the words of the real server's plugins: `pods "x" is forbidden: why`. */
export function admissionForbidden({ type, name }: AdmissionRequest, why: string): ApiError {
  return forbidden(resourceOf(type), name, why);
}
