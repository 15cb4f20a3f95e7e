/**
 * signature: CONTRACT.
 */
export type { SigningKeys } from './keyring.js';
export { SignatureVerifier } from './verifier.js';
