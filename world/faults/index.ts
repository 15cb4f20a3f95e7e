/**
 * faults: platforms in which something is wrong, with what is true of them. Takes a fault by name and a seed, gives a
 * snapshot of the whole cluster (objects, Events, logs), the repository's files, and a label that names objects and
 * fields. The consequences are played, not written. Knows nothing of whoever looks for causes: labels never name a
 * rule. Whoever has a world of their own runs it by `runWorld`.
 */
export { FaultPlatform, withoutSimulation, type FaultCase, type LiveWorld } from './fault-platform.js';
export { renamed, writeFaultWorld, type FaultWorld, type GitTree } from './fault-world.js';
export { collect } from './collect.js';
export { runWorld, type RunningWorld, type WorldParts } from './run-world.js';
export { fitTogether, planCases, type CaseKind, type PlannedCase } from './cases.js';
export { INJECTORS } from './injectors/index.js';
export { DECOYS } from './decoys.js';
export { type Injector } from './injection/injector.js';
export { isHeldOut } from './held-out.js';
export { findViolations } from './find-violations.js';
export { writeFaultWorlds, FAULT_HELP } from './write-worlds.js';
export {
  type Label,
  type LabelledFault,
  type Member,
  type ObjectRef,
  type Root,
  type Sign,
} from './injection/label.js';
