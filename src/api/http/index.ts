/**
 * http: HTTP without knowledge of routes. Gives answers as values (JSON, stream, socket, bytes), the errors of Argo
 * CD's gateway, request bodies with a limit, security headers and the files of the web page. Never reads the
 * cluster and never checks access.
 */
export { json, jsonText, stream, type Answer, type Feed, type MessageSocket, type StreamWriter } from './answer.js';
export { ApiError, apiErrorOf } from './api-error.js';
export { BodyBudget, type BodyShare } from './body-budget.js';
export { hostOfUrl, isOurHost } from './hosts.js';
export { parseBody, parseStream, readBody } from './read-body.js';
export { ArgoCdPage, type ArgoCdPageFolders } from './argo-cd-page.js';
export { SECURITY_HEADERS, setSecurityHeaders } from './security-headers.js';
export { sendAnswer } from './send-answer.js';
export { TurnQueue } from './turn-queue.js';
export { answerUpgrade } from './upgrade.js';
export { WebFiles } from './web-files.js';
