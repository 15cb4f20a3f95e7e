/** `POST /api/v1/health/eval`: an object as YAML or JSON, and a check in Lua; without a script the catalogue judges. */
export interface HealthEvalRequest {
  readonly object: string;
  readonly lua: string;
}

/** The verdict, or why there is none, and what lint says of the script. */
export interface HealthEvalResponse {
  readonly status: string;
  readonly message: string;
  /** Who judged. */
  readonly by: string;
  readonly error: string;
  readonly findings: readonly HealthEvalFinding[];
}

export interface HealthEvalFinding {
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly hint: string;
  /** Of the script, from 1; 0 where it is about the whole. */
  readonly line: number;
}
