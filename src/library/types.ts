/** A Kubernetes object as plain JSON. Integers outside ±(2^53-1) are bigint, so that int64 values survive. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name?: string;
    generateName?: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

/** What the functions of this package throw when the input is at fault. docs/faults.md explains every code. */
export interface ArgosyError extends Error {
  /** Stable, such as `TEMPLATE_FAILED`. */
  readonly code: string;
  /** File and line, object or field; empty if there is none. */
  readonly where: string;
  /** What to do. */
  readonly hint: string;
  /** Whether trying again can help. */
  readonly retry: boolean;
}
