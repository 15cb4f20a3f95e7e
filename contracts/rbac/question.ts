import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';

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
