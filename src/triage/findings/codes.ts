/** How urgent a cause is; `docs/triage.md` says what each level means. */
export type Severity = 'P0' | 'P1' | 'P2' | 'P3';

/**
 * infrastructure: what many depend on (secret stores, DNS, webhooks, nodes, Argo CD itself). capacity: a workload does
 * not serve. drift: git and cluster differ, nothing is down. note: minor.
 */
export type Impact = 'infrastructure' | 'capacity' | 'drift' | 'note';

interface CodeEntry {
  /** What all findings of the code have in common. */
  readonly title: string;
  /** For a cause with this code that affects one application; a rule may set another impact for a finding. */
  readonly severity: Severity;
}

/**
 * Every code that triage prints; `docs/triage.md` sends its readers here. Codes are stable: a new one takes the next
 * number of its group, and a code that is no longer used is not used again. A check keeps rules and registry equal.
 */
export const TRIAGE_CODES = {
  // Argo CD
  A01: { title: 'Source path not found at the target revision', severity: 'P1' },
  A02: { title: 'Target revision not found', severity: 'P1' },
  A03: { title: 'Tracks a different revision than the other applications of the repository', severity: 'P2' },
  A04: { title: 'Repository credentials missing or rejected', severity: 'P0' },
  A05: { title: 'Manifest generation error served from the cache', severity: 'P1' },
  A06: { title: 'Required field is empty', severity: 'P1' },
  A07: { title: 'Manifest generation failed', severity: 'P1' },
  A08: { title: 'Project or destination does not exist, or the project does not permit it', severity: 'P1' },
  A09: { title: 'Destination namespace not set', severity: 'P1' },
  A10: { title: 'Destination cluster unreachable', severity: 'P0' },
  A11: { title: 'Kind not installed in the cluster', severity: 'P1' },
  A12: { title: 'Selector is immutable', severity: 'P1' },
  A13: { title: 'Field is immutable', severity: 'P1' },
  A14: { title: 'Annotations too long for client-side apply', severity: 'P1' },
  A15: { title: 'Rejected by an admission webhook', severity: 'P1' },
  A16: { title: 'Admission webhook does not respond', severity: 'P0' },
  A17: { title: 'Argo CD lacks a permission in the cluster', severity: 'P1' },
  A18: { title: 'Namespace does not exist', severity: 'P1' },
  A19: { title: 'Resource is part of more than one application', severity: 'P3' },
  A20: { title: 'Resource defined more than once in the source', severity: 'P2' },
  A21: { title: 'Kind excluded by resource.exclusions', severity: 'P2' },
  A22: { title: 'Resources no longer in git', severity: 'P2' },
  A23: { title: 'Application or sync waits for its resources', severity: 'P1' },
  A24: { title: 'PersistentVolumeClaim and a later wave wait for each other', severity: 'P1' },
  A25: { title: 'Later waves did not wait: the kind has no health check', severity: 'P2' },
  A26: { title: 'Hook waits for a resource of its own sync', severity: 'P1' },
  A27: { title: 'Hook or Job failed', severity: 'P1' },
  A28: { title: 'Hook Job left over from an older revision', severity: 'P1' },
  A29: { title: 'Sync failed', severity: 'P1' },
  A30: { title: 'Auto-sync would prune every resource', severity: 'P1' },
  A31: { title: 'Live state differs from git', severity: 'P2' },
  A32: { title: 'Self-heal and another writer overwrite each other', severity: 'P1' },
  A33: { title: 'ignoreDifferences hides a whole spec or object', severity: 'P2' },
  A34: { title: 'Health check masks failures', severity: 'P2' },
  A35: { title: 'Health check key is malformed, so the check never runs', severity: 'P2' },
  A36: { title: 'Health check script fails or is rejected', severity: 'P1' },
  A37: { title: 'Health check tests a value that never occurs', severity: 'P2' },
  A38: { title: 'Health check is reverted by the operator', severity: 'P2' },
  A39: { title: 'Health check of the ArgoCD resource not copied to argocd-cm', severity: 'P2' },
  A40: { title: 'Health check takes Stopped=False of an InferenceService for a failure', severity: 'P2' },
  A41: { title: 'App of apps does not wait for its children', severity: 'P3' },
  A42: { title: 'Application was never synced', severity: 'P2' },
  A43: { title: 'Sync window blocks the sync', severity: 'P2' },
  A44: { title: 'ApplicationSet cannot generate its applications', severity: 'P1' },
  A45: { title: 'Application deletion is stuck', severity: 'P1' },
  A46: { title: 'Argo CD component does not respond', severity: 'P0' },
  A47: { title: 'Redis cache misses in the log', severity: 'P3' },
  A48: { title: 'Single sign-on Secret missing or incomplete', severity: 'P1' },
  A49: { title: 'Reconciliation skipped by annotation', severity: 'P3' },
  A50: { title: 'CustomResourceDefinition installed by two applications', severity: 'P2' },
  A51: { title: 'Auto-sync to a newer revision is pending', severity: 'P3' },
  A52: { title: 'Health status is older than the health checks', severity: 'P3' },
  A53: { title: 'Manifest rejected by the API server', severity: 'P1' },
  // Secrets
  B01: { title: 'Secret does not exist', severity: 'P1' },
  B02: { title: 'Secret or ConfigMap lacks a key', severity: 'P1' },
  B03: { title: 'Mounted Secret or ConfigMap does not exist', severity: 'P1' },
  B04: { title: 'ConfigMap does not exist', severity: 'P1' },
  B05: { title: 'ExternalSecret gets no value from its store', severity: 'P1' },
  B06: { title: 'Secret store does not respond, or its Vault is sealed', severity: 'P0' },
  B07: { title: 'Secret provider denies access', severity: 'P0' },
  B08: { title: 'Secret provider unreachable, or its Service does not exist', severity: 'P0' },
  B09: { title: 'SecretStore does not exist', severity: 'P1' },
  B10: { title: 'Secret store does not serve the namespace', severity: 'P0' },
  B11: { title: 'Secret store was never validated', severity: 'P3' },
  B12: { title: 'ServiceAccount of the secret store does not exist', severity: 'P0' },
  B13: { title: 'Cloud does not trust the ServiceAccount', severity: 'P0' },
  B14: { title: 'Secret not found at the provider', severity: 'P1' },
  B15: { title: 'Target Secret is owned by another ExternalSecret or immutable', severity: 'P1' },
  B16: { title: 'Target Secret to merge into does not exist', severity: 'P1' },
  B17: { title: 'No controller reconciles the ExternalSecret or SealedSecret', severity: 'P1' },
  B18: { title: 'SealedSecret cannot be decrypted', severity: 'P1' },
  B19: { title: 'Credential rejected', severity: 'P1' },
  B20: { title: 'Credential changed after the pod started', severity: 'P1' },
  B21: { title: 'Vault was never initialized', severity: 'P0' },
  B22: { title: 'Server denies its clients a right', severity: 'P1' },
  // Scheduling and nodes
  C01: { title: 'Toleration missing', severity: 'P1' },
  C02: { title: 'StatefulSet pod of an outdated revision', severity: 'P1' },
  C04: { title: 'No node matches nodeSelector or affinity', severity: 'P1' },
  C05: { title: 'Not enough CPU, memory or storage on the nodes', severity: 'P1' },
  C06: { title: 'Extended resource not available on the nodes', severity: 'P1' },
  C07: { title: 'No node can attach another volume', severity: 'P0' },
  C08: { title: 'Volume is in a different zone than the nodes', severity: 'P1' },
  C09: { title: 'No node accepts the pod: cordoned, host port, spread or another reason', severity: 'P1' },
  C10: { title: 'Pod is held by a scheduling gate', severity: 'P1' },
  C11: { title: 'Node not ready', severity: 'P0' },
  C12: { title: 'Node pressure or eviction', severity: 'P1' },
  C13: { title: 'Quota or LimitRange rejects the pod', severity: 'P1' },
  C14: { title: 'Pod security rejects the pod', severity: 'P1' },
  C15: { title: 'ServiceAccount or PriorityClass does not exist', severity: 'P1' },
  C16: { title: 'Scheduler does not respond', severity: 'P1' },
  C17: { title: 'Node tainted while pods ran on it', severity: 'P1' },
  C18: { title: 'Node saturated', severity: 'P1' },
  // Storage
  D01: { title: 'Claim waits until its pod is scheduled', severity: 'P1' },
  D02: { title: 'Claim waits for a first consumer', severity: 'P3' },
  D03: { title: 'StorageClass does not exist', severity: 'P1' },
  D04: { title: 'No StorageClass named and none is the default', severity: 'P1' },
  D05: { title: 'Access mode not supported by the StorageClass', severity: 'P1' },
  D06: { title: 'Volume cannot be provisioned', severity: 'P1' },
  D07: { title: 'Volume is attached to another node', severity: 'P1' },
  D08: { title: 'Volume cannot be mounted', severity: 'P1' },
  D09: { title: 'Volume full, failed or lost', severity: 'P1' },
  D10: { title: 'PersistentVolumeClaim does not exist', severity: 'P1' },
  D11: { title: 'PersistentVolumeClaim not bound', severity: 'P1' },
  D12: { title: 'No PersistentVolume matches the claim', severity: 'P1' },
  // Images and builds
  E01: { title: 'Image or tag does not exist', severity: 'P1' },
  E02: { title: 'Pull secret missing', severity: 'P1' },
  E03: { title: 'Pull secret rejected by the registry', severity: 'P1' },
  E04: { title: 'Registry unreachable', severity: 'P1' },
  E05: { title: 'Image name, pull policy or platform is wrong', severity: 'P1' },
  E06: { title: 'ImageStream or BuildConfig has no image', severity: 'P1' },
  E07: { title: 'Build cannot fetch its source', severity: 'P1' },
  E08: { title: 'Build failed', severity: 'P1' },
  E09: { title: 'Image import failed, or the BuildConfig never ran', severity: 'P1' },
  E10: { title: 'ServiceAccount lacks a permission', severity: 'P1' },
  // Programs and controllers
  F01: { title: 'Out of memory', severity: 'P1' },
  F02: { title: 'Container crashes', severity: 'P1' },
  F03: { title: 'Container cannot be started', severity: 'P1' },
  F04: { title: 'Probe fails', severity: 'P1' },
  F05: { title: 'Pod not ready', severity: 'P1' },
  F06: { title: 'Init container fails', severity: 'P1' },
  F07: { title: 'Too few pods ready', severity: 'P1' },
  F08: { title: 'Rollout or run does not complete', severity: 'P1' },
  F09: { title: 'Workload paused, suspended or scaled to zero', severity: 'P1' },
  F10: { title: 'Network or runtime of the node fails', severity: 'P1' },
  F11: { title: 'HorizontalPodAutoscaler cannot scale', severity: 'P1' },
  F12: { title: 'Aggregated API does not respond', severity: 'P0' },
  F13: { title: 'Deletion is stuck', severity: 'P1' },
  F14: { title: 'CustomResourceDefinition not served', severity: 'P1' },
  F15: { title: 'No controller reconciles the object', severity: 'P1' },
  F16: { title: 'Cluster component is down', severity: 'P0' },
  F17: { title: 'Port already in use', severity: 'P1' },
  F18: { title: 'Container lacks a file or port permission', severity: 'P1' },
  F20: { title: 'Server has no connections left for its clients', severity: 'P1' },
  F21: { title: 'Server is read-only', severity: 'P1' },
  F22: { title: 'CPU limit slows the container down', severity: 'P1' },
  F23: { title: 'Requests take long', severity: 'P1' },
  F24: { title: 'Requests fail', severity: 'P1' },
  // Network and certificates
  G01: { title: 'Service selector or port matches no pod', severity: 'P1' },
  G02: { title: 'Service has no ready pods', severity: 'P1' },
  G03: { title: 'Service has no load balancer', severity: 'P1' },
  G04: { title: 'Ingress backend or its port does not exist', severity: 'P1' },
  G05: { title: 'Route not admitted', severity: 'P1' },
  G06: { title: 'Gateway or route not accepted', severity: 'P1' },
  G07: { title: 'Gateway or subset of the mesh does not exist', severity: 'P1' },
  G08: { title: 'NetworkPolicy blocks the traffic', severity: 'P1' },
  G09: { title: 'DNS resolution fails', severity: 'P1' },
  G10: { title: 'Certificate cannot be issued', severity: 'P1' },
  G11: { title: 'Certificate expired', severity: 'P1' },
  G12: { title: 'Service or port of an address does not exist', severity: 'P1' },
  G13: { title: 'Route of a gateway file leads to the wrong Service or port', severity: 'P1' },
  G14: { title: 'Network loses packets', severity: 'P1' },
  // Other operators
  H01: { title: 'Operator Lifecycle Manager cannot install the operator', severity: 'P1' },
  H03: { title: 'Database cannot archive or back up', severity: 'P1' },
  H04: { title: 'Custom resource not ready', severity: 'P1' },
  H05: { title: 'Alert fires', severity: 'P1' },
  // Models and notebooks
  I01: { title: 'Model cannot be loaded', severity: 'P1' },
  I02: { title: 'No serving runtime for the model', severity: 'P1' },
  I03: { title: 'InferenceService not ready', severity: 'P1' },
  I04: { title: 'Accelerator or workers of the model server not available', severity: 'P1' },
  I05: { title: 'InferenceService has no route', severity: 'P1' },
  I08: { title: 'Notebook cell fails', severity: 'P1' },
  I09: { title: 'Notebook cannot be cloned', severity: 'P1' },
  I10: { title: 'Notebook image cannot be built', severity: 'P1' },
  I11: { title: 'Notebook validation failed', severity: 'P1' },
  I12: { title: 'Notebook results differ from the expected ones', severity: 'P1' },
  I13: { title: 'Notebook failed once and succeeded later', severity: 'P2' },
  I14: { title: 'Model server serves an outdated model', severity: 'P2' },
  // Any kind
  X01: { title: 'Referenced object does not exist', severity: 'P1' },
} as const satisfies Record<string, CodeEntry>;

export type TriageCode = keyof typeof TRIAGE_CODES;

/** The groups of codes by their letter; each is a heading of `docs/triage.md`. */
const CODE_GROUPS = {
  A: 'Argo CD',
  B: 'Secrets',
  C: 'Scheduling and nodes',
  D: 'Storage',
  E: 'Images and builds',
  F: 'Programs and controllers',
  G: 'Network and certificates',
  H: 'Other operators',
  I: 'Models and notebooks',
  X: 'Any kind',
} as const;

/** The section of the documentation about the group of a code. */
export function pageOf(code: TriageCode): string {
  const group = CODE_GROUPS[code.charAt(0) as keyof typeof CODE_GROUPS];
  return `docs/triage.md#${group.toLowerCase().replaceAll(' ', '-')}`;
}

const IMPACTS: Readonly<Record<Severity, Impact>> = {
  P0: 'infrastructure',
  P1: 'capacity',
  P2: 'drift',
  P3: 'note',
};

/** The impact of a finding unless its rule sets another. */
export function usualImpact(code: TriageCode): Impact {
  return IMPACTS[TRIAGE_CODES[code].severity];
}

export function isTriageCode(code: string): code is TriageCode {
  return Object.hasOwn(TRIAGE_CODES, code);
}
