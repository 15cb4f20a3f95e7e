/**
 * cel: CONTRACT.
 */
export { CelFailure, CelIssue, compileCel, type CelProgram } from './compile.js';
export { compilePattern } from './functions/regex.js';
export { parseUrl } from './functions/urls.js';
export { formatCheck } from './string-formats.js';
export {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  listOf,
  mapOf,
  optionalOf,
  type CelType,
  type ObjectField,
} from './types.js';
export { Optional, Timestamp, fromJson, markListKeys, parseTimestamp, toJson, type CelValue } from './values.js';
