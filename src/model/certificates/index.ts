/**
 * certificates: X.509 certificates of servers, clients and authorities, signed by an authority or by themselves. Takes
 * names and times; gives PEM. Stores nothing.
 */
export { issueCertificate, type KeyedCertificate } from './certificate.js';
