import type { Cluster, World } from '../../cluster/index.js';
import type { Controller } from '../delivery/controller.js';
import { EventTeller } from '../delivery/event-teller.js';
import { APPLICATION_SETS } from '../delivery/home.js';
import { findRunning } from '../delivery/other-controller.js';
import { readableScope } from '../readable-scope.js';
import { ApplicationSetOperator } from './application-set-operator.js';

interface Home {
  readonly cluster: Cluster;
  readonly world: World;
  readonly namespace: string;
  /** Although Argo CD's own controller of sets seems to run. */
  readonly takesOver: boolean;
  readonly log: (line: string) => void;
}

/**
 * The operator of ApplicationSets beside a controller: same cluster, same leadership, same repositories. Nothing where
 * sets may not be read.
 */
export async function startApplicationSets(
  { cluster, world, namespace, takesOver, log }: Home,
  controller: Controller,
): Promise<ApplicationSetOperator | undefined> {
  const { applicationNamespaces, applicationSets } = controller.settings;
  const isElsewhere = applicationNamespaces.length > 0 && applicationSets.namespaces.length > 0;
  const scope = await readableScope(
    cluster,
    APPLICATION_SETS,
    namespace,
    isElsewhere ? ['everywhere', 'here'] : ['here'],
    log,
  );
  if (scope === undefined) return undefined;
  const events = new EventTeller({ cluster, clock: world.clock, report: log });
  const findOther = (): Promise<string | undefined> =>
    takesOver ? Promise.resolve(undefined) : findRunning(cluster, namespace, 'argocd-applicationset-controller', log);
  return new ApplicationSetOperator({
    findOther,
    cluster,
    world,
    namespace: scope === 'everywhere' ? undefined : namespace,
    front: controller.front,
    events,
    log,
    metrics: controller.metrics,
    mayWrite: () => controller.state.isDelivering,
  });
}
