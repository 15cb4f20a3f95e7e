import type { Report, ReportedCause } from '../../src/triage/index.js';
import type { Incident, Reading } from './labels.js';

/** What a report says about one incident. */
export interface Verdict {
  readonly incident: Incident;
  /** The first cause names component and fault. */
  readonly isFirst: boolean;
  /** Any cause does. */
  readonly isFound: boolean;
  /** A P0 that is neither the component nor the fault. */
  readonly isFalseP0: boolean;
  /** The exit code would be 0. */
  readonly isSilent: boolean;
  /** It is right, and it names everything that experts looked at. */
  readonly isCited: boolean;
  readonly confidence: string;
  readonly first: ReportedCause | undefined;
}

/** Which codes are a name of a fault. */
const READINGS: Readonly<Record<string, Reading>> = {
  missing_service_account: { codes: ['C15'] },
  namespace_cpu_quota_exceeded: { codes: ['C13'] },
  namespace_memory_quota_exceeded: { codes: ['C13'] },
  namespace_pod_quota_exceeded: { codes: ['C13'] },
  namespace_service_quota_exceeded: { codes: ['C13'] },
  namespace_storage_quota_exceeded: { codes: ['C13'] },
  containerd_unavailable: { codes: ['C11', 'F10', 'F16'] },
  kubelet_unavailable: { codes: ['C11'] },
  kube_proxy_unavailable: { codes: ['F07', 'F10', 'F16'] },
  kube_scheduler_unavailable: { codes: ['C16', 'F16'] },
  db_connection_exhaustion: { codes: ['F20'] },
  db_read_only: { codes: ['F21'] },
  deployment_zero_replicas: { codes: ['F09'] },
  liveness_probe_incorrect_port: { codes: ['F04'], says: /livenessProbe.*[pP]ort/ },
  liveness_probe_incorrect_protocol: {
    codes: ['F04'],
    says: /livenessProbe.*(protocol|httpGet|scheme|grpc|tcpSocket)/,
  },
  liveness_probe_incorrect_timing: { codes: ['F04'], says: /livenessProbe.*(Seconds|Threshold|seconds|early)/ },
  readiness_probe_incorrect_port: { codes: ['F04'], says: /readinessProbe.*[pP]ort/ },
  readiness_probe_incorrect_protocol: {
    codes: ['F04'],
    says: /readinessProbe.*(protocol|httpGet|scheme|grpc|tcpSocket)/,
  },
  mysql_invalid_credentials: { codes: ['B19', 'B20'] },
  mysql_invalid_port: { codes: ['F02', 'G12'], says: /\bport\b/i },
  oom_killed: { codes: ['F01'] },
  service_sidecar_port_conflict: { codes: ['F17'] },
  cpu_capacity_mismatch: { codes: ['C05'], says: /cpu/i },
  memory_capacity_mismatch: { codes: ['C05'], says: /memory/i },
  node_affinity_mismatch: { codes: ['C04'] },
  node_selector_mismatch: { codes: ['C04'] },
  node_cordon_mismatch: { codes: ['C09'], says: /cordon|unschedulable/i },
  pod_anti_affinity_conflict: { codes: ['C09'], says: /[aA]nti-?[aA]ffinity/ },
  pv_binding_occupied: { codes: ['D11', 'D12'] },
  pvc_access_mode_mismatch: { codes: ['D05', 'D12'] },
  pvc_capacity_mismatch: { codes: ['D12'] },
  pvc_selector_mismatch: { codes: ['D12'] },
  pvc_storage_class_mismatch: { codes: ['D03', 'D04', 'D12'] },
  taint_toleration_mismatch: { codes: ['C01', 'C17'] },
  gateway_misroute: { codes: ['G04', 'G06', 'G12', 'G13'] },
  service_dns_resolution_failure: { codes: ['G09'] },
  service_env_var_address_mismatch: { codes: ['F02', 'G12'] },
  service_port_mapping_mismatch: { codes: ['G01', 'G12'], says: /\bport|targetPort/i },
  service_protocol_mismatch: { codes: ['G01'], says: /protocol/i },
  service_selector_mismatch: { codes: ['G01'], says: /selector/ },
  image_registry_dns_failure: { codes: ['E04'] },
  incorrect_image_reference: { codes: ['E01', 'E05'] },
  missing_image_pull_secret: { codes: ['E02', 'E03'] },
  missing_secret_binding: { codes: ['B01', 'B02', 'B03'] },
  volume_mount_permission_denied: { codes: ['D08', 'F18'] },
};

function namesFault(cause: ReportedCause, { fault, reading: own }: Incident): boolean {
  const reading = own ?? (Object.hasOwn(READINGS, fault) ? READINGS[fault] : undefined);
  return (
    reading !== undefined &&
    reading.codes.includes(cause.rule) &&
    (reading.says === undefined || reading.says.test(`${cause.field} ${cause.title}`))
  );
}

/** The component by its own name, or by the name of what it runs as, is to be changed or stands on the way to it. */
function namesComponent(cause: ReportedCause, { component }: Incident): boolean {
  const [kind = '', name = ''] = component.split('/');
  if (kind === 'namespace') return cause.objects.some((key) => key.namespace === name || key.name === name);
  const says = [
    ...cause.objects.map((key) => key.name),
    ...cause.reach.names,
    ...cause.chain.map(({ object }) => object),
    cause.title,
  ].join('\n');
  const bounded = new RegExp(`(?<![a-z0-9-])${name.replaceAll(/[^a-z0-9-]/g, '.')}(?![a-z])`);
  return bounded.test(says);
}

const KIND_WORDS: Readonly<Record<string, RegExp>> = {
  pods: /\bPod /,
  deployments: /\bDeployment /,
  services: /\bService /,
  nodes: /\bNode |\bnodes?\b/i,
  endpoints: /\bService |Endpoint/,
  events: /\bevent /,
  resourcequota: /ResourceQuota|quota/,
  replicasets: /\bReplicaSet /,
};

/** Whether a report names what one look of an expert was about. */
function isCited(step: string, text: string): boolean {
  const [tool = '', ...rest] = step.split('::');
  const name = rest.at(-1) ?? '';
  if (tool === 'GetResources') return KIND_WORDS[name]?.test(text) ?? text.toLowerCase().includes(name.slice(0, -1));
  return name === '' || text.includes(name);
}

function textOf({ causes, problems }: Report): string {
  const [first] = causes;
  return JSON.stringify([first, problems]);
}

export function judge(incident: Incident, report: Report): Verdict {
  const [first] = report.causes;
  const isRight = (cause: ReportedCause): boolean => namesFault(cause, incident) && namesComponent(cause, incident);
  const isFirst = first !== undefined && isRight(first);
  const text = textOf(report);
  return {
    incident,
    isFirst,
    isFound: report.causes.some(isRight),
    isFalseP0: report.causes.some(
      (cause) => cause.severity === 'P0' && !namesFault(cause, incident) && !namesComponent(cause, incident),
    ),
    isSilent: report.isPartial !== true && report.causes.every(({ severity }) => severity === 'P3'),
    isCited: isFirst && incident.expertPaths.some((path) => path.every((step) => isCited(step, text))),
    confidence: first?.confidence ?? '',
    first,
  };
}
