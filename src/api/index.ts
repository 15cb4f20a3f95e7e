/**
 * api: HTTP for people and programs. REST and streams as Argo CD has them, what explains an application, and the files
 * of the web page.
 * Takes a front desk of `control`; gives a running server. One table of routes says what there is, what a request must
 * look like and who may send it; it is what answers, what the OpenAPI document is made of, and what tests read. Every
 * answer that is no success is `{error, message, code}` with a sentence. Nothing is kept here that matters.
 */
export { startApi, type ApiOptions, type RunningApi } from './start-api.js';
