import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ServiceAccountTokens } from '../access/index.js';
import type { WatchedObject } from '../rest/index.js';
import { text } from '../resources/index.js';
import {
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  type ObjectName,
} from '../controller-runtime/index.js';
import { SECRETS, SERVICE_ACCOUNTS } from '../../model/resources/index.js';

const TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

/** Fills Secrets that ask for a token of an account; they go with the account. */
export function secretTokens(tokens: Pick<ServiceAccountTokens, 'issueForSecret'>, authority: string): Controller {
  return reconciler({
    name: 'tokens-controller',
    watches: [
      { of: SECRETS, keys: (event) => (event.type !== 'DELETED' && isTokenSecret(event.object) ? ownKey(event) : []) },
      { of: SERVICE_ACCOUNTS, keys: secretsOf },
    ],
    async reconcile({ namespace, name }, { client }) {
      const secret = client.get(SECRETS, namespace, name);
      if (secret === undefined || !isTokenSecret(secret) || secret.metadata.deletionTimestamp !== undefined) return;
      const account = client.get(SERVICE_ACCOUNTS, namespace, accountOf(secret));
      const uid = account?.metadata.uid ?? '';
      const known = secret.metadata.annotations?.[ACCOUNT_UID] ?? uid;
      if (account === undefined || known !== uid) {
        await client.remove(SECRETS, namespace, name, { uid: secret.metadata.uid ?? '' });
        return;
      }
      await client.edit(SECRETS, namespace, name, (copy) => {
        const data = copy['data'] as Record<string, string> | undefined;
        if (text(copy, 'type') !== TYPE || (data?.['token'] ?? '') !== '') return false;
        const token = tokens.issueForSecret({ namespace, name: accountOf(secret), uid, secret: name });
        copy.metadata.annotations = { ...copy.metadata.annotations, [ACCOUNT_UID]: uid };
        copy['data'] = { ...data, 'ca.crt': base64(authority), namespace: base64(namespace), token: base64(token) };
        return true;
      });
    },
  });
}

function isTokenSecret(secret: KubeObject): boolean {
  return text(secret, 'type') === TYPE;
}

function accountOf({ metadata: { annotations = {} } }: KubeObject): string {
  return annotations[ACCOUNT_NAME] ?? '';
}

/** An account that comes, goes or is another one under the same name. */
function secretsOf(
  {
    object: {
      metadata: { namespace = '', name },
    },
  }: WatchedObject,
  { client }: ControllerHost,
): ObjectName[] {
  return client
    .list(SECRETS, namespace)
    .filter((secret) => isTokenSecret(secret) && accountOf(secret) === name)
    .map(({ metadata }) => ({ namespace, name: metadata.name ?? '' }));
}

function base64(value: string): string {
  return Buffer.from(value).toString('base64');
}
