import { ClusterError, type Cluster, type World } from '../../cluster/index.js';
import type { Controller } from '../delivery/controller.js';
import { EventTeller } from '../delivery/event-teller.js';
import { ARGOCDS } from './kinds.js';
import { SettingsOperator } from './settings-operator.js';

interface Home {
  readonly cluster: Cluster;
  readonly world: World;
  readonly namespace: string;
  readonly log: (line: string) => void;
}

/** The operator of settings beside a controller: same cluster, same leadership. Nothing where ArgoCD objects may not be read. */
export async function startSettings({ cluster, world, namespace, log }: Home, controller: Controller): Promise<SettingsOperator | undefined> {
  const scope = await readable(cluster, namespace, log);
  if (scope === undefined) return undefined;
  const events = new EventTeller({ cluster, clock: world.clock, report: log });
  return new SettingsOperator({ cluster, world, namespace: scope === 'everywhere' ? undefined : namespace, events, log, mayWrite: () => controller.state.isDelivering });
}

async function readable(cluster: Cluster, namespace: string, log: (line: string) => void): Promise<'everywhere' | 'here' | undefined> {
  for (const scope of ['everywhere', 'here'] as const) {
    try {
      await cluster.page(ARGOCDS, { pageSize: 1, ...(scope === 'here' ? { namespace } : {}) });
      return scope;
    } catch (error) {
      // A kind that is not served yet is waited for.
      if (error instanceof ClusterError && error.isNotFound) return scope;
      if (!(error instanceof ClusterError) || error.status !== 403) throw error;
      if (scope === 'here') log(`ArgoCD objects are not followed: ${error.message}`);
    }
  }
  return undefined;
}
