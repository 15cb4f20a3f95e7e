import { setTimeout as delay } from 'node:timers/promises';
import { ClusterError } from '../../../src/cluster/index.js';
import { isArray, isObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { applyFleet, firstLeftovers, firstMissing, type Removal } from '../../../world/fleet/index.js';
import type { ApplicationStatus } from '../../faults/application.js';
import type { FleetLab } from './lab.js';
import { CONFIG_MAPS, DEPLOYMENTS, PODS, SECRETS } from '../../../src/model/resources/index.js';

const TURN_WITHIN = 120_000;
const BETWEEN_ROUNDS = 500;

/** The platform as it was at its first moment: one commit, and what was outside of git. */
export async function breakFleet(stage: FleetLab): Promise<void> {
  const fleet = stage.fleet('first');
  await applyFleet(
    stage.cluster,
    fleet.outside.filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.namespace === 'argocd'),
    [],
  );
  await Promise.all(fleet.environments.flatMap(firstMissing).map((object) => remove(stage, object)));
  const commit = stage.commit('Environments get namespaces of their own', fleet);
  await stage.refresh();
  const foundation = [...stage.statuses.keys()].filter((name) => name.includes('-foundation-'));
  const isTurned = (shown: ReadonlyMap<string, ApplicationStatus>): boolean =>
    foundation.every((name) => shown.get(name)?.revision.includes(commit)) &&
    foundation
      .filter((name) => name.endsWith('ghcr-pull-secret'))
      .every((name) => shown.get(name)?.health === 'Degraded');
  // What is removed before would come back: the old commit still wants it, and the old store still brings it.
  if (!(await stage.until(isTurned, TURN_WITHIN)))
    throw new Error('the foundation does not turn to the commit of the first moment');
  await Promise.all(fleet.environments.flatMap(firstLeftovers).map((object) => remove(stage, object)));
  // A pod that pulled its image while the secret was there goes on; a new one does not come up.
  await Promise.all(fleet.environments.map(({ namespace }) => restart(stage, namespace, 'transformation')));
}

async function remove({ cluster }: FleetLab, { kind, namespace, name }: Removal): Promise<void> {
  const resource = kind === 'Secret' ? SECRETS : CONFIG_MAPS;
  const object = await cluster.get(resource, { namespace, name });
  if (object !== undefined) await cluster.remove(resource, { namespace, name }, { uid: object.metadata.uid ?? '' });
}

/** As `kubectl rollout restart` does. */
async function restart({ cluster }: FleetLab, namespace: string, name: string): Promise<void> {
  if ((await cluster.get(DEPLOYMENTS, { namespace, name })) === undefined) return;
  const body = {
    spec: {
      template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() } } },
    },
  };
  await cluster.patch(DEPLOYMENTS, { namespace, name }, { type: 'merge', body });
}

/** The commit that repairs it, what is made outside of git, and the hands of people until `isOver`. */
export async function healFleet(stage: FleetLab, isOver: () => boolean, within: number): Promise<boolean> {
  const fleet = stage.fleet();
  await applyFleet(
    stage.cluster,
    fleet.outside.filter(({ kind }) => kind === 'ConfigMap'),
    [],
  );
  stage.commit('Environments run where they belong, each with its own store', fleet);
  await stage.refresh();
  const begin = performance.now();
  while (!isOver()) {
    if (performance.now() - begin > within) return false;
    for (const { namespace } of fleet.environments) await lendAHand(stage, namespace);
    await delay(BETWEEN_ROUNDS);
  }
  return true;
}

/**
 * A pod of an outdated revision that fits on no node is never replaced by itself, and a Vault that was restarted is
 * sealed.
 */
async function lendAHand({ cluster }: FleetLab, namespace: string): Promise<void> {
  for (const pod of (await cluster.list(PODS, { namespace })).items) {
    const { name = '', uid = '' } = pod.metadata;
    if (isStranded(pod)) await unlessReplaced(cluster.remove(PODS, { namespace, name }, { uid }));
    else if (pod.metadata.annotations?.['world.argosy.dev/vault'] === 'sealed')
      await unlessReplaced(
        cluster.patch(
          PODS,
          { namespace, name },
          { type: 'merge', body: { metadata: { uid, annotations: { 'world.argosy.dev/vault': 'ready' } } } },
        ),
      );
  }
}

/** The controllers go on meanwhile: a pod of the list may be gone, or a new one may have its name. */
async function unlessReplaced(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof ClusterError && (error.isNotFound || error.isConflict))) throw error;
  }
}

/** Of a workload that is kept in the pool of its environment but does not tolerate it. */
function isStranded({ metadata, spec }: KubeObject): boolean {
  if (metadata.deletionTimestamp !== undefined || !isObject(spec) || spec.nodeName !== undefined) return false;
  const tolerations = isArray(spec.tolerations) ? spec.tolerations.filter(isObject) : [];
  return (
    (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'StatefulSet') &&
    !tolerations.some(({ key }) => key === 'ameide.io/environment')
  );
}
