/**
 * cel: compiles and evaluates CEL with the libraries of Kubernetes. Takes an expression and the types of its variables,
 * gives a program or the compiler's issues; a failed evaluation is a CelFailure. Evaluation has a cost limit, so that
 * an expression cannot hold up the server. Never calls anything outside of its inputs.
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
