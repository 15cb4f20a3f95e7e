import { forbidden, type ApiError } from '../api-error.js';
import { resourceOf } from '../rest/context.js';
import type { AdmissionRequest } from './admission.js';

/** 403 in the words of the real server's plugins: `pods "x" is forbidden: why`. */
export function refused({ type, name }: AdmissionRequest, why: string): ApiError {
  return forbidden(resourceOf(type), name, why);
}
