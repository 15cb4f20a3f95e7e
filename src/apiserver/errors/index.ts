/**
 * errors: CONTRACT.
 */
export {
  ApiError,
  PlainTextError,
  STALE_MESSAGE,
  alreadyExists,
  badRequest,
  cannotWrite,
  conflict,
  duplicateField,
  expired,
  forbidden,
  forbiddenField,
  formatValue,
  internalError,
  invalid,
  invalidField,
  methodNotAllowed,
  noSuchPath,
  notFound,
  notFoundField,
  requiredField,
  resourceNotFound,
  tooLongField,
  type FieldError,
  type GroupResource,
  unauthorized,
  unsupportedField,
} from './api-error.js';
export { messageOf } from './error-text.js';
