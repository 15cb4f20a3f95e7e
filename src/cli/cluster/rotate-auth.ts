import { clusterSecretConfig } from '../../cluster/index.js';
import { rotateAccountToken } from '../../control/index.js';
import { Fault } from '../../model/faults/index.js';
import { SECRETS } from '../../model/resources/index.js';
import type { AppSession } from '../session/index.js';
import { connectTo, verifyConnection } from './add-cluster.js';
import { findCluster } from './clusters.js';

/**
 * `cluster rotate-auth`: a new token for the account that the cluster Secret uses; the old one is worth nothing
 * afterwards.
 */
export async function rotateAuth(session: AppSession, wanted: string): Promise<string> {
  const { record, secret } = await findCluster(session, wanted);
  if (secret === undefined)
    throw new Fault('VALUE_INVALID', `Cluster '${record.server}' does not use bearer token authentication`, {
      where: record.name,
    });
  await rotateAccountToken({
    secret,
    connect: (each) => connectTo(session, clusterSecretConfig(each, session.host.environment)),
    keep: async (changed) => {
      await verifyConnection(session, changed);
      return session.cluster.update(SECRETS, changed);
    },
    after: (milliseconds, act) => session.after(milliseconds, act),
  });
  return `Cluster '${wanted}' rotated auth\n`;
}
