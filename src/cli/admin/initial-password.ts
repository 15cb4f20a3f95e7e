import { Fault } from '../../model/faults/index.js';
import { isObject, own } from '../../model/json/index.js';
import type { AppSession } from '../session/index.js';
import { SECRETS } from '../../model/resources/index.js';

const NAME = 'argocd-initial-admin-secret';

/** `admin initial-password`: what Argosy in the profile shared, or Argo CD, made for the first login. */
export async function initialPassword({ cluster, controlNamespace }: AppSession): Promise<string> {
  const secret = await cluster.get(SECRETS, { namespace: controlNamespace, name: NAME });
  const data = secret === undefined ? undefined : own(secret, 'data');
  const password = isObject(data) ? own(data, 'password') : undefined;
  if (typeof password === 'string')
    return (
      `${Buffer.from(password, 'base64').toString('utf8')}\n\n It is meant for the first login only: choose ` +
      'another one with argosy account update-password.\n'
    );
  throw new Fault(
    'NAME_UNKNOWN',
    `no Secret ${NAME} in namespace ${controlNamespace}: argosy up prints the password once and does not ` +
      'store it, and an administrator may have deleted the Secret. To get a new one, remove admin.password from the ' +
      'Secret argocd-secret and restart argosy',
    { where: cluster.server },
  );
}
