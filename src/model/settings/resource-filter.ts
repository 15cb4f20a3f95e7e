import { texts, type JsonObject } from '../json/index.js';
import { matchesGlob } from '../formats/index.js';
import type { SettingKeys } from './setting-keys.js';

/**
 * Kinds, on the clusters named. An empty list stands for all; groups and clusters are patterns, kinds are exact or `*`.
 */
export interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly kinds: readonly string[];
  readonly clusters: readonly string[];
}

/** Which kinds are neither watched nor delivered. */
export interface ResourceFilter {
  readonly exclusions: readonly ResourceRule[];
  readonly inclusions: readonly ResourceRule[];
  /** Where the exclusions come from: `resource.exclusions` of argocd-cm, or nobody wrote any. */
  readonly origin: 'argocd-cm' | 'default' | 'openshift';
}

/**
 * Why a kind is left out: for everybody and always, by a rule of the list, or because only other kinds are included.
 */
export type Exclusion =
  | { readonly why: 'always' }
  | { readonly why: 'excluded'; readonly rule: ResourceRule; readonly origin: ResourceFilter['origin'] }
  | { readonly why: 'not included' };

const rule = (
  apiGroups: readonly string[],
  kinds: readonly string[],
  clusters: readonly string[] = [],
): ResourceRule => ({ apiGroups, kinds, clusters });

/** Much written and never declared: no setting brings them back. */
const ALWAYS: readonly ResourceRule[] = [
  rule(['events.k8s.io', 'metrics.k8s.io'], []),
  rule([''], ['Event']),
  rule(['coordination.k8s.io'], ['Lease']),
];

/** What the manifests of Argo CD 3 exclude; used where argocd-cm says nothing. */
const DEFAULTS: readonly ResourceRule[] = [
  rule(['', 'discovery.k8s.io'], ['Endpoints', 'EndpointSlice']),
  rule(['coordination.k8s.io'], ['Lease']),
  rule(
    ['authentication.k8s.io', 'authorization.k8s.io'],
    [
      'SelfSubjectReview',
      'TokenReview',
      'LocalSubjectAccessReview',
      'SelfSubjectAccessReview',
      'SelfSubjectRulesReview',
      'SubjectAccessReview',
    ],
  ),
  rule(['certificates.k8s.io'], ['CertificateSigningRequest']),
  rule(['cert-manager.io'], ['CertificateRequest']),
  rule(['cilium.io'], ['CiliumIdentity', 'CiliumEndpoint', 'CiliumEndpointSlice']),
  rule(
    ['kyverno.io', 'reports.kyverno.io', 'wgpolicyk8s.io'],
    [
      'PolicyReport',
      'ClusterPolicyReport',
      'EphemeralReport',
      'ClusterEphemeralReport',
      'AdmissionReport',
      'ClusterAdmissionReport',
      'BackgroundScanReport',
      'ClusterBackgroundScanReport',
      'UpdateRequest',
    ],
  ),
];

/** What OpenShift GitOps adds: runs of pipelines are made by the hundred, and not by git. */
const OPENSHIFT: readonly ResourceRule[] = [rule(['tekton.dev'], ['TaskRun', 'PipelineRun'], ['*'])];

export function readResourceFilter(keys: SettingKeys, profile: 'kubernetes' | 'openshift'): ResourceFilter {
  const written = keys.data.has(EXCLUSIONS) ? readRules(keys, EXCLUSIONS) : undefined;
  const defaultOrigin = profile === 'openshift' ? 'openshift' : 'default';
  const fallback = profile === 'openshift' ? [...DEFAULTS, ...OPENSHIFT] : DEFAULTS;
  return {
    exclusions: written ?? fallback,
    inclusions: readRules(keys, INCLUSIONS) ?? [],
    origin: written === undefined ? defaultOrigin : 'argocd-cm',
  };
}

const EXCLUSIONS = 'resource.exclusions';
const INCLUSIONS = 'resource.inclusions';

/** Undefined where it is not written or cannot be read; an empty text is an empty list. */
function readRules(keys: SettingKeys, key: string): ResourceRule[] | undefined {
  if (keys.data.get(key)?.trim() === '') return [];
  const written = keys.yamlObjects(key);
  return written === undefined
    ? undefined
    : keys.attempt<ResourceRule[] | undefined>(key, undefined, () =>
        written.map((entry, index) => readRule(entry, `entry ${index + 1}`)),
      );
}

function readRule(entry: JsonObject, at: string): ResourceRule {
  return rule(texts(entry, 'apiGroups', at), texts(entry, 'kinds', at), texts(entry, 'clusters', at));
}

/** Why a kind is left out on a cluster; undefined where it is not. An exclusion wins over an inclusion. */
export function exclusionOf(
  filter: ResourceFilter,
  { group, kind }: { readonly group: string; readonly kind: string },
  server: string,
): Exclusion | undefined {
  const fits = ({ apiGroups, kinds, clusters }: ResourceRule): boolean =>
    isOneOf(apiGroups, group) &&
    (kinds.length === 0 || kinds.includes('*') || kinds.includes(kind)) &&
    isOneOf(clusters, server);
  if (ALWAYS.some(fits)) return { why: 'always' };
  const excluded = filter.exclusions.find(fits);
  if (excluded !== undefined) return { why: 'excluded', rule: excluded, origin: filter.origin };
  if (filter.inclusions.some(fits)) return undefined;
  return filter.inclusions.some(({ clusters }) => isOneOf(clusters, server)) ? { why: 'not included' } : undefined;
}

export function isExcluded(
  filter: ResourceFilter,
  kind: { readonly group: string; readonly kind: string },
  server: string,
): boolean {
  return exclusionOf(filter, kind, server) !== undefined;
}

function isOneOf(patterns: readonly string[], text: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => matchesGlob(pattern, text));
}
