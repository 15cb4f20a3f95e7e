/** Who makes a request, as authentication found out. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The server's own controllers; allowed everything. */
export const SYSTEM_USER: User = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

export const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** What a request wants to do, in the words of RBAC. */
export interface AccessAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Set for paths that are no resource (`/healthz`); the fields above are then empty. */
  readonly path?: string;
}
