/**
 * diff: a target and a live object in, the fields that really differ out, each with its owner.
 * Quiet by default: what the server or a controller added, and what a rule ignores, is no difference.
 * Never calls the cluster: where only the server can know, the caller asks it and passes the prediction in.
 */
export { type Difference } from './difference.js';
