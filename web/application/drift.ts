/** Where an application differs from git, field by field. */
export interface Drift {
  readonly resources: readonly DriftedResource[];
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  /** What to add to the Application so that the differences that nobody can settle are left alone. */
  readonly rules: readonly unknown[];
  readonly needsRespect: boolean;
}

export interface DriftedResource {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly origin: string;
  /** Missing in the cluster, or no longer in git. */
  readonly presence: 'both' | 'git' | 'live';
  readonly fields: readonly DriftedField[];
}

export interface DriftedField {
  readonly pointer: string;
  readonly git?: unknown;
  readonly live?: unknown;
  readonly owner: string;
  readonly since: string;
  readonly class: string;
  readonly say: string;
}
