/**
 * application-set: CONTRACT.
 */
export { ApplicationSetController } from './application-set-controller.js';
