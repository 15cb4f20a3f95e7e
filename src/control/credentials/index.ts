/**
 * credentials: fills Secrets from fields of other objects (`argosy.dev/fill-from`) and keeps them current. Takes
 * the rules of an administrator; without a rule it reads no Secret at all. Only the leader writes.
 */
export { CredentialsOperator } from './credentials-operator.js';
export { fillProblem } from './fill.js';
