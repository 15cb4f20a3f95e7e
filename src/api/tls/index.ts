/**
 * tls: the certificate of the API server, and a server that speaks TLS with it. Takes Secrets of the control plane;
 * gives the certificate that is valid now, also after a rotation. Never logs a key.
 */
export { ServerCertificate } from './server-certificate.js';
export { createTlsServer, type TlsOptions, type TlsVersions } from './tls-server.js';
