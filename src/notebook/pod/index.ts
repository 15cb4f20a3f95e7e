/**
 * pod: CONTRACT.
 */
export { assessPod, deniedReason, hasStarted, isPodOver, terminationLines } from './assess-pod.js';
export { credentialsError, makePod, nonceOf, ourLabelSelector, ourLabels, ownedBy, referencesOf } from './pod.js';
