/** From best to worst, as Argo CD orders them: an application is as healthy as the worst of its resources. */
export const HEALTH_STATUSES = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown'] as const;

export type HealthStatus = (typeof HEALTH_STATUSES)[number];

/** The verdict on one object. An object without any verdict has no Health at all, and never blocks anything. */
export interface Health {
  readonly status: HealthStatus;
  readonly message?: string;
}

export function isHealthStatus(text: unknown): text is HealthStatus {
  return (HEALTH_STATUSES as readonly unknown[]).includes(text);
}

export function worseHealth(a: HealthStatus, b: HealthStatus): HealthStatus {
  return HEALTH_STATUSES.indexOf(a) >= HEALTH_STATUSES.indexOf(b) ? a : b;
}
