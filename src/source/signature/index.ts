/**
 * signature: GPG signatures of commits and tags. Takes the bytes of an object and the allowed keys; gives who signed
 * it, or why it does not count. Uses `gpg` in a keyring of its own.
 */
export type { SigningKeys } from './keyring.js';
export { SignatureVerifier } from './verifier.js';
