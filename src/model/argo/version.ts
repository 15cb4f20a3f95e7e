/** The version of Argo CD whose API, fields and errors ours are. */
export const ARGO_CD_VERSION = 'v3.5.6';
