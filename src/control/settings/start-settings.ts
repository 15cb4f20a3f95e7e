import type { Cluster, World } from '../../cluster/index.js';
import type { Controller } from '../delivery/controller.js';
import { EventTeller } from '../delivery/event-teller.js';
import { readableScope } from '../readable-scope.js';
import { ARGOCDS } from './kinds.js';
import { SettingsOperator } from './settings-operator.js';

interface Home {
  readonly cluster: Cluster;
  readonly world: World;
  readonly namespace: string;
  readonly log: (line: string) => void;
}

/**
 * The operator of settings beside a controller: same cluster, same leadership. Nothing where ArgoCD objects may not be
 * read.
 */
export async function startSettings(
  { cluster, world, namespace, log }: Home,
  controller: Controller,
): Promise<SettingsOperator | undefined> {
  const scope = await readableScope(cluster, ARGOCDS, namespace, ['everywhere', 'here'], log);
  if (scope === undefined) return undefined;
  const events = new EventTeller({ cluster, clock: world.clock, report: log });
  return new SettingsOperator({
    cluster,
    world,
    namespace: scope === 'everywhere' ? undefined : namespace,
    events,
    log,
    mayWrite: () => controller.state.isDelivering,
  });
}
