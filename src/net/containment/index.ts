/**
 * containment: keeps a process alive. Takes the directory that it may write and a log; catches what no part caught,
 * counts it against the object that was worked on, and sets an object aside that broke the process twice, also across
 * restarts. Gives `workOn`, which every queue of objects uses.
 */
export { workName } from './containment.js';
export {
  containProcess,
  onSetAside,
  workOn,
} from './process-containment.js';
