import type { JsonObject, KubeObject } from '../../src/model/index.js';

/** One wish of somebody; null is nobody. */
export interface AccessQuery {
  readonly claims: JsonObject | null;
  readonly resource: string;
  readonly action: string;
  readonly object: string;
}

/** Settings, projects, and what is asked of them. */
export interface Question {
  /** Of argocd-rbac-cm. */
  readonly data: Readonly<Record<string, string>>;
  readonly projects: readonly KubeObject[];
  readonly asks: readonly AccessQuery[];
}

export interface Reply {
  /** Whether the settings cannot be used at all. */
  readonly isBroken: boolean;
  readonly allowed: readonly boolean[];
}
