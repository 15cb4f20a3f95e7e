import { readCrds } from '../../control/index.js';
import { ClusterError, type Cluster } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { equal, isArray, isObject, objectsAt, textAt, valueAt, type Json } from '../../model/json/index.js';
import { describeKey, keyOf, nameOf, type KubeObject } from '../../model/kubernetes/index.js';
import { CONFIG_MAPS, CRDS, LEASES, PODS, type ResourceRef } from '../../model/resources/index.js';
import type { Examination, Finding } from './doctor-finding.js';
import { workloadProblem, workloadsOf } from './workload-state.js';

/** The oldest Kubernetes with everything that the manifests name. */
const OLDEST_MINOR = 25;
/** A lease of 15 seconds, and tokens, suffer from more. */
const MOST_SKEW = 5_000;

export async function checkVersion({ cluster, installation, host }: Examination): Promise<Finding[]> {
  const version = textAt(await cluster.document('/version'), 'gitVersion');
  const minor = Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? 0);
  return [
    {
      check: 'version of Kubernetes',
      state: minor >= OLDEST_MINOR ? 'ok' : 'failed',
      detail: minor >= OLDEST_MINOR ? version : `${version} is older than 1.${OLDEST_MINOR}`,
    },
    {
      check: 'version of Argosy',
      state: installation.version === host.version ? 'ok' : 'warning',
      detail:
        installation.version === host.version
          ? installation.version
          : `installed is ${installation.version}, this program is ${host.version}: ` +
            `argosy upgrade -n ${installation.namespace}`,
    },
  ];
}

export async function checkDefinitions({ cluster, host }: Examination): Promise<Finding[]> {
  const definitions = await readCrds(host.crds);
  return Promise.all(
    definitions.map(async (definition): Promise<Finding> => {
      const check = `definition ${nameOf(definition)}`;
      const live = await cluster.get(CRDS, { name: nameOf(definition) });
      if (live === undefined) return { check, state: 'failed', detail: 'missing', repair: [definition] };
      const isEstablished = objectsAt(live, 'status', 'conditions').some(
        ({ type, status }) => type === 'Established' && status === 'True',
      );
      const refused = objectsAt(live, 'status', 'conditions').find(
        ({ type, status }) => type === 'NamesAccepted' && status === 'False',
      );
      const served = objectsAt(live, 'spec', 'versions').flatMap((each) =>
        each.served === true ? [textAt(each, 'name')] : [],
      );
      const missing = objectsAt(definition, 'spec', 'versions')
        .map((each) => textAt(each, 'name'))
        .filter((name) => !served.includes(name));
      if (!isEstablished)
        return {
          check,
          state: 'failed',
          detail: refused === undefined ? 'not served yet' : textAt(refused, 'message'),
        };
      if (missing.length > 0)
        return { check, state: 'failed', detail: `version ${missing.join(', ')} is not served`, repair: [definition] };
      return { check, state: 'ok', detail: `served as ${served.join(', ')}` };
    }),
  );
}

/** What the installation consists of, and what of it somebody changed. */
export async function checkObjects({ cluster, objects }: Examination): Promise<Finding[]> {
  const { kinds } = await cluster.discover();
  const findings = await Promise.all(
    objects.map(async (object): Promise<Finding | undefined> => {
      const check = `object ${describeKey(keyOf(object))}`;
      const kind = kinds.find((each) => apiVersion(each) === object.apiVersion && each.kind === object.kind);
      if (kind === undefined)
        return { check, state: 'failed', detail: `the cluster does not know ${object.kind} of ${object.apiVersion}` };
      const { name = '', namespace } = object.metadata;
      const live = await cluster.get(kind, { name, namespace });
      if (live === undefined) return { check, state: 'failed', detail: 'missing', repair: [object] };
      const changed = differingFields(object, live);
      return changed.length === 0
        ? undefined
        : { check, state: 'warning', detail: `changed by hand: ${changed.join(', ')}`, repair: [object] };
    }),
  );
  const wrong = findings.filter((each) => each !== undefined);
  return wrong.length === 0
    ? [{ check: 'objects', state: 'ok', detail: `${objects.length} objects as installed` }]
    : wrong;
}

/** Fields that were applied and are not so any more; what the server or others add counts for nothing. */
function differingFields(wanted: KubeObject, live: KubeObject): string[] {
  const differing: string[] = [];
  const compare = (expected: Json | undefined, found: Json | undefined, path: string): void => {
    if (isObject(expected) && isObject(found)) {
      for (const [key, value] of Object.entries(expected))
        compare(value, valueAt(found, key), path === '' ? key : `${path}.${key}`);
      return;
    }
    if (isArray(expected) && isArray(found) && expected.length === found.length) {
      expected.forEach((each, index) => {
        compare(each, found[index], `${path}[${index}]`);
      });
      return;
    }
    if (!equal(expected ?? null, found ?? null)) differing.push(path);
  };
  const { stringData: _, ...rest } = wanted;
  compare(rest, live, '');
  return differing;
}

