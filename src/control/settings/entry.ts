/** The ConfigMaps that an ArgoCD object decides about. */
export const MAPS = ['argocd-cm', 'argocd-rbac-cm', 'argocd-cmd-params-cm'] as const;
export type MapName = (typeof MAPS)[number];

/** One key of a ConfigMap, and the field of the ArgoCD object it comes from. */
export interface Entry {
  readonly map: MapName;
  readonly key: string;
  readonly value: string;
  readonly field: string;
}

/** A field that cannot be used as it is written. */
export interface FieldViolation {
  readonly field: string;
  readonly message: string;
}

export interface ReadEntries {
  readonly entries: readonly Entry[];
  readonly violations: readonly FieldViolation[];
}
