/**
 * faults: errors with a stable code, a place and a hint. One registry says for each code whether a retry helps;
 * docs/faults.md lists them, and a check proves that both agree.
 */
export { FAULTS, Fault, faultText, type FaultCode } from './fault.js';
