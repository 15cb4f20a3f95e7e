/**
 * testing: cases of triage as objects, events and logs. Takes the documents of a case; adds them to a snapshot.
 */
export { addGiven } from './add-given.js';
