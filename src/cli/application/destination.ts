import { clusterSecretConfig, connect, systemClock, type Cluster } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isDeliveredHere, readClusterSecret } from '../../model/argo/index.js';
import { textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AppSession } from '../session/index.js';
import { SECRETS } from '../../model/resources/index.js';

const CLUSTER_SECRETS = 'argocd.argoproj.io/secret-type=cluster';

/** Works on the cluster that the application is delivered to: this one, or one that a cluster Secret describes. */
export async function withDestination<T>(
  session: AppSession,
  application: KubeObject,
  act: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  if (isDeliveredHere(application)) return act(session.cluster);
  const cluster = await openDestination(session, application);
  try {
    return await act(cluster);
  } finally {
    await cluster.close();
  }
}

async function openDestination(
  { cluster, controlNamespace, host, access }: AppSession,
  application: KubeObject,
): Promise<Cluster> {
  const [server, name] = [
    textAt(application, 'spec', 'destination', 'server'),
    textAt(application, 'spec', 'destination', 'name'),
  ];
  const { items } = await cluster.list(SECRETS, { namespace: controlNamespace, labelSelector: CLUSTER_SECRETS });
  const secret = items.find((each) => {
    const known = readClusterSecret(each);
    return server === '' ? known.name === name : plain(known.server) === plain(server);
  });
  if (secret === undefined)
    throw new Fault(
      'VALUE_INVALID',
      server === '' ? `there are no clusters with this name: ${name}` : `cluster '${server}' has not been configured`,
      { where: 'spec.destination' },
    );
  const report = (problem: string): void => void host.stderr.write(`${problem}\n`);
  return connect(
    clusterSecretConfig(secret, host.environment),
    { clock: systemClock, random: Math.random, report },
    { version: host.version, environment: host.environment, readOnly: access === 'read' },
  );
}

function plain(server: string): string {
  return server.replace(/(?<!\/)\/+$/, '');
}
