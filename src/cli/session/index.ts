/**
 * session: a cluster opened for one command: find, read, refresh and follow Applications and projects. Takes flags and
 * the host; closes the cluster at the end. A command that writes prints the context first.
 */
export { readSettings, type AppFlags, type AppSession, withSession } from './app-session.js';
export { applicationId, chooseApplications, findApplication, listApplications } from './application-object.js';
export { changeProject, findProject, specList, specOf, withSpec } from './project-object.js';
export { isRefreshing, refresh, requestRefresh } from './refresh.js';