/** Whether pods run, and whether what they serve answers through the API server. */
export async function checkPods({ cluster, objects }: Examination): Promise<Finding[]> {
  const states = await workloadsOf(objects, cluster);
  const findings = await Promise.all(
    states.map(async ({ object, isAvailable, text }): Promise<Finding[]> => {
      const check = `pods of ${nameOf(object)}`;
      if (!isAvailable) {
        const problem = await workloadProblem(cluster, object);
        return [
          {
            check,
            state: 'failed',
            detail: problem === undefined ? `${text} available` : `${text} available: ${problem}`,
          },
        ];
      }
      return [{ check, state: 'ok', detail: `${text} available` }, ...(await checkPort(cluster, object))];
    }),
  );
  return findings.flat();
}

/** Readiness as the API server sees it: through the network of the cluster. */
async function checkPort(cluster: Cluster, workload: KubeObject): Promise<Finding[]> {
  const { namespace = '' } = workload.metadata;
  const [container] = objectsAt(workload, 'spec', 'template', 'spec', 'containers');
  const [port] = objectsAt(container, 'ports');
  const scheme = textAt(container, 'readinessProbe', 'httpGet', 'scheme') === 'HTTPS' ? 'https:' : '';
  const labels = valueAt(workload, 'spec', 'selector', 'matchLabels');
  const labelSelector = Object.entries(isObject(labels) ? labels : {})
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(',');
  const { items } = await cluster.list(PODS, { namespace, labelSelector });
  return Promise.all(
    items.map(async ({ metadata: { name = '' } }): Promise<Finding> => {
      const check = `port ${String(port?.containerPort ?? '')} of ${name}`;
      const pod = `${scheme}${name}:${String(port?.containerPort ?? '')}`;
      const path = `/api/v1/namespaces/${namespace}/pods/${pod}/proxy/readyz`;
      try {
        const answer = await cluster.text(path, { limits: { tries: 1, timeout: 5000 } });
        return { check, state: 'ok', detail: answer.trim() };
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const mayNotLook = error instanceof ClusterError && (error.status === 403 || error.status === 404);
        return { check, state: mayNotLook ? 'unknown' : 'failed', detail: error.message };
      }
    }),
  );
}

/**
 * The clock of this machine by an object that the server would make now; those of the controllers by their leases,
 * whose renewal carries the time of the controller and the time of the server.
 */
export async function checkClocks({ cluster, installation, host }: Examination): Promise<Finding[]> {
  const { namespace } = installation;
  const { items } = await cluster.list(LEASES, { namespace });
  const leases = items.filter(({ metadata }) => metadata.name?.startsWith('argosy-application-controller') === true);
  return [
    await checkOwnClock(cluster, namespace, host.now()),
    ...leases.flatMap((lease): Finding[] => {
      const renewed = Date.parse(textAt(lease, 'spec', 'renewTime'));
      const written = Math.max(
        ...(lease.metadata.managedFields ?? []).map(({ time }) => (typeof time === 'string' ? Date.parse(time) : 0)),
      );
      const holder = textAt(lease, 'spec', 'holderIdentity');
      if (Number.isNaN(renewed) || written <= 0 || holder === '') return [];
      return [skewFinding(`clock of ${holder}`, renewed - written)];
    }),
  ];
}

async function checkOwnClock(cluster: Cluster, namespace: string, now: number): Promise<Finding> {
  const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argosy-doctor', namespace } };
  const pretended = await cluster.create(CONFIG_MAPS, probe, { dryRun: true });
  return skewFinding('clock of this machine', now - Date.parse(pretended.metadata.creationTimestamp ?? ''));
}

/** Times of the server are whole seconds. */
function skewFinding(check: string, difference: number): Finding {
  const skew = Math.abs(difference) <= 1500 ? 0 : difference;
  const words = skew > 0 ? 'ahead of' : 'behind';
  return Math.abs(skew) <= MOST_SKEW
    ? { check, state: 'ok', detail: 'agrees with the API server' }
    : {
        check,
        state: 'failed',
        detail: `${Math.round(Math.abs(skew) / 1000)} s ${words} the API server: correct it, such as with chrony`,
      };
}

function apiVersion({ group, version }: ResourceRef): string {
  return group === '' ? version : `${group}/${version}`;
}
