import type { Cluster, ClientDependencies } from '../../cluster/index.js';
import type { ApplicationController } from './application-controller.js';
import { AuditTrail, EventRecorder } from '../telemetry/index.js';
import { findRunningWorkload } from './other-controller.js';
import { readableScope } from './readable-scope.js';
import { ApplicationSetController } from '../application-set/index.js';
import { NO_AUDIT, type Audit } from '../../audit/index.js';
import { reportTo, type Logger } from '../../model/logging/index.js';
import { APPLICATION_SETS } from '../../model/resources/index.js';

interface OperatorHost {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  readonly namespace: string;
  /** Although Argo CD's own controller of sets seems to run. */
  readonly takesOver: boolean;
  readonly log: Logger;
  readonly audit?: Audit;
}

/**
 * The operator of ApplicationSets beside a controller: same cluster, same leadership, same repositories. Nothing where
 * sets may not be read.
 */
export async function startApplicationSets(
  { cluster, world, namespace, takesOver, log, audit = NO_AUDIT }: OperatorHost,
  controller: ApplicationController,
): Promise<ApplicationSetController | undefined> {
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
  const events = new EventRecorder({ cluster, clock: world.clock, log, audit: new AuditTrail(audit, namespace) });
  const findOther = (): Promise<string | undefined> =>
    takesOver
      ? Promise.resolve(undefined)
      : findRunningWorkload(cluster, namespace, 'argocd-applicationset-controller', reportTo(log));
  return new ApplicationSetController({
    findOther,
    cluster,
    world,
    namespace: scope === 'everywhere' ? undefined : namespace,
    services: controller.services,
    events,
    log,
    metrics: controller.metrics,
    mayWrite: () => controller.state.isDelivering,
  });
}
