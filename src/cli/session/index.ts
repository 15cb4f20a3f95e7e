/**
 * session: CONTRACT.
 */
export { readSettings, type AppFlags, type AppSession, withSession } from './app-session.js';
export { applicationId, chooseApplications, findApplication, listApplications } from './application-object.js';
export { follow } from './follow.js';
export { changeProject, findProject, specList, specOf, withSpec } from './project-object.js';
export { isRefreshing, refresh, requestRefresh } from './refresh.js';
