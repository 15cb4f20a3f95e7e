/**
 * errors: failures as the API server reports them: ApiError with a Status, and field errors with the wording of
 * Kubernetes. Takes names, fields and values, gives values to throw or to collect; has no state.
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
