// Loaded on demand, and only what is used: the bundle leaves out the rest of the library.
export { CompactEncrypt, compactDecrypt, compactVerify, createLocalJWKSet, errors } from 'jose';
