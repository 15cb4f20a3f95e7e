/**
 * application-set: the controller of ApplicationSets. Takes generated Applications; creates, updates and deletes
 * those that a set owns, as its policy allows, and writes its status. Never changes an Application that another
 * owner has.
 */
export { ApplicationSetController } from './application-set-controller.js';
