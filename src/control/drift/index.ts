/**
 * drift: CONTRACT.
 */
export {
  adviseDrift,
  advisedApplication,
  onRevision,
  retargeted,
  type Advice,
  type DriftAdvice,
} from './advise-drift.js';
