/**
 * pod: the pod that runs a notebook, and what its state means. Gives the object to create and the outcome of one that
 * exists.
 */
export { assessPod, deniedReason, hasStarted, isPodOver, terminationLines } from './assess-pod.js';
export { credentialsError, makePod, nonceOf, ourLabelSelector, ourLabels, ownedBy, referencesOf } from './pod.js';
