/**
 * faults: CONTRACT.
 */
export { FAULTS, Fault, type FaultCode } from './fault.js';
