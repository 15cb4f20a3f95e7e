/**
 * credentials: CONTRACT.
 */
export { CredentialsOperator } from './credentials-operator.js';
