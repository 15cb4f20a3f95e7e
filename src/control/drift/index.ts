/**
 * drift: what to do about differences. Takes an Application with its inspection; gives for each differing field its
 * owner, a class and one sentence of advice, and the smallest edits of git that settle them. Pure.
 */
export {
  adviseDrift,
  advisedApplication,
  onRevision,
  retargeted,
  type Advice,
  type DriftAdvice,
} from './advise-drift.js';
