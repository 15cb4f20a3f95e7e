import type { Json, JsonObject } from '../json/index.js';
import type { Key } from '../kubernetes/index.js';

/** `GET /api/v1/applications/{name}/drift`: where an application differs from git, field by field. */
export interface DriftResponse {
  readonly resources: readonly DriftedResource[];
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  /** What to add to `spec.ignoreDifferences` for what nobody should change. */
  readonly rules: readonly JsonObject[];
  /** Whether syncs have to leave it alone too. */
  readonly needsRespect: boolean;
}

export interface DriftedResource {
  readonly key: Key;
  /** The file and line in git; empty where it is not from there. */
  readonly origin: string;
  readonly presence: 'both' | 'git' | 'live';
  readonly fields: readonly DriftedField[];
}

/** One field: both values, who owns it, what that means. A value that is not there is left out. */
export interface DriftedField {
  readonly pointer: string;
  readonly git?: Json;
  readonly live?: Json;
  readonly owner: string;
  readonly since: string;
  readonly class: string;
  readonly say: string;
}
