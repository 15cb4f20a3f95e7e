import { writeJson, type Json, type JsonObject } from '../../model/json/index.js';

/** One wrong field, in the words of apimachinery's field errors. */
export interface FieldError {
  readonly field: string;
  readonly type: FieldErrorType;
  /** Already in the form that stands after the field name: `Invalid value: -1: must be greater than 0`. */
  readonly detail: string;
}

type FieldErrorType =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueNotSupported'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** How field errors show a value: strings quoted, the rest as JSON. */
export function formatValue(value: Json | undefined): string {
  if (value === undefined || value === null) return 'null';
  return writeJson(value);
}

export function invalidField(field: string, value: Json | undefined, why: string): FieldError {
  return { field, type: 'FieldValueInvalid', detail: `Invalid value: ${formatValue(value)}: ${why}` };
}

export function requiredField(field: string, why = ''): FieldError {
  return { field, type: 'FieldValueRequired', detail: why === '' ? 'Required value' : `Required value: ${why}` };
}

export function forbiddenField(field: string, why: string): FieldError {
  return { field, type: 'FieldValueForbidden', detail: `Forbidden: ${why}` };
}

export function duplicateField(field: string, value: Json): FieldError {
  return { field, type: 'FieldValueDuplicate', detail: `Duplicate value: ${formatValue(value)}` };
}

export function notFoundField(field: string, value: Json): FieldError {
  return { field, type: 'FieldValueNotFound', detail: `Not found: ${formatValue(value)}` };
}

export function unsupportedField(field: string, value: Json, supported: readonly string[]): FieldError {
  const list = supported.map((item) => JSON.stringify(item)).join(', ');
  return {
    field,
    type: 'FieldValueNotSupported',
    detail: `Unsupported value: ${formatValue(value)}: supported values: ${list}`,
  };
}

export function tooLongField(field: string, max: number): FieldError {
  return { field, type: 'FieldValueTooLong', detail: `Too long: may not be more than ${max} bytes` };
}

/** The group and plural (or kind) of an error; printed as `deployments.apps`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

function resourceText({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** A request that the server answers with a Status object, in the real server's reason, code and words. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly details?: JsonObject,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

function details(of: GroupResource, name: string, more: JsonObject = {}): JsonObject {
  return {
    ...(name === '' ? {} : { name }),
    ...(of.group === '' ? {} : { group: of.group }),
    ...(of.resource === '' ? {} : { kind: of.resource }),
    ...more,
  };
}

export function notFound(of: GroupResource, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${resourceText(of)} "${name}" not found`, details(of, name));
}

export function alreadyExists(of: GroupResource, name: string): ApiError {
  return new ApiError(409, 'AlreadyExists', `${resourceText(of)} "${name}" already exists`, details(of, name));
}

export function conflict(of: GroupResource, name: string, why: string): ApiError {
  return new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resourceText(of)} "${name}": ${why}`,
    details(of, name),
  );
}

/** The sentence that follows a stale resourceVersion. */
export const STALE_MESSAGE =
  'the object has been modified; please apply your changes to the latest version and try again';

/** 422; `of.resource` is the kind here: `Deployment.apps "x" is invalid: ...`. */
export function invalid(of: { group: string; kind: string }, name: string, errors: readonly FieldError[]): ApiError {
  const lines = [...new Set(errors.map((error) => `${error.field}: ${error.detail}`))];
  const text = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const causes = errors.map((error) => ({ reason: error.type, message: error.detail, field: error.field }));
  const kind = { group: of.group, resource: of.kind };
  return new ApiError(
    422,
    'Invalid',
    `${resourceText(kind)} "${name}" is invalid: ${text}`,
    details(kind, name, { causes }),
  );
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function forbidden(of: GroupResource, name: string, why: string): ApiError {
  return new ApiError(403, 'Forbidden', `${resourceText(of)} "${name}" is forbidden: ${why}`, details(of, name));
}

/** A known group or version does not have what the path names. */
export function resourceNotFound(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** An answer in plain text, as Go's HTTP server gives where no API is involved. */
export class PlainTextError extends Error {
  constructor(
    readonly code: number,
    text: string,
  ) {
    super(text);
  }
}

/** A path outside every group. */
export function noSuchPath(): PlainTextError {
  return new PlainTextError(404, '404 page not found');
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

/** The same with the reason, for kinds that are only read. */
export function cannotWrite(why: string): ApiError {
  return new ApiError(405, 'MethodNotAllowed', why, {});
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Unauthorized', 'Unauthorized');
}

/** A resourceVersion or continue token older than what the server remembers. */
export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}

export function internalError(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}
