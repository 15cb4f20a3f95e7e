import { type Cluster, ClusterError } from '../../cluster/index.js';
import { compareText } from '../../model/go/index.js';
import { isObject, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { withSession } from '../session/index.js';
import type { CliHost, ClusterFlags } from '../host/index.js';
import { conditionsOf, SEPARATOR, statusTable, wideTable } from './apply.js';
import { checkKey } from './read-checks.js';
import { checksIn, dataOf, findSettings } from './find-settings.js';
import { findViolations, type Violation, type VerifyFacts } from './find-violations.js';
import {
  APPLICATIONS,
  DEPLOYMENTS,
  EVENTS,
  INFERENCE_SERVICES,
  LEASES,
  type ResourceRef,
} from '../../model/resources/index.js';

export interface VerifyFlags extends ClusterFlags {
  readonly namespace?: string;
  readonly name?: string;
}

const OPERATORS = [
  'argocd-operator-controller-manager',
  'openshift-gitops-operator-controller-manager',
  'openshift-gitops-operator',
];
const LEASE = 'argosy-application-controller';
const LEASE_MAX_AGE = 60_000;

/** Looks at the checks from the ArgoCD object to the applications; false where something is wrong. */
export async function verifyChecks(flags: VerifyFlags, host: CliHost): Promise<boolean> {
  return withSession(flags, host, 'read', async ({ cluster }) => {
    const facts = await readFacts(cluster, flags, host.now());
    const troubles = findViolations(facts);
    host.stdout.write(print(facts, troubles));
    return troubles.length === 0;
  });
}

async function readFacts(cluster: Cluster, flags: VerifyFlags, now: number): Promise<VerifyFacts> {
  const home = await findSettings(cluster, flags);
  const { namespace } = home;
  const [applications, services, events, operators, leases] = await Promise.all([
    listed(cluster, APPLICATIONS, { namespace }),
    listed(cluster, INFERENCE_SERVICES, {}),
    listed(cluster, EVENTS, { namespace, fieldSelector: 'involvedObject.name=argocd-cm' }),
    Promise.all(OPERATORS.map((name) => listed(cluster, DEPLOYMENTS, { fieldSelector: `metadata.name=${name}` }))),
    listed(cluster, LEASES, { fieldSelector: `metadata.name=${LEASE}` }),
  ]);
  const reverts = events
    .filter(({ reason }) => reason === 'SettingsReverted')
    .sort((a, b) => compareText(textAt(a, 'lastTimestamp'), textAt(b, 'lastTimestamp')));
  return {
    settings: home,
    applications,
    services,
    reverts: reverts.map((event) => ({ message: textAt(event, 'message'), at: textAt(event, 'lastTimestamp') })),
    operators: operators.flat().map(({ metadata, status }) => ({
      title: `Deployment ${metadata.namespace ?? ''}/${metadata.name ?? ''}`,
      isReady: isObject(status) && typeof status.readyReplicas === 'number' && status.readyReplicas > 0,
    })),
    isArgosyAtWork: leases.some(
      (lease) =>
        textAt(lease, 'spec', 'holderIdentity') !== '' &&
        now - Date.parse(textAt(lease, 'spec', 'renewTime')) < LEASE_MAX_AGE,
    ),
  };
}

/** A kind that the cluster does not have, or that may not be read, has no objects to show. */
async function listed(
  cluster: Cluster,
  kind: ResourceRef,
  options: { readonly namespace?: string; readonly fieldSelector?: string },
): Promise<KubeObject[]> {
  try {
    return (await cluster.list(kind, options)).items;
  } catch (error) {
    if (error instanceof ClusterError && (error.isNotFound || error.status === 403)) return [];
    throw error;
  }
}

/** The four steps, each with what is wrong in it. */
function print(facts: VerifyFacts, troubles: readonly Violation[]): string {
  const wrong = (step: Violation['step']): string[] =>
    troubles
      .filter((trouble) => trouble.step === step)
      .flatMap(({ what, fix }) => [
        `✗ ${what}`,
        ...fix
          .trimEnd()
          .split('\n')
          .map((line, index) => (index === 0 ? `  fix: ${line}` : `       ${line}`)),
      ]);
  return [
    SEPARATOR,
    'Verifying ArgoCD Health Check Configuration',
    SEPARATOR,
    '',
    'Step 1: Checking if health check is in ArgoCD CR...',
    ...inArgoCD(facts),
    ...wrong(1),
    '',
    'Step 2: Checking if health check propagated to ConfigMap...',
    ...inMap(facts, troubles),
    ...wrong(2),
    '',
    'Step 3: Checking ArgoCD application health status...',
    '',
    ...(facts.applications.length === 0 ? ['No applications found.'] : [statusTable(facts.applications).trimEnd()]),
    ...wrong(3),
    '',
    'Step 4: Checking InferenceService status...',
    '',
    ...serviceTables(facts.services),
    ...wrong(4),
    '',
    SEPARATOR,
    troubles.length === 0
      ? 'Verification Complete'
      : `Verification Complete: ${troubles.length} ${troubles.length === 1 ? 'problem' : 'problems'} found`,
    SEPARATOR,
    '',
  ].join('\n');
}

function inArgoCD({ settings: { argocd, namespace } }: VerifyFacts): string[] {
  if (argocd === undefined) return [`- no ArgoCD CR in ${namespace}: argocd-cm is written by hand`];
  const checks = checksIn(argocd.object);
  return [
    ...(checks.length === 0 ? [] : ['✓ resourceHealthChecks found in ArgoCD CR']),
    ...(checks.some(({ kind }) => kind === INFERENCE_SERVICES.kind)
      ? ['✓ InferenceService health check found in ArgoCD CR']
      : []),
  ];
}

function inMap({ settings: { map } }: VerifyFacts, troubles: readonly Violation[]): string[] {
  const hasCheck = dataOf(map).has(checkKey(INFERENCE_SERVICES));
  return hasCheck && !troubles.some(({ issue }) => issue === 'not-in-configmap')
    ? ['✓ Health check successfully propagated to ConfigMap']
    : [];
}

function serviceTables(services: readonly KubeObject[]): string[] {
  const namespaces = [...new Set(services.map(({ metadata }) => metadata.namespace ?? ''))].sort(compareText);
  if (namespaces.length === 0) return ['No InferenceServices found.'];
  return namespaces.flatMap((namespace, index) => [
    ...(index === 0 ? [] : ['']),
    `Namespace: ${namespace}`,
    wideTable(
      ['NAME', 'URL', 'READY'],
      services
        .filter(({ metadata }) => metadata.namespace === namespace)
        .map((service) => [service.metadata.name ?? '', textAt(service, 'status', 'url'), readyOf(service)]),
    ).trimEnd(),
  ]);
}

function readyOf(service: KubeObject): string {
  const ready = conditionsOf(service).find(({ type }) => type === 'Ready');
  return typeof ready?.status === 'string' ? ready.status : '';
}
