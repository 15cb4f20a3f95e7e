import { matchesGlob } from '../../model/formats/index.js';
import type { IgnoreRule } from '../../model/argo/index.js';

/** A rule that docs/guides/gitops-alignment.md explains, with its reason and a case. */
interface Pattern {
  readonly group: string;
  readonly kind: string;
  readonly jsonPointers?: readonly string[];
  readonly jqPathExpressions?: readonly string[];
  readonly managedFieldsManagers?: readonly string[];
}

/** Kept by the server; nobody compares them, so a rule for them does no harm and no good. */
export const KEPT_BY_THE_SERVER = [
  '/metadata/managedFields',
  '/metadata/resourceVersion',
  '/metadata/generation',
  '/metadata/uid',
  '/metadata/creationTimestamp',
  '/status',
  '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration',
];

export const PATTERNS: readonly Pattern[] = [
  { group: '*', kind: '*', jsonPointers: KEPT_BY_THE_SERVER },
  {
    group: 'route.openshift.io',
    kind: 'Route',
    jsonPointers: ['/spec/host', '/spec/tls/insecureEdgeTerminationPolicy'],
  },
  { group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/selector', '/spec/template/metadata/labels'] },
  { group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] },
  { group: '', kind: 'PersistentVolumeClaim', jsonPointers: ['/spec/volumeName'] },
  { group: 'docling.io', kind: 'DoclingServe', jsonPointers: ['/spec/replicas'] },
  { group: 'networking.istio.io', kind: 'Gateway', managedFieldsManagers: ['opendatahub-operator'] },
  {
    group: 'admissionregistration.k8s.io',
    kind: '*WebhookConfiguration',
    jqPathExpressions: ['.webhooks[]?.clientConfig.caBundle'],
  },
];

/** Whether the guide explains this part of a rule. */
export function isKnownPattern({ group, kind }: IgnoreRule, part: string): boolean {
  return PATTERNS.some(
    (pattern) =>
      (pattern.group === '*' || pattern.group === group) &&
      matchesGlob(pattern.kind, kind) &&
      [
        ...(pattern.jsonPointers ?? []),
        ...(pattern.jqPathExpressions ?? []),
        ...(pattern.managedFieldsManagers ?? []),
      ].includes(part),
  );
}
